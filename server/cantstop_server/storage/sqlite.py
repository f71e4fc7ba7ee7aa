"""Everything that is so for SQLite only: its settings, transactions, files and error codes."""

import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from cantstop_server.storage import live, live_sqlite
from cantstop_server.storage.backup import copy_file, free_name
from cantstop_server.storage.compiled import driver_of
from cantstop_server.storage.database import Database, is_fault_of_the_database
from cantstop_server.storage.direct_sqlite import BEGIN, DirectWriter, tune
from cantstop_server.storage.errors import DatabaseFault, StorageError
from cantstop_server.storage.journal import RoomWrite, Stored
from cantstop_server.storage.upkeep import Upkeep
from cantstop_server.storage.worker import Worker

log = logging.getLogger(__name__)

T = TypeVar("T")

APPLICATION_ID: Final = 0x43616E74
"""In the header of our files ("Cant"), so that we know them from other programs'."""

_ELSEWHERE: Final = "give --database another file"

_LOCKED: Final = "is locked by another program: stop that one, then try again"
_MAKE_WRITABLE: Final = f"make the file and its folder writable, or {_ELSEWHERE}"

_FAULTS: Final = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_PROTOCOL: _LOCKED,
    sqlite3.SQLITE_FULL: "cannot grow, the disk is full: make room, then try again",
    sqlite3.SQLITE_READONLY: f"is read-only: {_MAKE_WRITABLE}",
    sqlite3.SQLITE_PERM: f"may not be used: {_MAKE_WRITABLE}",
    sqlite3.SQLITE_AUTH: f"may not be used: {_MAKE_WRITABLE}",
    sqlite3.SQLITE_CANTOPEN: f"cannot be opened: {_MAKE_WRITABLE}",
    sqlite3.SQLITE_IOERR: "cannot be read or written: check the disk, then try again",
    sqlite3.SQLITE_NOTADB: f"is damaged or no SQLite database: restore a copy, or {_ELSEWHERE}",
    sqlite3.SQLITE_CORRUPT: f"is damaged: restore a copy, or {_ELSEWHERE}",
}
_DRIVER_ERRORS: Final = (SQLAlchemyError, sqlite3.Error, OSError)
_STEPS_BETWEEN: Final = 5_000
"""Of SQLite's machine, until it looks whether anybody still waits: a move takes far fewer."""

_CHECKPOINT_PAGES: Final = 4000
"""How long the log grows until what it has is copied into the file, in pages of 4 KiB."""

_WAL_ATTEMPTS: Final = 100
_WAL_PAUSE: Final = 0.02


