"""Live rooms: what a restart takes up again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, insert, select, update

from cantstop_server.storage import archive, recount
from cantstop_server.storage.journal import RoomWrite
from cantstop_server.storage.models import live_rooms, room_events, room_moves
from cantstop_server.storage.types import LiveRoom

_this_room = (
    live_rooms.c.scope == bindparam("of_scope"),
    live_rooms.c.room == bindparam("of_room"),
)
_its_events = (
    room_events.c.scope == bindparam("of_scope"),
    room_events.c.room == bindparam("of_room"),
)
_UPDATE_ROOM = (
    update(live_rooms)
    .where(*_this_room)
    .values(state=bindparam("state"), updated_at=bindparam("updated_at"), seq=bindparam("seq"))
)
_INSERT_ROOM = insert(live_rooms)
DELETE_ROOM = delete(live_rooms).where(*_this_room)
_INSERT_EVENT = insert(room_events)
DELETE_EVENTS = delete(room_events).where(*_its_events)
FORGET_EVENTS = DELETE_EVENTS.where(room_events.c.seq <= bindparam("through"))
"""The parameters of these three are ``of_scope``, ``of_room`` and ``through``."""
_INSERT_MOVE = insert(room_moves)
_needed = (
    select(live_rooms.c.seq)
    .where(
        live_rooms.c.scope == room_moves.c.scope,
        live_rooms.c.room == room_moves.c.room,
        live_rooms.c.seq < room_moves.c.seq,
    )
    .exists()
)
_DELETE_OLD_MOVES = delete(room_moves).where(~_needed)

_Key = tuple[str, str]


@dataclass(slots=True)
class Net:
    """What several writes of one room come to, but for its moves.

    ``closed``: whatever was there goes, before what is left of this is written. ``seq`` belongs to
    the state.
    """

    closed: bool = False
    state: bytes | None = None
    seq: int = 0
    events: list[tuple[int, bytes]] = field(default_factory=list)
    forget_through: int = 0

    def add(self, write: RoomWrite) -> None:
        if write.closes:
            self.closed, self.state, self.events, self.forget_through = True, None, [], 0
            return
        self.state, self.seq = write.state, write.seq
        self.events.extend(write.events)
        self.forget_through = max(self.forget_through, write.forget_through)

    def kept_events(self) -> list[tuple[int, bytes]]:
        """The events that are not to be forgotten at once."""
        if not self.forget_through:
            return self.events
        return [(seq, event) for seq, event in self.events if seq > self.forget_through]


def nets(writes: Sequence[RoomWrite]) -> dict[_Key, Net]:
    """What the writes come to, room by room, but for the moves."""
    found: dict[_Key, Net] = {}
    for write in writes:
        if write.move is not None:
            continue
        net = found.get(write.key)
        if net is None:
            net = found[write.key] = Net()
        net.add(write)
    return found


def store(connection: Connection, writes: Sequence[RoomWrite], now: datetime) -> None:
    """Apply the writes in order, and archive the games that ended with them."""
    rooms = nets(writes)
    _close(connection, [key for key, net in rooms.items() if net.closed])
    _forget(connection, {k: n.forget_through for k, n in rooms.items() if n.forget_through})
    _set_states(connection, {k: n for k, n in rooms.items() if n.state is not None}, now)
    _add_events(connection, rooms)
    _add_moves(connection, writes)
    archive_games(connection, writes)


def archive_games(connection: Connection, writes: Sequence[RoomWrite]) -> None:
    """Archive and count the games that ended with the writes."""
    ended = [write.archive for write in writes if write.archive is not None]
    for game in ended:
        archive.add(connection, game)
    if ended:
        recount.settle(connection)


def tidy(connection: Connection) -> int:
    """Let the moves go that are in a state by now, or whose room is closed: how many are left."""
    connection.execute(_DELETE_OLD_MOVES)
    return connection.scalar(select(func.count()).select_from(room_moves)) or 0


def load(connection: Connection, scope: str) -> list[LiveRoom]:
    """The rooms of a scope, by room code."""
    events: dict[str, list[tuple[int, bytes]]] = {}
    for room, seq, event in connection.execute(
        select(room_events.c.room, room_events.c.seq, room_events.c.event)
        .where(room_events.c.scope == scope)
        .order_by(room_events.c.room, room_events.c.seq)
    ):
        events.setdefault(room, []).append((seq, event))
    rooms = connection.execute(
        select(live_rooms.c.room, live_rooms.c.state)
        .where(live_rooms.c.scope == scope)
        .order_by(live_rooms.c.room)
    )
    moves = moves_of(connection, room_moves.c.scope == scope)
    return [
        LiveRoom(room, state, tuple(events.get(room, ())), tuple(moves.get((scope, room), ())))
        for room, state in rooms
    ]


def unfinished(connection: Connection, besides: str, limit: int) -> list[LiveRoom]:
    """The rooms, without their events, but of scopes that begin with ``besides``: so many at most,
    those whose state was written last first."""
    newest = (
        select(live_rooms.c.scope, live_rooms.c.room, live_rooms.c.state)
        .where(live_rooms.c.scope.not_like(f"{besides}%"))
        .order_by(live_rooms.c.updated_at.desc())
        .limit(limit)
    )
    moves = moves_of(connection, room_moves.c.scope.not_like(f"{besides}%"))
    return [
        LiveRoom(room, state, (), tuple(moves.get((scope, room), ())))
        for scope, room, state in connection.execute(newest)
    ]


def moves_of(connection: Connection, *which: ColumnElement[bool]) -> dict[_Key, list[bytes]]:
    """The moves of these rooms, oldest first."""
    moves: dict[_Key, list[bytes]] = {}
    columns = (room_moves.c.scope, room_moves.c.room, room_moves.c.move)
    for scope, room, move in connection.execute(
        select(*columns).where(*which).order_by(room_moves.c.id)
    ):
        moves.setdefault((scope, room), []).append(move)
    return moves


def drop_stale(connection: Connection, scopes: str, before: datetime) -> None:
    """Drop the rooms whose scope begins with ``scopes`` that nobody wrote since ``before``."""
    stale = connection.execute(
        select(live_rooms.c.scope, live_rooms.c.room).where(
            live_rooms.c.scope.startswith(scopes, autoescape=True),
            live_rooms.c.updated_at < before,
        )
    )
    _close(connection, [(scope, room) for scope, room in stale])


def _close(connection: Connection, keys: Sequence[_Key]) -> None:
    if keys:
        rows = [_of(key) for key in keys]
        connection.execute(DELETE_EVENTS, rows)
        connection.execute(DELETE_ROOM, rows)


def _forget(connection: Connection, through: dict[_Key, int]) -> None:
    if through:
        rows = [{**_of(key), "through": seq} for key, seq in through.items()]
        connection.execute(FORGET_EVENTS, rows)


def _set_states(connection: Connection, states: dict[_Key, Net], now: datetime) -> None:
    if not states:
        return
    rows = [
        {**_of(key), "state": net.state, "updated_at": now, "seq": net.seq}
        for key, net in states.items()
    ]
    if connection.execute(_UPDATE_ROOM, rows).rowcount == len(rows):
        return
    found = connection.execute(
        select(live_rooms.c.scope, live_rooms.c.room).where(
            live_rooms.c.scope.in_({scope for scope, _ in states}),
            live_rooms.c.room.in_([room for _, room in states]),
        )
    )
    known = {(scope, room) for scope, room in found}
    connection.execute(
        _INSERT_ROOM,
        [
            {"scope": scope, "room": room, "state": net.state, "updated_at": now, "seq": net.seq}
            for (scope, room), net in states.items()
            if (scope, room) not in known
        ],
    )


def _add_events(connection: Connection, rooms: dict[_Key, Net]) -> None:
    rows = [
        {"scope": scope, "room": room, "seq": seq, "event": event}
        for (scope, room), net in rooms.items()
        for seq, event in net.kept_events()
    ]
    if rows:
        connection.execute(_INSERT_EVENT, rows)


def _add_moves(connection: Connection, writes: Sequence[RoomWrite]) -> None:
    # Those that a state in the same group has already are passed over, as others are later.
    rows = [
        {"scope": write.scope, "room": write.room, "seq": write.seq, "move": write.move}
        for write in writes
        if write.move is not None
    ]
    if rows:
        connection.execute(_INSERT_MOVE, rows)


def _of(key: _Key) -> dict[str, Any]:
    return {"of_scope": key[0], "of_room": key[1]}
