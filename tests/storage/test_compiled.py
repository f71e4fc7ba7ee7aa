"""Statements for SQLite's driver leave the rows that the same statements of SQLAlchemy leave."""

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from random import Random

import pytest
from played import random_game
from sqlalchemy import bindparam, create_engine, select
from sqlalchemy.ext.asyncio import create_async_engine

from cantstop_protocol.text import name_key
from cantstop_server.storage import live, players, recount
from cantstop_server.storage.compiled import Insertion, Question
from cantstop_server.storage.database import EngineDatabase
from cantstop_server.storage.migrate import migrate
from cantstop_server.storage.models import games, metadata

START = datetime.fromisoformat("2026-03-01T12:00:00+00:00")


@pytest.fixture
async def other_way(tmp_path):
    """The same kind of file, where all statements are SQLAlchemy's."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'other.db'}"
    opened = EngineDatabase(create_async_engine(url), "the database")
    await opened.prepare(partial(migrate, name=opened.name, keep_copy=opened.keep_copy))
    yield opened
    await opened.close()


def all_rows(file):
    with closing(sqlite3.connect(file)) as connection:
        return {
            table.name: sorted(connection.execute(f"SELECT * FROM {table.name}"), key=repr)
            for table in metadata.tables.values()
            if table.name != "server"
        }


async def test_a_game_leaves_the_same_rows_past_sqlalchemy(
    database, open_store, other_way, tmp_path, told
):
    store = await open_store(now=lambda: START)
    for name in ("Ann", "Bob", "Cyd", "Dan"):
        person = {"name": name, "key": name_key(name), "token_hash": b"t"}
        await store.identify(**person)
        await other_way.write(partial(players.identify, **person, now=START))
    random = Random(1)
    people = [(number, name) for number, name in enumerate(("Ann", "Bob", "Cyd", "Dan"), 1)]
    made = [
        random_game(random, number, people, START + timedelta(minutes=number // 3 * 3))
        for number in range(60)
    ]
    # Bots and people, alone and together, finished, given up and abandoned: all are among them.
    assert {len(game.seats) for game in made} == {1, 2, 3, 4}
    assert any(game.status == "abandoned" for game in made)
    assert any(seat.resigned for game in made for seat in game.seats)
    for _ in range(6):  # Some come late, and some twice.
        made.insert(random.randrange(60), made.pop(random.randrange(60)))
        made.append(random.choice(made))
    while made:
        group = [made.pop(0) for _ in range(min(len(made), random.choice((1, 1, 1, 5))))]
        writes = [told.write(game.id, game.id, None, archive=game) for game in group]
        for write in writes:
            store.journal.append(write)
        await store.journal.flush()
        await other_way.write(partial(live.store, writes=writes, now=START))
        assert told.failed == []
    assert await store.recomputed() == []
    assert await other_way.read(recount.recomputed) == []
    if database.endswith(".db"):
        assert all_rows(database) == all_rows(tmp_path / "other.db")
    assert (await store.examine()).faults == ()


@pytest.mark.parametrize("count", [0, 1, 3, 7, 8, 9, 30])
def test_any_number_of_rows_is_written(file, count):
    engine = create_engine(f"sqlite:///{file}")
    metadata.create_all(engine)
    rows = [
        (f"g{n:02}", "finished", 2, 3, n % 2 == 0, 0, "", START, START, None, 5, True, None, None)
        for n in range(count)
    ]
    asked = Question(
        select(games.c.id).where(games.c.ended_at <= bindparam("end"), games.c.turns == 5), "end"
    )
    with engine.begin() as connection:
        assert Insertion(games).write(connection, rows) >= 0
        assert [row[0] for row in asked.ask(connection, START)] == [row[0] for row in rows]
        assert asked.ask(connection, START - timedelta(seconds=1)) == []
        found = [tuple(row) for row in connection.execute(select(games).order_by(games.c.id))]
        assert found == rows
        if rows:
            assert Insertion(games, "kept").write(connection, rows[:1]) == 0
            assert Insertion(games, "kept").write(connection, [("new", *rows[0][1:])]) == 1
    engine.dispose()


def test_a_time_without_a_zone_is_refused(file):
    asked = Question(select(games.c.id).where(games.c.ended_at <= bindparam("end")), "end")
    engine = create_engine(f"sqlite:///{file}")
    metadata.create_all(engine)
    with engine.begin() as connection, pytest.raises(ValueError, match="needs a time zone"):
        asked.ask(connection, START.replace(tzinfo=None))
    engine.dispose()
