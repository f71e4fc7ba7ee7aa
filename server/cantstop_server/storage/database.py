"""A database as something that runs transactions, and says in plain words why it cannot."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
    SQLAlchemyError,
)
from sqlalchemy.ext.asyncio import AsyncEngine

from cantstop_server.storage import live
from cantstop_server.storage.errors import DatabaseFault, StorageError
from cantstop_server.storage.journal import RoomWrite, Stored
from cantstop_server.storage.upkeep import Upkeep

log = logging.getLogger(__name__)

T = TypeVar("T")

_FAULTS_OF_THE_DATA = (
    DataError,
    IntegrityError,
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
)


class Database(ABC):
    """Transactions; ``name`` is what people know the database by.

    Work is a synchronous function on a connection, run in one transaction: all or nothing.
    Everything here raises ``StorageError``; what the work itself raises passes.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._closed = False

    async def prepare(self, work: Callable[[Connection], T]) -> T:
        """Open the database; the work brings its schema up to date."""
        return await self.write(work)

    @abstractmethod
    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads."""

    async def read_as_of_now(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads, and sees nothing of what is written meanwhile."""
        return await self.read(work)

    @abstractmethod
    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work that writes; it is durable when this returns."""

    @abstractmethod
    def store(self, writes: Sequence[RoomWrite], now: datetime, stored: Stored) -> None:
        """Write a group of the journal in one transaction."""

    def damage(self, connection: Connection) -> list[str]:
        """What is broken beneath the rows, a line each, as far as this database can tell."""
        return []

    @abstractmethod
    def check_unserved(self, connection: Connection) -> None:
        """Raises ``DatabaseFault`` if another process is known to serve this database."""

    def keep_copy(self, connection: Connection, upgrade: str) -> str:
        """Keep all that there is before its schema changes to ``upgrade``, and say where.

        The copy is made of what others have written; nothing of it is left if the transaction
        fails. Here it is tables beside the others.
        """
        there = inspect(connection).get_table_names()
        free = (f"before_{upgrade}{n}_" for n in ("", *(f"_{n}" for n in range(2, len(there) + 3))))
        prefix = next(p for p in free if not any(table.startswith(p) for table in there))
        for table in there:
            if not table.startswith("before_"):
                quote = connection.dialect.identifier_preparer.quote
                connection.execute(
                    text(f"CREATE TABLE {quote(prefix + table)} AS SELECT * FROM {quote(table)}")
                )
        return f"the tables {prefix}* in it"

    async def backup(self, target: Path) -> int:
        """Copy everything to a file that is not there yet, as it is in one instant: its bytes."""
        raise StorageError(
            f"{self.name} is no file: copy it with the tools of its own server, such as pg_dump"
        )

    async def vacuum(self) -> tuple[int, int]:
        """Give unused space back: the bytes before and after, 0 if nobody knows."""
        raise StorageError(f"{self.name} is no file: its own server tidies it up")

    async def close(self) -> None:
        """Let go of every connection. Twice is harmless."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise StorageError(f"the database {self.name} is closed")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, OSError) as error:
            raise self._explain(error) from self._cause(error)

    def _cause(self, error: Exception) -> Exception:
        """What the log may have of an error: nothing of what was to be stored."""
        return error

    def _explain(self, error: Exception) -> StorageError:
        if isinstance(error, SQLAlchemyError) and not is_fault_of_the_database(error):
            return StorageError(f"the database {self.name} did not take this: see the server's log")
        return DatabaseFault(
            f"the database {self.name} does not answer:"
            " check that its server is running and takes this user and password"
        )


class EngineDatabase(Database):
    """Transactions on an SQLAlchemy engine, whatever asyncio driver it has.

    Nobody knows here whether another process serves it.
    """

    def __init__(self, engine: AsyncEngine, name: str) -> None:
        super().__init__(name)
        self._engine = engine
        self._storing: asyncio.Task[None] | None = None  # kept, or it might not live to its end
        self._upkeep = Upkeep()

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads."""
        self._check_open()
        with self._explained():
            async with self._engine.connect() as connection:
                return await connection.run_sync(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work that writes; it is durable when this returns."""
        self._check_open()
        with self._explained():
            async with self._engine.begin() as connection:
                return await connection.run_sync(work)

    def store(self, writes: Sequence[RoomWrite], now: datetime, stored: Stored) -> None:
        """Write a group of the journal in one transaction."""
        self._storing = asyncio.create_task(self._store(writes, now, stored))

    def check_unserved(self, connection: Connection) -> None:
        """Raises nothing."""

    async def close(self) -> None:
        """Let go of every connection. Twice is harmless."""
        await super().close()
        await self._engine.dispose()

    async def _store(self, writes: Sequence[RoomWrite], now: datetime, stored: Stored) -> None:
        error: BaseException | None = None
        try:
            await self.write(partial(live.store, writes=writes, now=now))
            if self._upkeep.is_due(len(writes)):
                await self._tidy()
        except Exception as caught:  # noqa: BLE001 - it is told
            error = caught
        stored(error)

    async def _tidy(self) -> None:
        """Drop old moves. If that fails nothing is lost, and it is tried again later."""
        if self._upkeep.drops:
            try:
                self._upkeep.dropped(await self.write(live.tidy))
            except StorageError as error:
                log.warning("the journal could not be tidied: %s", error)


def is_fault_of_the_database(error: SQLAlchemyError) -> bool:
    """Whether other data would have failed as well."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or not isinstance(error, _FAULTS_OF_THE_DATA)
