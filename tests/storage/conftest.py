"""What the storage tests share: files, stores that get closed, writes, games, sabotage."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from databases import SERVER, new_database
from sqlalchemy import Connection, Engine, event

from cantstop_protocol.text import name_key
from cantstop_server.rules.setup import Setup
from cantstop_server.storage.errors import StorageError
from cantstop_server.storage.journal import RoomWrite
from cantstop_server.storage.sqlite import SqliteDatabase
from cantstop_server.storage.store import Store
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat

collect_ignore = [] if SERVER else ["test_postgres.py"]

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What needs just a database runs on each kind that there is."""
    if "kind_of_database" in metafunc.fixturenames:
        for_files_only = {"file", "at_begin", "sicken"} & {*metafunc.fixturenames}
        kinds = ["sqlite", "postgres"] if SERVER and not for_files_only else ["sqlite"]
        metafunc.parametrize("kind_of_database", kinds)


@pytest.fixture
async def database(kind_of_database: str, tmp_path: Path) -> AsyncIterator[str]:
    """What to open: a new database."""
    if kind_of_database == "sqlite":
        yield str(tmp_path / "games.db")
        return
    async with new_database() as url:
        yield url


@pytest.fixture
async def open_store(database: str) -> AsyncIterator[Callable[..., Awaitable[Store]]]:
    opened: list[Store] = []

    async def open_it(database: Path | str = database, **options: Any) -> Store:
        store = await Store.open(str(database), **options)
        opened.append(store)
        return store

    yield open_it
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: Callable[..., Awaitable[Store]]) -> Store:
    return await open_store()


@dataclass
class Told:
    """Makes writes, and keeps what became of them, in the order in which it was told."""

    outcomes: list[tuple[str, StorageError | None]] = field(default_factory=list)
    on_error: Callable[[str], None] | None = None

    def write(
        self,
        label: str,
        room: str = "ROOM",
        state: bytes | None = b"state",
        events: tuple[tuple[int, bytes], ...] = (),
        *,
        scope: str = "host",
        forget_through: int = 0,
        archive: ArchivedGame | None = None,
    ) -> RoomWrite:
        def done(error: StorageError | None) -> None:
            self.outcomes.append((label, error))
            if error is not None and self.on_error is not None:
                self.on_error(label)

        return RoomWrite(scope, room, state, events, forget_through, archive, done)

    @property
    def durable(self) -> list[str]:
        return [label for label, error in self.outcomes if error is None]

    @property
    def failed(self) -> list[str]:
        return [label for label, error in self.outcomes if error is not None]

    @property
    def errors(self) -> list[str]:
        return [str(error) for _, error in self.outcomes if error is not None]


@pytest.fixture
def told() -> Told:
    return Told()


def person(player: int, name: str = "Ann", columns: int = 0, resigned: bool = False) -> Any:
    return ArchivedSeat(name, player, None, columns, resigned)


def bot(kind: str, columns: int = 0) -> ArchivedSeat:
    return ArchivedSeat(f"{kind} the bot", None, kind, columns, False)


@pytest.fixture
def archive(store: Any, told: Told) -> Callable[..., Awaitable[None]]:
    """Archives games as a server does, and fails if one is not taken."""

    async def add(*games: ArchivedGame) -> None:
        for game in games:
            store.journal.append(told.write(game.id, room=game.id, state=None, archive=game))
        await store.journal.flush()
        assert told.failed == []

    return add


@pytest.fixture
async def people(store: Any) -> list[tuple[int, str]]:
    """Three who are registered, with their numbers."""
    names = ("Ann", "Bob", "Cyd")
    return [((await store.identify(name, name_key(name), b"t")).player, name) for name in names]


@pytest.fixture
def make_game() -> Callable[..., ArchivedGame]:
    def make(
        game_id: str,
        *seats: ArchivedSeat,
        winner: int | None = 0,
        status: Literal["finished", "abandoned"] = "finished",
        minute: int = 10,
    ) -> ArchivedGame:
        return ArchivedGame(
            id=game_id,
            status=status,
            setup=Setup(len(seats), 3, keep_dead_markers=True, first=len(seats) - 1),
            course="3456b1126a.",
            started_at=START,
            ended_at=START + timedelta(minutes=minute),
            winner=winner,
            turns=17,
            seats=seats,
            rated=False,
            turn_ends=(12.5, 600.0),
            proof="the dice",
        )

    return make


@pytest.fixture
def seat_person() -> Callable[..., ArchivedSeat]:
    return person


@pytest.fixture
def seat_bot() -> Callable[..., ArchivedSeat]:
    return bot


@pytest.fixture
def sicken(store: Store) -> Callable[[str], None]:
    """Have a statement run on the writer's connection before anything that is written from now on.

    A connection that has failed is replaced by a healthy one.
    """
    database = store._database
    assert isinstance(database, SqliteDatabase)

    def run(statement: str) -> None:
        job = partial(database._transact, lambda connection: connection.exec_driver_sql(statement))
        database._worker.submit(job, lambda result, error: None)

    return run


@pytest.fixture
def at_begin() -> Iterator[list[str]]:
    """Statements that every transaction of SQLAlchemy begins with, for as long as listed."""
    statements: list[str] = []

    def run(connection: Connection) -> None:
        for statement in statements:
            connection.exec_driver_sql(statement)

    event.listen(Engine, "begin", run)
    yield statements
    event.remove(Engine, "begin", run)
