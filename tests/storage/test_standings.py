"""Records, habits, streaks and ratings: counted as games end, they are what a recount gives."""

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from longrun import length, seeded
from played import random_game
from sqlalchemy import create_engine

from cantstop_protocol.text import name_key
from cantstop_server.rules.setup import Setup
from cantstop_server.storage import recount, standings
from cantstop_server.storage.archive import add
from cantstop_server.storage.sqlite import APPLICATION_ID
from cantstop_server.storage.store import Store

TABLES = (
    "records",
    "solitaire",
    "habits",
    "column_claims",
    "runner_sets",
    "head_to_head",
    "streaks",
    "ratings",
    "rating_history",
)
START = datetime.fromisoformat("2026-03-01T12:00:00+00:00")


def rows(file: Path, *tables: str) -> dict[str, list[tuple[object, ...]]]:
    """What the tables hold, players by name: their numbers depend on who came first."""
    with closing(sqlite3.connect(file)) as connection:
        names = dict(connection.execute("SELECT id, name FROM players"))
        found = {}
        for table in tables or TABLES:
            cursor = connection.execute(f"SELECT * FROM {table}")
            whose = [i for i, d in enumerate(cursor.description) if d[0].endswith("er_id")]
            whose += [i for i, d in enumerate(cursor.description) if d[0] == "opponent_id"]
            found[table] = sorted(
                tuple(names[v] if i in whose else v for i, v in enumerate(row)) for row in cursor
            )
    return found


