"""The journal: order, groups, durability, and a database that does not do its part."""

import asyncio
import re
import sqlite3
from contextlib import closing, contextmanager

import pytest

from cantstop_server.storage.errors import StorageError


def rows(file, sql):
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(sql).fetchall()


@contextmanager
def locked(file):
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.fixture
def groups(store):
    """How many writes each transaction had."""
    sizes = []
    store.journal.on_group = lambda writes, seconds, error: sizes.append(writes)
    return sizes


async def test_a_write_is_in_the_file_when_its_owner_hears_of_it(file, store, told):
    seen = []
    write = told.write("a", state=b"s1", events=((1, b"e1"), (2, b"e2")))

    def look(error):
        seen.extend(rows(file, "SELECT scope, room, state FROM live_rooms"))
        write.done(error)

    store.journal.append(write._replace(done=look))
    assert told.outcomes == []
    await store.journal.flush()
    assert told.outcomes == [("a", None)]
    assert seen == [("host", "ROOM", b"s1")]
    assert rows(file, "SELECT seq, event FROM room_events ORDER BY seq") == [
        (1, b"e1"),
        (2, b"e2"),
    ]


async def test_all_that_waits_is_one_transaction_told_in_order(store, told, groups):
    labels = [f"{number}" for number in range(100)]
    for number, label in enumerate(labels):
        store.journal.append(told.write(label, room=f"R{number % 7}", events=((number, b"e"),)))
    await store.journal.flush()
    assert told.durable == labels
    assert len(groups) == 1


async def test_a_write_on_its_own_does_not_wait_for_company(store, told, groups):
    for number in range(3):
        store.journal.append(told.write(f"{number}", events=((number, b"e"),)))
        await store.journal.flush()
    store.journal.append(told.write("3", events=((3, b"e"),)))
    store.journal.append(told.write("4", events=((4, b"e"),)))
    store.journal.append(told.write("5", events=((5, b"e"),)))
    await store.journal.flush()
    assert told.durable == ["0", "1", "2", "3", "4", "5"]
    assert groups == [1, 1, 1, 3], "what comes in one turn of the loop shares a group"


async def test_rooms_come_back_as_they_were(open_store, told):
    store = await open_store()
    store.journal.append(told.write("a", "AAAA", b"a1", ((1, b"1"),)))
    store.journal.append(told.write("b", "BBBB", b"b1", ((5, b"5"), (6, b"6"))))
    store.journal.append(told.write("p", "AAAA", b"p", scope="play-1"))
    await store.journal.flush()
    store.journal.append(told.write("a", "AAAA", b"a2", ((2, b"2"), (10, b"10"))))
    store.journal.append(told.write("a", "AAAA", b"a3", ((11, b"11"),), forget_through=1))
    await store.close()
    store = await open_store()
    rooms = await store.live_rooms("host")
    assert [(r.room, r.state, r.events) for r in rooms] == [
        ("AAAA", b"a3", ((2, b"2"), (10, b"10"), (11, b"11"))),
        ("BBBB", b"b1", ((5, b"5"), (6, b"6"))),
    ]
    assert [room.state for room in await store.live_rooms("play-1")] == [b"p"]
    assert await store.live_rooms("nobody") == []


async def test_a_room_without_events_is_a_room(store, told):
    store.journal.append(told.write("a"))
    await store.journal.flush()
    assert [(r.state, r.events) for r in await store.live_rooms("host")] == [(b"state", ())]


async def test_old_and_new_rooms_share_a_transaction(store, told, groups):
    store.journal.append(told.write("old", "OLD", b"0"))
    store.journal.append(told.write("old", "OLD", b"1"))
    await store.journal.flush()
    store.journal.append(told.write("new", "NEW", b"2"))
    store.journal.append(told.write("old", "OLD", b"2"))
    store.journal.append(told.write("namesake", "OLD", b"3", scope="play-1"))
    await store.journal.flush()
    assert len(groups) == 2
    rooms = await store.live_rooms("host")
    assert [(room.room, room.state) for room in rooms] == [("NEW", b"2"), ("OLD", b"2")]
    assert [room.state for room in await store.live_rooms("play-1")] == [b"3"]


