"""The archive: every game that has ended, with the course that replays it."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, exists, insert, select

from cantstop_server.rules.setup import Setup
from cantstop_server.storage import records
from cantstop_server.storage.models import game_seats, games, players
from cantstop_server.storage.players import bot_id, is_named
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat

_LONGEST_ID: Final = 40

MAX_HISTORY: Final = 1000
"""How many games one question may ask for."""


def add(connection: Connection, game: ArchivedGame) -> None:
    """Archive a game, and count it if it was finished. One that is there already stays as is."""
    if connection.scalar(select(games.c.id).where(games.c.id == game.id)) is not None:
        return
    connection.execute(
        insert(games).values(
            id=game.id,
            status=game.status,
            seats=game.setup.seats,
            target=game.setup.target,
            keep_dead_markers=game.setup.keep_dead_markers,
            first_seat=game.setup.first,
            course=game.course,
            started_at=game.started_at,
            ended_at=game.ended_at,
            winner=game.winner,
            turns=game.turns,
            rated=game.rated,
            turn_ends=" ".join(f"{seconds:.1f}" for seconds in game.turn_ends) or None,
            proof=game.proof,
        )
    )
    ids = [_player_id(connection, game, seat) for seat in game.seats]
    connection.execute(
        insert(game_seats),
        [
            {
                "game_id": game.id,
                "seat": index,
                "player_id": player,
                "name": seat.name,
                "columns": seat.columns,
                "resigned": seat.resigned,
            }
            for index, (player, seat) in enumerate(zip(ids, game.seats, strict=True))
        ],
    )
    if game.status == "finished":
        records.count(connection, game, ids)


def history(connection: Connection, limit: int, player: str | None) -> list[ArchivedGame]:
    """The newest games, of everybody or of one player; at most ``MAX_HISTORY``."""
    query = select(games).order_by(games.c.ended_at.desc(), games.c.id.desc())
    if player is not None:
        query = query.where(
            exists().where(
                game_seats.c.game_id == games.c.id,
                game_seats.c.player_id == players.c.id,
                is_named(player),
            )
        )
    return load(connection, query.limit(max(0, min(limit, MAX_HISTORY))))


def find(connection: Connection, game: str) -> list[ArchivedGame]:
    """The game of this identifier, else those whose identifier begins so, two at most; of an
    empty one the newest game."""
    query = select(games).order_by(games.c.ended_at.desc(), games.c.id.desc())
    if not game:
        return load(connection, query.limit(1))
    exact = load(connection, query.where(games.c.id == game))
    if exact:
        return exact
    # The bounds let the database use the index of identifiers, which a pattern alone does not.
    begins = games.c.id.startswith(game, autoescape=True)
    bounds = games.c.id.between(game, game + "z" * _LONGEST_ID)
    return load(connection, query.where(begins, bounds).limit(2))


def load(connection: Connection, query: Select[Any]) -> list[ArchivedGame]:
    """The games of a query of the whole table, in its order."""
    rows = connection.execute(query).all()
    seats = _seats(connection, [row.id for row in rows])
    return [_game(row, seats.get(row.id, ())) for row in rows]


def _player_id(connection: Connection, game: ArchivedGame, seat: ArchivedSeat) -> int:
    if seat.bot is not None:
        return bot_id(connection, seat.bot, game.ended_at)
    if seat.player is None:
        raise ValueError(f"game {game.id}: nobody sits at the seat of {seat.name!r}")
    return seat.player


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