def some_games(people, count):
    random = seeded()
    return [
        # Some end in the same instant.
        random_game(random, number, people, START + timedelta(minutes=number // 3 * 3))
        for number in range(count)
    ]


async def test_running_values_are_what_a_recount_gives(store, archive, people, file):
    await archive(*some_games(people, length(60, 2000)))
    found = rows(file)
    assert all(found[table] for table in TABLES), "every table has something to compare"
    assert await store.recomputed() == []


async def test_the_order_of_arrival_changes_nothing(file, people, archive, open_store, told):
    games = some_games(people, length(40, 400))
    await archive(*games)
    in_order = rows(file)
    late = file.with_name("late.db")
    other = await open_store(late)
    for player, name in people:
        assert (await other.identify(name, name_key(name), b"t")).player == player
    shuffled = list(games)
    seeded().shuffle(shuffled)
    for game in shuffled:
        other.journal.append(told.write(game.id, room=game.id, state=None, archive=game))
        if game.seats[0].bot is None:
            await other.journal.flush()
    await other.journal.flush()
    assert rows(late) == in_order
    assert await other.recomputed() == []


async def test_a_difference_is_told(store, archive, people, file):
    await archive(*some_games(people, 30))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE ratings SET mu = mu + 1 WHERE player_id = 1")
        connection.execute(
            "UPDATE records SET wins = wins + 1 WHERE player_id = 2 AND against = 'all'"
        )
        connection.execute("DELETE FROM streaks WHERE player_id = 3")
    told = " / ".join(await store.recomputed())
    name = dict(people)
    assert f"ratings of player {name[1]}: stored" in told
    assert re.search(rf"records of player {name[2]}, seats \d, against all: stored", told)
    assert f"streaks of player {name[3]}: stored None" in told


@pytest.mark.parametrize("how", ["abandoned", "casual", "solitaire", "nobody", "twice the same"])
async def test_what_changes_no_rating(
    store, archive, people, file, make_game, seat_person, seat_bot, how
):
    ann, bob = (seat_person(player, name) for player, name in people[:2])
    keller = seat_bot("keller")
    await archive(replace(make_game("1", ann, bob), rated=True))
    before = rows(file, "ratings", "rating_history")
    assert len(before["ratings"]) == 2
    games = {
        "abandoned": replace(make_game("2", ann, bob, winner=None, status="abandoned"), rated=True),
        "casual": make_game("2", ann, bob),
        "solitaire": replace(make_game("2", ann), rated=True),
        "nobody": replace(make_game("2", ann, winner=None), rated=True),
        "twice the same": replace(make_game("2", ann, keller, keller), rated=True),
    }
    await archive(games[how])
    assert rows(file, "ratings", "rating_history") == before
    assert await store.recomputed() == []


async def test_an_abandoned_game_changes_nothing_at_all(
    archive, people, file, make_game, seat_person
):
    ann, bob = (seat_person(player, name) for player, name in people[:2])
    await archive(make_game("1", ann, bob))
    before = rows(file)
    await archive(replace(make_game("2", ann, bob, winner=None, status="abandoned"), rated=True))
    assert rows(file) == before


async def test_the_winner_comes_first_and_the_others_by_their_columns(
    archive, people, file, make_game, seat_person
):
    ann, bob, cyd = (seat_person(*who, columns=c) for who, c in zip(people, (1, 3, 0), strict=True))
    await archive(replace(make_game("1", ann, bob, cyd, winner=1), rated=True))
    mu = {name: mu for name, _, mu, _, _ in rows(file, "ratings")["ratings"]}
    assert mu["Bob"] > mu["Ann"] > mu["Cyd"]


async def test_who_resigns_comes_after_who_stays(archive, people, file, make_game, seat_person):
    ann, bob, cyd = (seat_person(*who) for who in people)
    ann = replace(ann, columns=2, resigned=True)
    await archive(replace(make_game("1", ann, bob, cyd, winner=2), rated=True))
    mu = {name: mu for name, _, mu, _, _ in rows(file, "ratings")["ratings"]}
    assert mu["Cyd"] > mu["Bob"] > mu["Ann"]


async def test_streaks_follow_the_results(archive, people, file, make_game, seat_person):
    ann, bob = (seat_person(player, name) for player, name in people[:2])
    for number, winner in enumerate([0, 0, 0, 1, 1, 0]):
        await archive(make_game(f"{number}", ann, bob, winner=winner, minute=number))
    assert rows(file, "streaks")["streaks"] == [("Ann", 1, 3, 2), ("Bob", -1, 2, 3)]


async def test_a_course_that_cannot_be_replayed_still_counts(
    store, archive, people, file, make_game, seat_person
):
    ann, bob = (seat_person(player, name) for player, name in people[:2])
    await archive(replace(make_game("1", ann, bob), course="1111z"))
    assert rows(file, "habits")["habits"] == []
    assert [record.games for record in await store.records("Ann")] == [1]
    assert await store.recomputed() == []


async def test_habits_of_a_game_that_is_known_step_by_step(
    archive, people, file, make_game, seat_person
):
    ann, bob = (seat_person(player, name) for player, name in people[:2])
    # Ann: 6 and 10 twice, then stops; Bob: 2 and 12, 7 and 7, then 3-3-3-3 moves nothing.
    course = "3535a" + "3535a." + "1166a" + "3434b" + "3333"
    game = replace(make_game("1", ann, bob), course=course, setup=Setup(2, 3))
    await archive(game)
    found = {name: sums for name, *sums in rows(file, "habits")["habits"]}
    turns, stops, busts, rolls, kept, lost, finishes, _, expected, *_ = found["Ann"]
    assert (turns, stops, busts, rolls, kept, lost, finishes) == (1, 1, 0, 2, 4, 0, 0)
    assert expected == 0, "with a free runner and nothing claimed no roll busts"
    turns, stops, busts, rolls, kept, lost, finishes, _, expected, *_ = found["Bob"]
    assert (turns, stops, busts, rolls, lost) == (1, 0, 1, 3, 4)
    sets = {
        (name, runners): counts
        for name, runners, *counts in rows(file, "runner_sets")["runner_sets"]
    }
    assert sets["Bob", 1 << 2 | 1 << 7 | 1 << 12] == [1, 1]


async def test_games_of_the_first_schema_are_counted_when_it_is_upgraded(
    store, archive, people, file, tmp_path, open_store
):
    await archive(*[replace(game, rated=True) for game in some_games(people, 30)])
    expected = rows(file)
    await store.close()
    old = tmp_path / "old.db"
    engine = create_engine(f"sqlite:///{old}")
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "cantstop_migrations:")
        command.upgrade(config, "0001")
    engine.dispose()
    with closing(sqlite3.connect(old)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("ATTACH ? AS new", (str(file),))
        for table in ("players", "games", "game_seats", "records", "solitaire"):
            names = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
            listed = ", ".join(f'"{name}"' for name in names)
            connection.execute(
                f"INSERT INTO main.{table} ({listed}) SELECT {listed} FROM new.{table}"
            )
        connection.commit()
    upgraded = await open_store(old)
    assert await upgraded.recomputed() == []
    assert rows(old) == expected


async def test_many_games_are_counted_together_where_that_is_wanted(
    store, archive, people, file, tmp_path
):
    games = some_games(people, 30)
    await archive(*games)
    other = tmp_path / "imported.db"
    imported = await Store.open(str(other))
    try:
        for player, name in people:
            assert (await imported.identify(name, name_key(name), b"t")).player == player
        engine = create_engine(f"sqlite:///{other}")
        with engine.begin() as connection:
            standings.note(connection, None)
            for game in reversed(games):
                add(connection, game)
            recount.settle(connection)
        engine.dispose()
        assert await imported.recomputed() == []
    finally:
        await imported.close()
    assert rows(other) == rows(file)
