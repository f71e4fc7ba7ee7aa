"""What ``cantstop db check`` looks at, on every kind of database."""

import asyncio

import pytest
from first_release import make_first_release
from many_games import fill_games
from sqlalchemy import text

from cantstop_server.storage.check import MOST_TOLD
from cantstop_server.storage.connect import connect
from cantstop_server.storage.entries import reassign
from cantstop_server.storage.history import HistoryQuery
from cantstop_server.storage.store import Store


@pytest.fixture
async def upgraded(database, open_store) -> Store:
    await make_first_release(database)
    return await open_store(copy=False)


@pytest.fixture
def change(database):
    async def run(*statements: str) -> None:
        opened = connect(database, exclusive=False, busy_timeout=5.0)
        for statement in statements:
            await opened.write(lambda connection: connection.execute(text(statement)))  # noqa: B023
        await opened.close()

    return run


async def test_a_sound_database_has_no_faults(upgraded):
    done = []
    found = await upgraded.examine(lambda games, whole: done.append((games, whole)))
    assert (found.games, found.faults) == (7, ())
    assert done == [(n, 7) for n in range(1, 8)]


async def test_a_new_database_has_none(store):
    assert (await store.examine()).faults == ()


@pytest.mark.parametrize(
    ("statement", "faults"),
    [
        (
            "UPDATE games SET winner = 1 - winner WHERE id = 'g1'",
            ["game g1: seat", "player Ann", "g1:"],
        ),
        ("UPDATE games SET turns = 99 WHERE id = 'g4'", ["game g4: it is said to have 99 turns"]),
        (
            "UPDATE games SET course = substr(course, 1, length(course) - 1) WHERE id = 'g2'",
            ["game g2: it is finished, but its course is not at an end"],
        ),
        ("UPDATE games SET course = '!' || course WHERE id = 'g2'", ["game g2: no action at '!"]),
        ("UPDATE games SET course = 'a' || course WHERE id = 'g2'", ["game g2: action 1, 'a':"]),
        (
            "UPDATE game_seats SET columns = 4 WHERE game_id = 'g3' AND seat = 2",
            ["g3: the col"],
        ),
        ("UPDATE games SET winner = 0 WHERE id = 'g3'", ["game g3: it was abandoned, and has a w"]),
        (
            "UPDATE games SET seats = 9 WHERE id = 'g1'",
            ["g1: a game has 1 to 4"],
        ),
        (
            "DELETE FROM game_seats WHERE game_id = 'g5'",
            [
                "game g5: it has 0 players at 1 seats",
                "records of player Ann, seats 1",
                "solitaire of player Ann",
                "g5: the",
            ],
        ),
        (
            "UPDATE records SET wins = wins + 1 WHERE player_id = 4 AND against = 'all'",
            ["records of player Straße, seats 2, against all: stored"],
        ),
        ("DELETE FROM solitaire", ["solitaire of player Ann, target 2: stored None"]),
        (
            "DELETE FROM history WHERE player_id = 1 AND game_id = 'g5'",
            ["game g5: the index of history has an entry too few for player 1"],
        ),
        (
            "UPDATE history SET outcome = 'lost' WHERE player_id = 0 AND game_id = 'g5'",
            ["game g5: the index of history has an entry too", "game g5: the index of history has"],
        ),
    ],
)
async def test_what_is_wrong_is_named(upgraded, change, statement, faults):
    await change(statement)
    found = (await upgraded.examine()).faults
    assert len(found) >= len(faults)
    for fault in faults:
        assert any(fault in line for line in found), (fault, found)


async def test_the_index_follows_games_that_another_person_gets(upgraded, change, database):
    # Straße has sat in games with Ann and keller, but never with Bob.
    await change("UPDATE game_seats SET player_id = 2 WHERE player_id = 4")
    assert any("index of history" in fault for fault in (await upgraded.examine()).faults)
    opened = connect(database, exclusive=False, busy_timeout=5.0)
    await opened.write(lambda connection: reassign(connection, 4, 2))
    await opened.close()
    faults = (await upgraded.examine()).faults
    assert not any("index of history" in fault for fault in faults)
    page = await upgraded.history_page(HistoryQuery(player="Bob", opponent="keller"))
    assert {game.id for game in page.games} == {"g3", "g4", "g6"}


async def test_it_does_not_list_every_one_of_many(upgraded, change):
    await change("DELETE FROM history")
    found = (await upgraded.examine()).faults
    assert len(found) == MOST_TOLD + 1
    assert found[-1].startswith("… and ")


async def test_a_row_that_refers_to_nothing_is_found(file, open_store, upgraded):
    await upgraded.close()
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE game_seats SET player_id = 77 WHERE game_id = 'g6'")
    found = await (await open_store()).examine()
    assert any("refers to a row of players that is not there" in line for line in found.faults)


async def test_who_leaves_in_the_midst_of_it_is_not_held_up_to_its_end(database, open_store):
    await fill_games(database, 2000)
    store, replayed = await open_store(), []
    loop, begun = asyncio.get_running_loop(), asyncio.Event()

    def progress(done: int, total: int) -> None:
        replayed.append(done)
        loop.call_soon_threadsafe(begun.set)

    leaving = asyncio.create_task(store.examine(progress))
    await begun.wait()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    await store.close()
    assert len(replayed) < 2000
    assert (await (await open_store()).examine()).faults == ()