@pytest.mark.parametrize("together", [True, False])
async def test_a_closed_room_is_gone_and_its_code_is_free(store, told, together, file, groups):
    writes = [
        told.write("make", state=b"old", events=((1, b"old"), (2, b"old"))),
        told.write("close", state=None, events=((3, b"last"),)),
        told.write("again", state=b"new", events=((1, b"new"),)),
        told.write("other", room="NEXT", state=b"next", events=((1, b"n"),)),
        told.write("gone", room="NEXT", state=None),
    ]
    for write in writes:
        store.journal.append(write)
        if not together:
            await store.journal.flush()
    await store.journal.flush()
    assert told.durable == ["make", "close", "again", "other", "gone"]
    assert len(groups) == (1 if together else 5)
    (room,) = await store.live_rooms("host")
    assert (room.state, room.events) == (b"new", ((1, b"new"),))
    assert rows(file, "SELECT count(*) FROM room_events") == [(1,)]


@pytest.mark.parametrize("together", [True, False])
async def test_forgotten_events_go(store, told, together):
    for number in range(1, 10):
        store.journal.append(
            told.write(f"{number}", events=((number, b"e"),), forget_through=number - 3)
        )
        if not together:
            await store.journal.flush()
    await store.journal.flush()
    (room,) = await store.live_rooms("host")
    assert [seq for seq, _ in room.events] == [7, 8, 9]


async def test_one_bad_write_fails_alone(store, told):
    store.journal.append(told.write("a1", "AAAA", b"a1", ((1, b"1"),)))
    await store.journal.flush()
    store.journal.append(told.write("b1", "BBBB", b"b1"))
    store.journal.append(told.write("a2", "AAAA", b"a2", ((1, b"a second event 1"),)))
    store.journal.append(told.write("b2", "BBBB", b"b2"))
    store.journal.append(told.write("a3", "AAAA", b"a3", ((2, b"2"),)))
    store.journal.append(told.write("c1", "CCCC", b"c1"))
    await store.journal.flush()
    assert told.durable == ["a1", "b1", "b2", "c1"]
    assert told.failed == ["a2", "a3"]
    assert [room.state for room in await store.live_rooms("host")] == [b"a1", b"b2", b"c1"]


async def test_what_waits_behind_a_failed_write_fails_with_it(store, told):
    bad = told.write("bad", events=((1, b"1"), (1, b"twice")))

    def append_later():
        store.journal.append(told.write("behind", events=((2, b"2"),)))
        store.journal.append(told.write("elsewhere", room="ELSE"))

    # While the database does something else a group is on its way for longer than a turn of the
    # loop: what is appended then waits behind it.
    other = asyncio.create_task(store.writing(lambda connection: None))
    store.journal.append(bad)
    asyncio.get_running_loop().call_soon(append_later)
    told.on_error = lambda label: (
        store.journal.append(told.write("afresh", state=b"afresh")) if label == "bad" else None
    )
    await other
    await store.journal.flush()
    await store.journal.flush()
    assert told.failed == ["bad", "behind"]
    assert sorted(told.durable) == ["afresh", "elsewhere"]
    assert {room.room: room.state for room in await store.live_rooms("host")} == {
        "ELSE": b"state",
        "ROOM": b"afresh",
    }


async def test_a_write_of_the_wrong_type_fails_alone(store, told):
    store.journal.append(told.write("bad", "BAD", events=((1, object()),)))  # type: ignore[arg-type]
    store.journal.append(told.write("good", "GOOD"))
    await store.journal.flush()
    assert (told.failed, told.durable) == (["bad"], ["good"])
    assert "did not take this" in told.errors[0]


async def test_a_done_that_raises_disturbs_nobody(store, told, caplog):
    def explode(label):
        raise RuntimeError(label)

    told.on_error = explode
    store.journal.append(told.write("bad", events=((1, b"1"), (1, b"1"))))
    store.journal.append(told.write("bad too"))
    store.journal.append(told.write("good", room="GOOD"))
    await store.journal.flush()
    store.journal.append(told.write("later"))
    await store.journal.flush()
    assert told.failed == ["bad", "bad too"]
    assert told.durable == ["good", "later"]
    assert "could not handle the end of its write" in caplog.text


async def test_a_database_that_fails_between_two_writes_fails_the_rest(store, told, sicken, caplog):
    def fall_sick(error):
        assert error is None
        sicken("PRAGMA query_only = 1")

    store.journal.append(told.write("good", "GOOD")._replace(done=fall_sick))
    store.journal.append(told.write("bad", events=((1, b"1"), (1, b"1"))))
    store.journal.append(told.write("c", "CCCC"))
    store.journal.append(told.write("d", "DDDD"))
    await store.journal.flush()
    assert told.failed == ["bad", "c", "d"]
    assert "is read-only" in told.errors[-1]
    assert len(caplog.records) == 2  # the group's failure, and one of the database
    assert [room.room for room in await store.live_rooms("host")] == ["GOOD"]


