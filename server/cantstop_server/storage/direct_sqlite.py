"""Groups of the journal on SQLite, written where they are handed over: on the event loop.

With a write-ahead log and ``synchronous=NORMAL`` a transaction is a few writes into the system's
cache, some ten microseconds, and to wake a thread for it takes longer than that. What may wait does
not happen here: for another writer, for the disk when the log is copied into the file, for the
archive. That is for the thread which does all else, and while it is at it these groups go there.
"""

import sqlite3
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from cantstop_server.storage import live_sqlite
from cantstop_server.storage.journal import RoomWrite

BEGIN: Final = "BEGIN IMMEDIATE"
"""A transaction that is going to write says so at once: it waits for its turn at the start, where
the busy timeout holds, and never fails half-way for another writer."""

_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_SLOW: Final = 0.01
"""A write that took longer has kept everybody waiting, seconds."""

_REST: Final = 1.0
"""For so long after it the thread does it instead."""


class DirectWriter:
    """Writes on a connection of its own, which never waits and never checkpoints."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._rests_until = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether it may be asked: not just after the system has taken long for a write."""
        return self._clock() >= self._rests_until

    def store(self, writes: Sequence[RoomWrite], now: datetime) -> bool:
        """Write a group without games that ended; False if another writer is at it.

        Raises ``sqlite3.Error``; nothing is written then.
        """
        began = self._clock()
        try:
            if self._connection is None:
                self._connection = _connect(self._path)
            execute_together(self._connection, live_sqlite.statements(writes, now))
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
                return False
            self.close()
            raise
        finally:
            ended = self._clock()
            if ended - began > _SLOW:
                self._rests_until = ended + _REST
        return True

    def close(self) -> None:
        """Let go of the file; the next group opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def execute_together(
    driver: sqlite3.Connection, statements: Sequence[live_sqlite.Statement]
) -> None:
    """All of them in one transaction, or none."""
    if len(statements) == 1:
        driver.execute(*statements[0])  # which is a transaction by itself
        return
    driver.execute(BEGIN)
    try:
        for sql, parameters in statements:
            driver.execute(sql, parameters)
        driver.execute("COMMIT")
    except BaseException:
        if driver.in_transaction:
            driver.execute("ROLLBACK")
        raise


def tune(driver: sqlite3.Connection, checkpoint_pages: int) -> None:
    """Let a connection write as the journal needs it. Its commits make checkpoints once the log has
    so many pages, 0 for never."""
    driver.execute("PRAGMA synchronous = NORMAL")
    driver.execute(f"PRAGMA wal_autocheckpoint = {checkpoint_pages}")
    driver.execute("PRAGMA temp_store = MEMORY")  # for what a statement may have to undo


def _connect(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)
    try:
        tune(connection, checkpoint_pages=0)
    except BaseException:
        connection.close()
        raise
    return connection