class SqliteDatabase(Database):
    """A SQLite file.

    Moves are written at once, by ``DirectWriter``. All other writes run on one thread of ours: a
    whole transaction is one hop away from the loop, where an asyncio driver would take one for each
    statement, and writers never wait for each other's locks. Reads go past them, on a thread of
    their own.
    """

    def __init__(self, path: Path, *, exclusive: bool, busy_timeout: float) -> None:
        super().__init__(str(path))
        self._path = path
        self._exclusive = exclusive
        self._lock = FileLock(f"{path}.lock", timeout=0, thread_local=False)
        self._writer = create_engine(_url("sqlite", path), hide_parameters=True)
        self._readers = create_engine(_url("sqlite", path), hide_parameters=True)
        self._worker = Worker("cantstop-storage")
        self._connection: Connection | None = None
        self._direct = DirectWriter(path)
        self._upkeep = Upkeep()
        self._reader = Worker("cantstop-reading")
        self._reading: Connection | None = None
        _set_up(self._readers, self._reader, busy_timeout, _begin_to_read)
        _set_up(self._writer, self._worker, busy_timeout, _begin_to_write)

    async def prepare(self, work: Callable[[Connection], T]) -> T:
        """Open the file, make it if there is none, and refuse other programs' untouched."""
        return await self._on_thread(partial(self._prepare, work))

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads, past whoever writes: everybody's hello is one."""
        self._check_open()
        try:
            return await self._reader.run(partial(self._read, work))
        except _DRIVER_ERRORS as error:
            raise self._explain(error) from error

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work that writes; it is durable when this returns."""
        return await self._on_thread(partial(self._transact, work))

    def store(self, writes: Sequence[RoomWrite], now: datetime, stored: Stored) -> None:
        """Write a group of the journal in one transaction, past SQLAlchemy where that can be.

        One in which a game ends is for the thread: to archive and count it takes a while. Others
        are written here and now unless they would have to wait.
        """

        def tell(_result: None, error: BaseException | None) -> None:
            if error is None and self._upkeep.is_due(len(writes)):
                self._worker.submit(partial(self._tidy, self._upkeep.drops), self._has_tidied)
            stored(error if error is None else self._as_told(error))

        try:
            is_stored = self._store_here(writes, now)
        except Exception as error:  # noqa: BLE001 - it is told
            tell(None, error)
            return
        if is_stored:
            tell(None, None)
        else:
            store = partial(live_sqlite.store, writes=writes, now=now)
            self._worker.submit(partial(self._transact, store), tell)

    def damage(self, connection: Connection) -> list[str]:
        """What is broken beneath the rows: pages, indexes, and rows that refer to none."""
        found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        return [f"the file: {fault}" for fault in found if fault != "ok"] + [
            f"table {table}: row {row} refers to a row of {parent} that is not there"
            for table, row, parent, _ in orphans
        ]

    def check_unserved(self, connection: Connection) -> None:
        """Raises ``DatabaseFault`` if another process has opened the file ``exclusive``ly."""
        if not self._exclusive:
            self._take_lock()

    def keep_copy(self, connection: Connection, upgrade: str) -> str:
        """A file beside this one, of what others have written."""
        copy = free_name(self._path, upgrade)
        try:
            copy_file(self._path, copy)
        except StorageError as error:
            raise DatabaseFault(
                f"the database {self.name} needs an upgrade, and no copy of it can be kept before:"
                f" {error.__cause__}; make that possible, or `cantstop db upgrade --no-backup`"
            ) from error
        return str(copy)

    async def backup(self, target: Path) -> int:
        """Copy the file to another that is not there yet, also while others write: its bytes."""
        return await self._on_thread(partial(self._backup, target))

    async def vacuum(self) -> tuple[int, int]:
        """Give unused pages back: the file's bytes before and after."""
        return await self._on_thread(self._vacuum)

    async def close(self) -> None:
        """Let go of every connection, and of the lock. Twice is harmless."""
        if not self._closed:
            await super().close()
            try:
                self._direct.close()
                await self._reader.run(self._stop_reading)
                await self._worker.run(self._let_go)
            finally:
                self._reader.end()
                self._worker.end()

    async def _on_thread(self, job: Callable[[], T]) -> T:
        self._check_open()
        try:
            return await self._worker.run(job)
        except _DRIVER_ERRORS as error:
            raise self._explain(error) from error

    def _prepare(self, work: Callable[[Connection], T]) -> T:
        self._find_place()
        if self._exclusive:
            self._take_lock()

        def claim_and_work(connection: Connection) -> T:
            _claim(connection, self.name)
            if self._exclusive:
                _check(connection, self.name)
            return work(connection)

        try:
            result = self._transact(claim_and_work)
        finally:
            if not self._exclusive:
                self._lock.release()
        _use_write_ahead_log(self._writer)
        return result

    def _read(self, work: Callable[[Connection], T]) -> T:
        if self._reading is None:
            self._reading = self._readers.connect()
        try:
            with self._reading.begin():
                return work(self._reading)
        except (DBAPIError, sqlite3.Error) as error:
            if _is_fault(error):
                self._stop_reading()  # the next read begins on a new connection
            raise

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.close()
            self._reading = None
        self._readers.dispose()

    def _transact(self, work: Callable[[Connection], T]) -> T:
        """One transaction, on the connection that is kept for all of them."""
        connection = self._connected()
        try:
            with connection.begin():
                return work(connection)
        except (DBAPIError, sqlite3.Error) as error:
            self._look_at(error)
            raise

    def _store_here(self, writes: Sequence[RoomWrite], now: datetime) -> bool:
        """Write a group on the loop, if nothing there has to be waited for."""
        self._check_open()
        if not (self._worker.is_idle and self._direct.is_ready):
            return False
        if any(write.archive is not None for write in writes):
            return False
        return self._direct.store(writes, now)

    def _tidy(self, drops: bool) -> int | None:
        """Copy what is in the log into the file, as far as nobody reads it; before that drop old
        moves, if they are to go: how many are kept."""
        kept = self._transact(live.tidy) if drops else None
        try:
            _driver(self._connected()).execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            self._look_at(error)
            raise
        return kept

    def _has_tidied(self, kept: int | None, error: BaseException | None) -> None:
        if error is not None:
            # Nothing is lost: the log grows until it succeeds, and writes say what is wrong.
            log.warning("the journal could not be tidied: %s", error)
        elif kept is not None:
            self._upkeep.dropped(kept)

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._writer.connect()
        return self._connection

    def _look_at(self, error: DBAPIError | sqlite3.Error) -> None:
        if _is_fault(error):
            self._disconnect()  # the next transaction begins on a new connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._writer.dispose()

    def _backup(self, target: Path) -> int:
        self._check_ours()
        copy_file(self._path, target)
        return target.stat().st_size

    def _vacuum(self) -> tuple[int, int]:
        self._check_ours()
        self._take_lock()
        before = self._path.stat().st_size
        connection = self._writer.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute("VACUUM")
            # Into the file itself what the log of writing has.
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            cursor.close()
        finally:
            connection.close()
        return before, self._path.stat().st_size

    def _check_ours(self) -> None:
        """Raises ``DatabaseFault`` for what is no file, or another program's."""
        if not self._path.is_file():
            raise DatabaseFault(f"there is no database {self.name}: name one with --database")
        uri = f"{self._path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            (found,) = connection.execute("PRAGMA application_id").fetchone()
        if found != APPLICATION_ID:
            raise DatabaseFault(f"{self.name} is a database of another program: {_ELSEWHERE}")

    def _let_go(self) -> None:
        self._disconnect()
        self._lock.release()

    def _find_place(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            is_folder = self._path.is_dir()
        except (OSError, ValueError) as error:
            raise DatabaseFault(
                f"the folder {self._path.parent} cannot be made or used: {_ELSEWHERE}"
            ) from error
        if is_folder:
            raise DatabaseFault(f"{self._path} is a folder: name a file in it")

    def _take_lock(self) -> None:
        try:
            self._lock.acquire()
        except Timeout as error:
            raise DatabaseFault(
                f"another cantstop server uses {self.name}: stop it or {_ELSEWHERE}"
            ) from error
        except OSError as error:
            raise DatabaseFault(
                f"{self._lock.lock_file} cannot be made: make its folder writable, or {_ELSEWHERE}"
            ) from error

    def _as_told(self, error: BaseException) -> BaseException:
        if not isinstance(error, _DRIVER_ERRORS):
            return error
        explanation = self._explain(error)
        explanation.__cause__ = error
        return explanation

    def _explain(self, error: Exception) -> StorageError:
        fault = _FAULTS.get(_code(error))
        if fault is None:
            return StorageError(f"the database {self.name} did not take this: see the server's log")
        return DatabaseFault(f"the database {self.name} {fault}")


def _url(drivername: str, path: Path) -> URL:
    return URL.create(drivername, database=str(path))


def _code(error: Exception) -> int:
    """The primary result code (sqlite.org/rescode.html), 0 if the error is not SQLite's."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return int(getattr(cause, "sqlite_errorcode", 0)) & 0xFF


def _is_fault(error: DBAPIError | sqlite3.Error) -> bool:
    """Whether other data would have failed as well."""
    if isinstance(error, DBAPIError):
        return is_fault_of_the_database(error)
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def _begin_to_read(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _begin_to_write(connection: Connection) -> None:
    _driver(connection).execute(BEGIN)


def _driver(connection: Connection) -> sqlite3.Connection:
    driver = driver_of(connection)
    assert driver is not None
    return driver


def _set_up(
    engine: Engine, worker: Worker, busy_timeout: float, on_begin: Callable[[Connection], None]
) -> None:
    def on_connect(driver_connection: Any, _record: object) -> None:
        # The BEGINs are ours: the driver's own would leave changes of the schema outside.
        driver_connection.isolation_level = None
        # Who leaves in the midst of a long job is not held up by it: it fails, and is undone.
        driver_connection.set_progress_handler(lambda: worker.is_abandoned, _STEPS_BETWEEN)
        cursor = driver_connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {round(busy_timeout * 1000)}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()
        tune(driver_connection, _CHECKPOINT_PAGES)

    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", on_begin)


def _claim(connection: Connection, name: str) -> None:
    """Mark an empty file as ours. Raises ``StorageError`` if it is neither empty nor ours."""
    found = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    if found == APPLICATION_ID:
        return
    if found or connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one():
        raise DatabaseFault(f"{name} is a database of another program: {_ELSEWHERE}")
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


def _check(connection: Connection, name: str) -> None:
    """Look for damage before anything is built on it. Raises ``StorageError``."""
    if connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one() != "ok":
        raise DatabaseFault(f"the database {name} {_FAULTS[sqlite3.SQLITE_CORRUPT]}")


def _use_write_ahead_log(engine: Engine) -> None:
    """Switch the file to write-ahead logging, where readers and the writer do not wait.

    The switch needs the file for itself for a moment and does not heed the busy timeout. If
    others never leave it alone it stays as it is: slower, and as safe.
    """
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        for _ in range(_WAL_ATTEMPTS):
            try:
                cursor.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY:
                    raise
                time.sleep(_WAL_PAUSE)
        cursor.close()
    finally:
        connection.close()
