"""The journal: what waits becomes durable in one transaction, then its owners hear of it.

It decides what is written together and who is told what; how a group is written is passed in.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from cantstop_server.storage.errors import DatabaseFault, StorageError
from cantstop_server.storage.types import ArchivedGame

_log = logging.getLogger(__name__)


MOST_TOGETHER: Final = 100
"""How many writes share a transaction. Past this a write costs no less, and what comes of them all
holds the loop the longer."""


class RoomWrite(NamedTuple):
    """One room's change. ``scope`` is the server run that owns the room, ``room`` its code.

    ``state`` is the whole durable state; ``move`` stands for it where a move is all that has come
    to the last one. Without either the room is closed: its row and events go. ``seq`` is the number
    of the latest event. ``events`` get rows by sequence number; those up to ``forget_through`` may
    go. ``archive`` is the game that ended with this write: archived and counted with it, or not at
    all. ``done`` is called on the loop, with ``None`` once the write is durable.
    """

    scope: str
    room: str
    state: bytes | None
    events: tuple[tuple[int, bytes], ...]
    forget_through: int
    archive: ArchivedGame | None
    done: Callable[[StorageError | None], None]
    seq: int = 0
    move: bytes | None = None

    @property
    def closes(self) -> bool:
        """Whether it ends the room."""
        return self.state is None and self.move is None

    @property
    def key(self) -> tuple[str, str]:
        """Which room it is."""
        return self.scope, self.room


Stored: TypeAlias = Callable[[BaseException | None], None]
"""Told on the loop once a group is durable, or with what went wrong."""

StoreGroup: TypeAlias = Callable[[Sequence[RoomWrite], Stored], None]
"""Begins to write a group, all or nothing; what goes wrong with it is a ``StorageError``."""


class Journal:
    """Room writes on their way to the database, in the order of ``append``.

    One group is on its way at a time, and all that comes meanwhile is the next one: the busier the
    rooms, the more of them share a transaction.
    """

    def __init__(self, store: StoreGroup) -> None:
        self.on_group: Callable[[int, float, StorageError | None], None] = _ignore
        """Told of each group: how many writes, how many seconds, and why it failed if it did."""
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._waiting: list[RoomWrite | asyncio.Future[None]] = []
        self._reached: list[asyncio.Future[None]] = []
        self._singly: deque[RoomWrite] = deque()
        self._began = 0.0
        self._busy = False
        self._closed = False

    def append(self, write: RoomWrite) -> None:
        """Hand over a write; its ``done`` follows, later than this call returns."""
        if self._closed:
            error = StorageError("the database is closed: the server is shutting down")
            self._loop.call_soon(write.done, error)
            return
        self._waiting.append(write)
        self._wake()

    async def flush(self) -> None:
        """Wait until everything appended so far is durable or has failed."""
        flushed = self._loop.create_future()
        self._waiting.append(flushed)
        self._wake()
        await flushed

    async def close(self) -> None:
        """Flush; what is appended from now on fails."""
        self._closed = True
        await self.flush()

    def _wake(self) -> None:
        if not self._busy:
            self._busy = True
            # Where there is much to do this turn of the loop brings more, which shares the group.
            self._loop.call_soon(self._next_group)

    def _next_group(self) -> None:
        taken, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
        group = [write for write in taken if isinstance(write, RoomWrite)]
        self._reached = [flushed for flushed in taken if not isinstance(flushed, RoomWrite)]
        if group:
            self._begin(group)
        else:
            self._end_group()

    def _begin(self, group: Sequence[RoomWrite]) -> None:
        self._began = time.perf_counter()
        try:
            self._store(group, partial(self._stored, group))
        except Exception as error:  # noqa: BLE001 - it is told
            self._stored(group, error)

    def _stored(self, group: Sequence[RoomWrite], caught: BaseException | None) -> None:
        error = None if caught is None else _as_storage_error(caught, len(group))
        try:
            self.on_group(len(group), time.perf_counter() - self._began, error)
        except Exception:  # noqa: BLE001 - it is no reason to hold a group up
            _log.exception("a group of the journal could not be counted")
        if error is None:
            for write in group:
                _tell(write, None)
        elif isinstance(error, DatabaseFault):
            self._fail([*group, *self._singly], error)
            self._singly.clear()
        elif len(group) > 1:
            # For the sake of one write all have failed: it is found, and the others are kept.
            self._singly.extend(group)
        else:
            room = group[0].key
            self._fail([*group, *(w for w in self._singly if w.key == room)], error)
            self._singly = deque(w for w in self._singly if w.key != room)
        if self._singly:
            self._loop.call_soon(self._begin, [self._singly.popleft()])
        else:
            self._end_group()

    def _end_group(self) -> None:
        for flushed in self._reached:
            if not flushed.done():
                flushed.set_result(None)
        self._busy = False
        if self._waiting:
            self._wake()

    def _fail(self, writes: Sequence[RoomWrite], error: StorageError) -> None:
        """Fail the writes and whatever waits behind them: it builds on what is not durable.

        What the rooms append once they have heard of the failure stands on its own again.
        """
        rooms = {write.key for write in writes}
        behind: list[RoomWrite] = []
        left: list[RoomWrite | asyncio.Future[None]] = []
        for item in self._waiting:
            if isinstance(item, RoomWrite) and item.key in rooms:
                behind.append(item)
            else:
                left.append(item)
        self._waiting = left
        for write in (*writes, *behind):
            _tell(write, error)


def _as_storage_error(caught: BaseException, writes: int) -> StorageError:
    """What the rooms are told; the journal outlives every fault of a write."""
    if isinstance(caught, StorageError):
        of_the_data = None if isinstance(caught, DatabaseFault) else caught
        _log.error("%d room writes failed: %s", writes, caught, exc_info=of_the_data)
        return caught
    _log.error("%d room writes failed", writes, exc_info=caught)
    failure = StorageError("this could not be stored: see the server's log")
    failure.__cause__ = caught
    return failure


def _ignore(writes: int, seconds: float, error: StorageError | None) -> None:
    """Nobody counts."""


def _tell(write: RoomWrite, error: StorageError | None) -> None:
    try:
        write.done(error)
    except Exception:  # noqa: BLE001 - one room's fault is no other room's
        _log.exception("room %s could not handle the end of its write", write.room)
