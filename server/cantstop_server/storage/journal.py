"""The journal: what waits becomes durable in one transaction, then its owners hear of it.

It decides what is written together and who is told what; how a group is written is passed in.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cantstop_server.storage.errors import DatabaseFault, StorageError
from cantstop_server.storage.types import ArchivedGame

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RoomWrite:
    """One room's change. ``scope`` is the server run that owns the room, ``room`` its code.

    ``state`` is the whole durable state; ``None`` closes the room: its row and events go.
    ``events`` are the new ones by sequence number; those up to ``forget_through`` may go.
    ``archive`` is the game that ended with this write: archived and counted with it, or not at all.
    ``done`` is called on the loop, with ``None`` once the write is durable.
    """

    scope: str
    room: str
    state: bytes | None
    events: tuple[tuple[int, bytes], ...]
    forget_through: int
    archive: ArchivedGame | None
    done: Callable[[StorageError | None], None]

    @property
    def key(self) -> tuple[str, str]:
        """Which room it is."""
        return self.scope, self.room


StoreGroup: TypeAlias = Callable[[Sequence[RoomWrite]], Awaitable[None]]
"""Writes a group, all or nothing. Raises ``StorageError``."""


class Journal:
    """Room writes on their way to the database, in the order of ``append``.

    One task writes at a time, and lives as long as something waits.
    """

    def __init__(self, store: StoreGroup) -> None:
        self.on_group: Callable[[int, float, StorageError | None], None] = _ignore
        """Told of each group: how many writes, how many seconds, and why it failed if it did."""
        self._store = store
        self._waiting: list[RoomWrite] = []
        self._flushes: list[asyncio.Future[None]] = []
        self._writer: asyncio.Task[None] | None = None
        self._closed = False

    def append(self, write: RoomWrite) -> None:
        """Hand over a write; its ``done`` follows, later than this call returns."""
        if self._closed:
            error = StorageError("the database is closed: the server is shutting down")
            asyncio.get_running_loop().call_soon(write.done, error)
            return
        self._waiting.append(write)
        self._wake()

    async def flush(self) -> None:
        """Wait until everything appended so far is durable or has failed."""
        flushed = asyncio.get_running_loop().create_future()
        self._flushes.append(flushed)
        self._wake()
        await flushed

    async def close(self) -> None:
        """Flush; what is appended from now on fails."""
        self._closed = True
        await self.flush()

    def _wake(self) -> None:
        if self._writer is None:
            self._writer = asyncio.get_running_loop().create_task(self._write_all())

    async def _write_all(self) -> None:
        try:
            while self._waiting or self._flushes:
                group, self._waiting = self._waiting, []
                flushes, self._flushes = self._flushes, []
                if group:
                    await self._write(group)
                for flushed in flushes:
                    if not flushed.done():
                        flushed.set_result(None)
        finally:
            self._writer = None

    async def _write(self, group: Sequence[RoomWrite]) -> None:
        error = await self._try(group)
        if error is None:
            for write in group:
                _tell(write, None)
        elif isinstance(error, DatabaseFault) or len(group) == 1:
            self._fail(group, error)
        else:
            await self._write_singly(group)

    async def _write_singly(self, group: Sequence[RoomWrite]) -> None:
        """After a group failed for the sake of one write: find it, and keep the others."""
        left = list(group)
        while left:
            write = left.pop(0)
            error = await self._try([write])
            if error is None:
                _tell(write, None)
            elif isinstance(error, DatabaseFault):
                self._fail([write, *left], error)
                return
            else:
                self._fail([write, *(w for w in left if w.key == write.key)], error)
                left = [w for w in left if w.key != write.key]

    async def _try(self, group: Sequence[RoomWrite]) -> StorageError | None:
        began = time.perf_counter()
        error = await self._attempt(group)
        self.on_group(len(group), time.perf_counter() - began, error)
        return error

    async def _attempt(self, group: Sequence[RoomWrite]) -> StorageError | None:
        try:
            await self._store(group)
        except StorageError as error:
            of_the_data = not isinstance(error, DatabaseFault)
            _log.error("%d room writes failed: %s", len(group), error, exc_info=of_the_data)
            return error
        except Exception as error:  # noqa: BLE001 - the journal outlives every fault of a write
            _log.exception("%d room writes failed", len(group))
            failure = StorageError("this could not be stored: see the server's log")
            failure.__cause__ = error
            return failure
        return None

    def _fail(self, writes: Sequence[RoomWrite], error: StorageError) -> None:
        """Fail the writes and whatever waits behind them: it builds on what is not durable.

        What the rooms append once they have heard of the failure stands on its own again.
        """
        rooms = {write.key for write in writes}
        behind = [write for write in self._waiting if write.key in rooms]
        self._waiting = [write for write in self._waiting if write.key not in rooms]
        for write in (*writes, *behind):
            _tell(write, error)


def _ignore(writes: int, seconds: float, error: StorageError | None) -> None:
    """Nobody counts."""


def _tell(write: RoomWrite, error: StorageError | None) -> None:
    try:
        write.done(error)
    except Exception:  # noqa: BLE001 - one room's fault is no other room's
        _log.exception("room %s could not handle the end of its write", write.room)
