"""Persons under another name, and two who are one."""

from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, delete, func, or_, select, update

from cantstop_protocol.text import name_key
from cantstop_server.storage import entries, recount, standings
from cantstop_server.storage.counts import COUNTED, PLAYERS, Counts, key_names, split_row
from cantstop_server.storage.errors import CannotChange
from cantstop_server.storage.models import (
    game_seats,
    games,
    live_rooms,
    players,
    rating_history,
    ratings,
    streaks,
)


class _Seat(msgspec.Struct):
    player: int | None = None
    gone: bool = False


class _Game(msgspec.Struct):
    result: Any = None


class _Room(msgspec.Struct):
    """What matters here of the durable form of a room."""

    seats: tuple[_Seat | None, ...] = ()
    game: _Game | None = None


_room_decoder: Final = msgspec.msgpack.Decoder(_Room | tuple[_Room, bytes])
"""A room is a map, or a pair of one and padding."""


def rename(connection: Connection, old: str, new: str, key: str) -> None:
    """Give a person another name. Raises ``CannotChange``."""
    person = _person(connection, old)
    taken = connection.execute(select(players).where(players.c.name_key == key)).first()
    if taken is not None and taken.id != person.id:
        raise CannotChange(
            f"somebody is called {taken.name} already: to make one person of both,"
            f" `cantstop players merge`"
        )
    renamed = update(players).where(players.c.id == person.id)
    connection.execute(renamed.values(name=new, name_key=key))


def merge(connection: Connection, source: str, into: str) -> None:
    """Give the games of one person to another, and forget the first. Raises ``CannotChange``."""
    one, other = _person(connection, source), _person(connection, into)
    if one.id == other.id:
        raise CannotChange(f"{one.name} and {into} are the same person already")
    _check_apart(connection, one, other)
    _check_not_seated(connection, one)
    first_game = connection.scalar(
        select(func.min(games.c.ended_at))
        .join(game_seats, game_seats.c.game_id == games.c.id)
        .where(game_seats.c.player_id == one.id)
    )
    seats = update(game_seats).where(game_seats.c.player_id == one.id)
    connection.execute(seats.values(player_id=other.id))
    entries.reassign(connection, one.id, other.id)
    _move_counts(connection, one.id, other.id)
    if first_game is not None:
        standings.note(connection, first_game)
        recount.settle(connection)
    for table in (streaks, ratings, rating_history):
        connection.execute(delete(table).where(table.c.player_id == one.id))
    connection.execute(delete(players).where(players.c.id == one.id))


def _person(connection: Connection, name: str) -> Row[Any]:
    found = connection.execute(
        select(players).where(players.c.name_key == name_key(name), players.c.bot.is_(None))
    ).first()
    if found is None:
        raise CannotChange(f"no person called {name!r} is known: `cantstop stats` lists them")
    return found


def _check_apart(connection: Connection, one: Row[Any], other: Row[Any]) -> None:
    beside = game_seats.alias()
    game = connection.scalar(
        select(game_seats.c.game_id)
        .join(beside, beside.c.game_id == game_seats.c.game_id)
        .where(game_seats.c.player_id == one.id, beside.c.player_id == other.id)
        .limit(1)
    )
    if game is not None:
        raise CannotChange(
            f"{one.name} and {other.name} sat in one game ({game}): they are two persons"
        )


def _check_not_seated(connection: Connection, one: Row[Any]) -> None:
    for room, stored in connection.execute(select(live_rooms.c.room, live_rooms.c.state)):
        try:
            found = _room_decoder.decode(stored)
        except msgspec.MsgspecError:
            continue  # no server can go on with it either
        state = found if isinstance(found, _Room) else found[0]
        seats = [seat for seat in state.seats if seat and seat.player == one.id]
        if any(not seat.gone for seat in seats):
            raise CannotChange(
                f"{one.name} still sits in the room {room}: let them leave it, or close it with"
                f" `cantstop admin close {room}` while the server runs"
            )
        if seats and state.game is not None and state.game.result is None:
            raise CannotChange(
                f"a game that {one.name} has left goes on in the room {room}: let it end, or close"
                f" it with `cantstop admin close {room}` while the server runs"
            )


def _move_counts(connection: Connection, one: int, other: int) -> None:
    """Add the sums of the first to those of the second, also where it is somebody's opponent."""
    moved = Counts()
    for table in COUNTED:
        whose = [table.c[name] for name in key_names(table) if name in PLAYERS]
        theirs = or_(*(column == one for column in whose))
        for row in connection.execute(select(table).where(theirs)):
            key, values = split_row(table, row)
            named = zip(key_names(table), key, strict=True)
            moved.add(
                table,
                tuple(other if n in PLAYERS and part == one else part for n, part in named),
                values,
            )
        connection.execute(delete(table).where(theirs))
    moved.store(connection)
