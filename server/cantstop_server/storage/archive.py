"""The archive: every game that has ended, with the course that replays it."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, select

from cantstop_server.rules.setup import Setup
from cantstop_server.storage import entries, standings
from cantstop_server.storage.compiled import Insertion
from cantstop_server.storage.counts import Counts
from cantstop_server.storage.models import game_seats, games, players
from cantstop_server.storage.players import bot_id
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat, Entrant, Outcome

_ADD_GAME: Final = Insertion(games, "kept")
_ADD_SEATS: Final = Insertion(game_seats)


def add(connection: Connection, game: ArchivedGame) -> None:
    """Archive a game, and count it if it was finished. One that is there already stays as is.

    ``recount.settle`` has to follow in the same transaction: a game may come late. Many games
    are quickest to add after ``standings.note(connection, None)``: then they are counted there.
    """
    if not _ADD_GAME.write(connection, [_row(game)]):
        return
    ids = [_player_id(connection, game, seat) for seat in game.seats]
    _ADD_SEATS.write(
        connection,
        [
            (game.id, index, player, seat.name, seat.columns, seat.resigned)
            for index, (player, seat) in enumerate(zip(ids, game.seats, strict=True))
        ],
    )
    entries.enter(connection, game, ids)
    if game.status != "finished":
        return
    noted = standings.noted(connection)
    if noted != standings.EVERYTHING:
        outcome = _outcome(game, ids)
        counts = Counts()
        counts.count(outcome)
        counts.store(connection)
        standings.add(connection, outcome, noted)


def games_of(connection: Connection, ids: Sequence[str]) -> dict[str, ArchivedGame]:
    """The games with these identifiers, those that there are."""
    if not ids:
        return {}
    return {game.id: game for game in load(connection, select(games).where(games.c.id.in_(ids)))}


def load(connection: Connection, query: Select[Any]) -> list[ArchivedGame]:
    """The games of a query of the whole table, in its order."""
    rows = connection.execute(query).all()
    seats = _seats(connection, [row.id for row in rows])
    return [_game(row, seats.get(row.id, ())) for row in rows]


def find(connection: Connection, game: str) -> list[ArchivedGame]:
    """The game of this identifier, else those whose identifier begins so, two at most; of an
    empty one the newest game."""
    if game:
        # Those that begin so are the first from there on: a stretch of the index, and no scan.
        there_on = select(games.c.id).where(games.c.id >= game).order_by(games.c.id).limit(2)
        ids = [id for id in connection.scalars(there_on) if id.startswith(game)]
        ids = [game] if game in ids else ids
    else:
        newest = select(games.c.id).order_by(games.c.ended_at.desc(), games.c.id.desc()).limit(1)
        ids = list(connection.scalars(newest))
    found = games_of(connection, ids)
    return [found[id] for id in ids]


def _row(game: ArchivedGame) -> tuple[Any, ...]:
    return (
        game.id,
        game.status,
        game.setup.seats,
        game.setup.target,
        game.setup.keep_dead_markers,
        game.setup.first,
        game.course,
        game.started_at,
        game.ended_at,
        game.winner,
        game.turns,
        game.rated,
        " ".join(f"{seconds:.1f}" for seconds in game.turn_ends) or None,
        game.proof,
    )


def _player_id(connection: Connection, game: ArchivedGame, seat: ArchivedSeat) -> int:
    if seat.bot is not None:
        return bot_id(connection, seat.bot, game.ended_at)
    if seat.player is None:
        raise ValueError(f"game {game.id}: nobody sits at the seat of {seat.name!r}")
    return seat.player


def _outcome(game: ArchivedGame, ids: Sequence[int]) -> Outcome:
    return Outcome(
        game.id,
        game.ended_at,
        game.setup,
        game.course,
        game.winner,
        game.turns,
        game.rated,
        tuple(
            Entrant(player, seat.bot, seat.columns, seat.resigned)
            for player, seat in zip(ids, game.seats, strict=True)
        ),
    )


def _seats(connection: Connection, game_ids: Sequence[str]) -> dict[str, tuple[ArchivedSeat, ...]]:
    rows = connection.execute(
        select(game_seats, players.c.bot, players.c.name.label("registered"))
        .join(players)
        .where(game_seats.c.game_id.in_(game_ids))
        .order_by(game_seats.c.game_id, game_seats.c.seat)
    )
    seats: dict[str, tuple[ArchivedSeat, ...]] = {}
    for row in rows:
        player = row.player_id if row.bot is None else None
        registered = row.registered if row.bot is None else None
        seat = ArchivedSeat(row.name, player, row.bot, row.columns, row.resigned, registered)
        seats[row.game_id] = (*seats.get(row.game_id, ()), seat)
    return seats


def _game(row: Row[Any], seats: tuple[ArchivedSeat, ...]) -> ArchivedGame:
    return ArchivedGame(
        id=row.id,
        status=row.status,
        setup=Setup(row.seats, row.target, row.keep_dead_markers, row.first_seat),
        course=row.course,
        started_at=row.started_at,
        ended_at=row.ended_at,
        winner=row.winner,
        turns=row.turns,
        seats=seats,
        rated=row.rated,
        turn_ends=tuple(float(seconds) for seconds in (row.turn_ends or "").split()),
        proof=row.proof,
    )
