"""A database that is no SQLite file of ours: whatever SQLAlchemy has an asyncio driver for."""

from functools import partial

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from cantstop_server.storage import history, live, players, records
from cantstop_server.storage.database import EngineDatabase
from cantstop_server.storage.errors import DatabaseFault, NameTaken, StorageError
from cantstop_server.storage.history import HistoryQuery
from cantstop_server.storage.migrate import migrate


@pytest.fixture
async def database(file):
    opened = EngineDatabase(create_async_engine(f"sqlite+aiosqlite:///{file}"), "the database")
    yield opened
    await opened.close()


async def test_any_asyncio_driver_will_do(database, told, make_game, seat_bot, seat_person):
    game = make_game("g", seat_person(1), seat_bot("keller"))
    now = game.ended_at
    await database.prepare(partial(migrate, name=database.name, keep_copy=database.keep_copy))
    await database.prepare(partial(migrate, name=database.name, keep_copy=database.keep_copy))
    register = partial(players.identify, name="Ann", key="ann", now=now)
    ann = await database.write(partial(register, token_hash=b"t"))
    with pytest.raises(NameTaken):
        await database.write(partial(register, token_hash=b"o"))
    writes = [told.write("a", events=((1, b"e"),)), told.write("b", "G", None, archive=game)]
    await database.write(partial(live.store, writes=writes, now=now))
    (room,) = await database.read(partial(live.load, scope="host"))
    assert room.events == ((1, b"e"),)
    of_ann = partial(history.page, query=HistoryQuery(player="ann"), limit=5, after=None)
    assert (await database.read(of_ann)).games == (game,)
    record, other = await database.read(partial(records.load, name=None))
    assert ann.player == 1
    assert (record.name, record.wins, other.bot) == ("Ann", 1, "keller")


async def test_faults_of_the_database_and_of_the_data_are_told_apart(database, told, make_game):
    writes = [told.write("a")]
    now = make_game("g").ended_at
    with pytest.raises(DatabaseFault, match="does not answer"):  # it has no tables yet
        await database.write(partial(live.store, writes=writes, now=now))
    await database.prepare(partial(migrate, name=database.name, keep_copy=database.keep_copy))
    twice = [told.write("a", events=((1, b"e"), (1, b"e")))]
    with pytest.raises(StorageError, match="did not take this") as caught:
        await database.write(partial(live.store, writes=twice, now=now))
    assert not isinstance(caught.value, DatabaseFault)
