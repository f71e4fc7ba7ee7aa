"""Live rooms on SQLite, past SQLAlchemy's statements: what every move of every room goes through.

The statements are made of the same tables, once, and given to the driver with their rows. A row
costs a few microseconds so, where a statement of SQLAlchemy costs tens. The archive follows on the
same connection in the same transaction.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, bindparam, insert

from cantstop_server.storage import live
from cantstop_server.storage.compiled import driver_of, for_rows, process, split, sql_of
from cantstop_server.storage.journal import RoomWrite
from cantstop_server.storage.models import live_rooms, room_events, room_moves
from cantstop_server.storage.upsert import insertion, replaced

_ROWS_AT_ONCE: Final = 16
"""Rows in a statement: the driver keeps 128 of them prepared, and there is one for each number.
Past 64 KiB of changed pages SQLite would write what it may have to undo into a file."""

_MOVE: Final = ("scope", "room", "seq", "move")


_SET_ROOMS: Final = split(
    sql_of(insertion("sqlite", live_rooms, replaced), *live_rooms.columns.keys())
)
_ADD_EVENTS: Final = split(
    sql_of(insertion("sqlite", room_events, None), *room_events.columns.keys())
)
_ADD_MOVES: Final = split(
    sql_of(
        insert(room_moves).values({name: bindparam(name) for name in _MOVE}),
        *_MOVE,
    )
)
_DROP_ROOM: Final = sql_of(live.DELETE_ROOM, "of_scope", "of_room")
_DROP_EVENTS: Final = sql_of(live.DELETE_EVENTS, "of_scope", "of_room")
_FORGET_EVENTS: Final = sql_of(live.FORGET_EVENTS, "of_scope", "of_room", "through")

_stored_time: Final = process(live_rooms.c.updated_at)
"""Makes of a time what the column keeps."""

Statement: TypeAlias = tuple[str, list[Any]]
"""SQL, and its parameters in order."""


def store(connection: Connection, writes: Sequence[RoomWrite], now: datetime) -> None:
    """Apply the writes in order, and archive the games that ended with them.

    The same as ``live.store``, for a connection of the driver ``sqlite3``.
    """
    driver = driver_of(connection)
    assert driver is not None
    for sql, parameters in statements(writes, now):
        driver.execute(sql, parameters)
    live.archive_games(connection, writes)


def statements(writes: Sequence[RoomWrite], now: datetime) -> list[Statement]:
    """What applies the writes in order; the games that ended are left to others."""
    moves = [(w.scope, w.room, w.seq, w.move) for w in writes if w.move is not None]
    if len(moves) == len(writes):  # as with most groups
        return list(_insertions(_ADD_MOVES, moves))
    assert _stored_time is not None
    rooms, at = live.nets(writes), _stored_time(now)
    closed = [key for key, net in rooms.items() if net.closed]
    kept = [(key, net) for key, net in rooms.items() if net.state is not None]
    forgetting = [(*key, net.forget_through) for key, net in kept if net.forget_through]
    return [
        *((_DROP_EVENTS, list(key)) for key in closed),
        *((_DROP_ROOM, list(key)) for key in closed),
        *((_FORGET_EVENTS, list(row)) for row in forgetting),
        *_insertions(_SET_ROOMS, [(*key, net.state, at, net.seq) for key, net in kept]),
        *_insertions(
            _ADD_EVENTS, [(*key, *event) for key, net in kept for event in net.kept_events()]
        ),
        *_insertions(_ADD_MOVES, moves),
    ]


def _insertions(
    insertion: tuple[str, str, str], rows: list[tuple[Any, ...]]
) -> Iterator[Statement]:
    """Many rows in few statements."""
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[start : start + _ROWS_AT_ONCE]
        yield for_rows(insertion, len(some)), list(chain.from_iterable(some))
