"""All that is counted, counted again from the games: from scratch, in part, or to compare."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, literal, select, tuple_

from cantstop_server.rules.setup import Setup
from cantstop_server.storage import standings
from cantstop_server.storage.counts import COUNTED, PLAYERS, Counts, key_names, split_row
from cantstop_server.storage.models import (
    UtcDateTime,
    game_seats,
    games,
    players,
    rating_history,
    ratings,
    streaks,
)
from cantstop_server.storage.standings import Standings
from cantstop_server.storage.types import Entrant, Outcome

_AT_ONCE: Final = 500
_TOLD: Final = 10
"""How many differences of one table are told one by one."""


def settle(connection: Connection) -> None:
    """Work out anew what is noted to be: everything, or streaks and ratings from a time on."""
    since = standings.noted(connection)
    if since is None:
        return
    standings.forget_note(connection)
    if since == standings.EVERYTHING:
        recount(connection)
    else:
        _settle_since(connection, datetime.fromisoformat(since))


def recount(connection: Connection) -> None:
    """Count every finished game anew, and keep nothing of what was counted before."""
    for table in (*COUNTED, streaks, ratings, rating_history):
        connection.execute(delete(table))
    counts, placed = _counted(connection)
    counts.insert(connection)
    placed.store(connection)


def recomputed(connection: Connection) -> list[str]:
    """How what is stored differs from a count of all games: a line for each difference.

    It only reads.
    """
    counts, placed = _counted(connection)
    names: dict[Any, str] = dict(
        map(tuple, connection.execute(select(players.c.id, players.c.name)))
    )
    differences = []
    for table, rows in counts.rows.items():
        stored = dict(split_row(table, row) for row in connection.execute(select(table)))
        differences += _compared(table, stored, rows, names)
    for table, expected in (
        (streaks, standings.streak_rows(placed)),
        (ratings, standings.rating_rows(placed)),
        (rating_history, placed.history),
    ):
        rows_stored = [dict(row) for row in connection.execute(select(table)).mappings()]
        differences += _compared(
            table, _by_key(table, rows_stored), _by_key(table, expected), names
        )
    return differences


def outcomes(connection: Connection, since: datetime | None = None) -> Iterator[Outcome]:
    """Every finished game, or those from a time on, in the order of their ends."""
    point: tuple[datetime, str] | None = None
    finished = select(games).where(games.c.status == "finished")
    if since is not None:
        finished = finished.where(games.c.ended_at >= since)
    while True:
        query = finished
        if point is not None:
            after = tuple_(literal(point[0], UtcDateTime), literal(point[1]))
            query = query.where(tuple_(games.c.ended_at, games.c.id) > after)
        rows = connection.execute(
            query.order_by(games.c.ended_at, games.c.id).limit(_AT_ONCE)
        ).all()
        seats = _entrants(connection, [row.id for row in rows])
        for row in rows:
            yield Outcome(
                row.id,
                row.ended_at,
                Setup(row.seats, row.target, row.keep_dead_markers, row.first_seat),
                row.course,
                row.winner,
                row.turns,
                row.rated,
                tuple(seats[row.id]),
            )
        if len(rows) < _AT_ONCE:
            return
        point = (rows[-1].ended_at, rows[-1].id)


def _entrants(connection: Connection, game_ids: Sequence[str]) -> dict[str, list[Entrant]]:
    seats: dict[str, list[Entrant]] = {game: [] for game in game_ids}
    for row in connection.execute(
        select(game_seats, players.c.bot)
        .join(players)
        .where(game_seats.c.game_id.in_(game_ids))
        .order_by(game_seats.c.game_id, game_seats.c.seat)
    ):
        seats[row.game_id].append(Entrant(row.player_id, row.bot, row.columns, row.resigned))
    return seats


def _counted(connection: Connection) -> tuple[Counts, Standings]:
    counts, placed = Counts(), Standings()
    for game in outcomes(connection):
        counts.count(game)
        if len(game.seats) > 1:
            placed.take(game)
    return counts, placed


def _settle_since(connection: Connection, since: datetime) -> None:
    placed = standings.rewind(connection, since)
    for game in outcomes(connection, since):
        if len(game.seats) > 1:
            placed.take(game)
    placed.store(connection)


def _by_key(table: Table, rows: Sequence[Mapping[str, Any]]) -> dict[Any, Any]:
    names = key_names(table)
    return {
        tuple(row[name] for name in names): {k: v for k, v in row.items() if k not in names}
        for row in rows
    }


def _compared(
    table: Table,
    stored: Mapping[Any, Any],
    counted: Mapping[Any, Any],
    names: Mapping[Any, str],
) -> list[str]:
    keys = [key for key in {**stored, **counted} if stored.get(key) != counted.get(key)]

    def told(key: Sequence[Any]) -> str:
        named = (
            (name, names.get(part, part) if name in PLAYERS else part)
            for name, part in zip(key_names(table), key, strict=True)
        )
        return ", ".join(f"{name.removesuffix('_id')} {part}" for name, part in named)

    lines = [
        f"{table.name} of {told(key)}: stored {stored.get(key)}, counted {counted.get(key)}"
        for key in keys[:_TOLD]
    ]
    more = len(keys) - len(lines)
    return [*lines, *([f"{table.name}: {more} more rows differ"] if more else [])]