async def test_a_locked_database_fails_the_group_once_and_recovers(file, open_store, told, caplog):
    store = await open_store(busy_timeout=0.01)
    with locked(file):
        for number in range(5):
            store.journal.append(told.write(f"{number}", room=f"R{number}"))
        await store.journal.flush()
    assert told.failed == ["0", "1", "2", "3", "4"]
    assert "is locked by another program" in told.errors[0]
    assert len(caplog.records) == 1
    store.journal.append(told.write("again"))
    await store.journal.flush()
    assert told.durable == ["again"]
    assert [room.room for room in await store.live_rooms("host")] == ["ROOM"]


async def test_the_loop_goes_on_while_the_database_waits(file, open_store, told):
    store = await open_store(busy_timeout=60)
    with locked(file):
        store.journal.append(told.write("a"))
        for _ in range(1000):
            await asyncio.sleep(0)
        assert told.outcomes == []
        assert await store.live_rooms("host") == []
    await store.journal.flush()
    assert told.durable == ["a"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("PRAGMA query_only = 1", "is read-only"),
        ("PRAGMA max_page_count = 1", "the disk is full"),
    ],
)
async def test_a_sick_database_loses_nothing_and_recovers(
    store, told, sicken, statement, message, make_game, seat_bot
):
    store.journal.append(told.write("zeroth", state=b"zeroth"))
    store.journal.append(told.write("first", state=b"first", events=((1, b"1"),)))
    await store.journal.flush()
    sicken(statement)
    game = make_game("g", seat_bot("keller"))
    big = bytes(100_000)
    store.journal.append(told.write("second", state=big, events=((2, b"2"),)))
    store.journal.append(told.write("third", state=None, archive=game))
    store.journal.append(told.write("other", room="ELSE", state=big))
    await store.journal.flush()
    assert told.failed == ["second", "third", "other"]
    assert all(message in error for error in told.errors)
    (room,) = await store.live_rooms("host")
    assert (room.state, room.events) == (b"first", ((1, b"1"),))
    assert await store.history() == []
    store.journal.append(told.write("end", state=None, archive=game))
    await store.journal.flush()
    assert told.durable == ["zeroth", "first", "end"]
    assert [game.id for game in await store.history()] == ["g"]


async def test_an_error_is_for_people_and_keeps_its_cause(store, told):
    store.journal.append(told.write("bad", events=((1, b"1"), (1, b"1"))))
    await store.journal.flush()
    ((_, error),) = told.outcomes
    assert isinstance(error, StorageError)
    assert error.__cause__ is not None
    assert "INSERT" not in str(error)


async def test_what_was_to_be_stored_stays_out_of_the_log(store, told, caplog):
    store.journal.append(told.write("bad", state=b"secret", events=((1, b"secret"), (1, b"x"))))
    store.journal.append(told.write("worse", "R2", state=b"secret", events=((1, object()),)))
    await store.journal.flush()
    assert told.failed == ["bad", "worse"]
    assert re.search("UNIQUE constraint failed|UniqueViolation", caplog.text)
    assert "secret" not in caplog.text


async def test_close_flushes(file, store, told):
    for number in range(10):
        store.journal.append(told.write(f"{number}", events=((number, b"e"),)))
    await store.close()
    assert len(told.durable) == 10
    assert rows(file, "SELECT count(*) FROM room_events") == [(10,)]


async def test_after_close_a_write_fails_and_says_why(store, told):
    await store.close()
    store.journal.append(told.write("late"))
    assert told.outcomes == []
    await asyncio.sleep(0)
    assert told.failed == ["late"]
    assert "is closed" in told.errors[0]


async def test_flush_of_nothing_returns(store):
    await store.journal.flush()


async def test_flush_does_not_wait_for_what_comes_later(store, told):
    def forever(label):
        store.journal.append(told.write(label + "+", events=((1, b"1"), (1, b"1"))))

    told.on_error = lambda label: forever(label) if len(label) < 50 else None
    store.journal.append(told.write("bad", events=((1, b"1"), (1, b"1"))))
    await store.journal.flush()
    assert 1 <= len(told.failed) < 48
