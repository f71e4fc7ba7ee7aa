"""Everything that is so for PostgreSQL only: its locks, connections and error codes."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from cantstop_server.storage.database import EngineDatabase
from cantstop_server.storage.errors import DatabaseFault, StorageError
from cantstop_server.storage.models import metadata

T = TypeVar("T")

_LOCKS: Final = 0x43616E74
"""Our advisory locks in a database ("Cant"), told from other programs' by this first number."""
_WRITING: Final = 1
_SERVING: Final = 2

_LOCK_NOT_AVAILABLE: Final = "55P03"
_OTHER: Final = "give --database another database"
_SERVED: Final = f"another cantstop server uses {{}}: stop it or {_OTHER}"

_FAULTS: Final = {
    "28": "does not take this user or password: put the right ones into its URL",
    "3D000": f"does not exist on its server: make it with `createdb`, or {_OTHER}",
    "25006": f"is read-only: make it writable, or {_OTHER}",
    "42501": f"may not be changed by this user: let the user own it, or {_OTHER}",
    "42P07": f"has tables of another program: {_OTHER}",
    "53100": "cannot grow, the disk is full: make room, then try again",
    "53300": "takes no more connections: close some, or let its server take more",
    "53": "lacks resources: look at the log of its server",
    "57": "is just starting, stopping or busy elsewhere: try again",
    _LOCK_NOT_AVAILABLE: "is locked by another program: stop that one, then try again",
}
"""By SQLSTATE, or the class it begins with."""

_OF_THE_DATA: Final = ("22", "23")
_DOES_NOT_ANSWER: Final = (
    "does not answer: check that its server is running and takes this user and password"
)


class PostgresDatabase(EngineDatabase):
    """A PostgreSQL database.

    One transaction writes at a time, as in a SQLite file, whichever process it is of: so what was
    read before a write still holds, and nobody who registers, counts or migrates can be in each
    other's way. All writes of ours go over one connection, which also holds the lock of an
    ``exclusive`` opening: a server that loses it can write no more before it has the lock again.
    """

    def __init__(self, url: URL, name: str, *, exclusive: bool, busy_timeout: float) -> None:
        super().__init__(create_async_engine(url, **_options()), name)
        self._exclusive = exclusive
        wait = str(max(1, round(busy_timeout * 1000)))
        self._writer = create_async_engine(
            url, **_options(lock_timeout=wait), pool_size=1, max_overflow=0
        )
        if exclusive:
            event.listen(self._writer.sync_engine, "connect", self._take_lock)

    async def read_as_of_now(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads, and sees nothing of what is written meanwhile."""
        self._check_open()
        with self._explained():
            async with self._engine.connect() as connection:
                await connection.execution_options(isolation_level="REPEATABLE READ")
                return await connection.run_sync(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work that writes; it is durable when this returns."""
        self._check_open()
        with self._explained():
            async with self._writer.begin() as connection:
                return await connection.run_sync(_alone, work)

    async def backup(self, target: Path) -> int:
        """Raises ``StorageError``: PostgreSQL has a tool of its own for this."""
        url = self._engine.url.set(drivername="postgresql").render_as_string(hide_password=True)
        raise StorageError(
            "PostgreSQL copies a database itself, also while a server runs:"
            f" pg_dump --format=custom --file={shlex.quote(str(target))} {shlex.quote(url)}"
        )

    async def vacuum(self) -> tuple[int, int]:
        """Let PostgreSQL tidy up; a server may run meanwhile. The bytes before and after."""
        size = text("SELECT pg_database_size(current_database())")
        self._check_open()
        with self._explained():
            async with self._engine.connect() as connection:
                await connection.execution_options(isolation_level="AUTOCOMMIT")
                before = (await connection.execute(size)).scalar_one()
                tables = ", ".join(table.name for table in metadata.sorted_tables)
                await connection.execute(text(f"VACUUM (ANALYZE) {tables}"))
                return before, (await connection.execute(size)).scalar_one()

    async def close(self) -> None:
        """Let go of every connection, and of the lock. Twice is harmless."""
        await super().close()
        await self._writer.dispose()

    def check_unserved(self, connection: Connection) -> None:
        """Raises ``DatabaseFault`` if another process has opened the database ``exclusive``ly."""
        lock = text(f"SELECT pg_try_advisory_xact_lock({_LOCKS}, {_SERVING})")
        if not self._exclusive and not connection.scalar(lock):
            raise DatabaseFault(_SERVED.format(self.name))

    def _take_lock(self, driver_connection: Any, _record: object) -> None:
        cursor = driver_connection.cursor()
        try:
            cursor.execute(f"SELECT pg_advisory_lock({_LOCKS}, {_SERVING})")
            driver_connection.commit()  # the lock is the session's, and outlives this
        except Exception as error:
            driver_connection.close()
            if getattr(error, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                raise DatabaseFault(_SERVED.format(self.name)) from error
            raise
        finally:
            cursor.close()

    def _cause(self, error: Exception) -> Exception:
        """The driver's texts have values in them: only which error it was, and in what."""
        if not isinstance(error, DBAPIError):
            return error
        kind = type(getattr(error.orig, "__cause__", None) or error.orig).__name__
        state = getattr(error.orig, "sqlstate", None) or "none"
        return RuntimeError(f"{kind}, SQLSTATE {state}, in: {error.statement}")

    def _explain(self, error: Exception) -> StorageError:
        if isinstance(error, DBAPIError):
            state = getattr(error.orig, "sqlstate", None) or ""
            if not error.connection_invalidated and (not state or state[:2] in _OF_THE_DATA):
                return StorageError(
                    f"the database {self.name} did not take this: see the server's log"
                )
            fault = _FAULTS.get(state) or _FAULTS.get(state[:2]) or _DOES_NOT_ANSWER
            return DatabaseFault(f"the database {self.name} {fault}")
        return DatabaseFault(f"the database {self.name} {_DOES_NOT_ANSWER}")


def _options(**settings: str) -> dict[str, Any]:
    """Of both engines. A peer that is gone without a word is noticed, and its locks with it."""
    noticed = {"tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10"}
    return {
        "hide_parameters": True,
        "pool_pre_ping": True,
        "connect_args": {
            "timeout": 10,
            "server_settings": {"application_name": "cantstop", **noticed, **settings},
        },
    }


def _alone(connection: Connection, work: Callable[[Connection], T]) -> T:
    """Run the work once no other process of ours writes; until the end of the transaction."""
    connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCKS}, {_WRITING})"))
    return work(connection)
