"""A database as something that runs transactions, and says in plain words why it cannot."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection
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

T = TypeVar("T")

_FAULTS_OF_THE_DATA = (
    DataError,
    IntegrityError,
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
)


class Database:
    """Transactions on an SQLAlchemy engine; ``name`` is what people know the database by.

    Work is a synchronous function on a connection, run in one transaction: all or nothing.
    Everything here raises ``StorageError``; what the work itself raises passes.
    """

    def __init__(self, engine: AsyncEngine, name: str) -> None:
        self.name = name
        self._engine = engine
        self._closed = False
        self._storing: asyncio.Task[None] | None = None  # kept, or it might not live to its end

    async def prepare(self, work: Callable[[Connection], T]) -> T:
        """Open the database; the work brings its schema up to date."""
        return await self.write(work)

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

    async def close(self) -> None:
        """Let go of every connection. Twice is harmless."""
        self._closed = True
        await self._engine.dispose()

    async def _store(self, writes: Sequence[RoomWrite], now: datetime, stored: Stored) -> None:
        error: BaseException | None = None
        try:
            await self.write(partial(live.store, writes=writes, now=now))
        except Exception as caught:  # noqa: BLE001 - it is told
            error = caught
        stored(error)

    def _check_open(self) -> None:
        if self._closed:
            raise StorageError(f"the database {self.name} is closed")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, OSError) as error:
            raise self._explain(error) from error

    def _explain(self, error: Exception) -> StorageError:
        if isinstance(error, SQLAlchemyError) and not is_fault_of_the_database(error):
            return StorageError(f"the database {self.name} did not take this: see the server's log")
        return DatabaseFault(
            f"the database {self.name} does not answer:"
            " check that its server is running and takes this user and password"
        )


def is_fault_of_the_database(error: SQLAlchemyError) -> bool:
    """Whether other data would have failed as well."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or not isinstance(error, _FAULTS_OF_THE_DATA)
