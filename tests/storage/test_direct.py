"""Groups that are written on the loop, and when they are not."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cantstop_server.storage.direct_sqlite import DirectWriter
from cantstop_server.storage.errors import StorageError
from cantstop_server.storage.journal import RoomWrite
from cantstop_server.storage.store import Store
from cantstop_server.storage.worker import Worker

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def move(room: str, seq: int, told=print, body: bytes = b"move") -> RoomWrite:
    return RoomWrite("host", room, None, (), 0, None, told, seq, body)


def state(room: str, seq: int, told=print) -> RoomWrite:
    return RoomWrite("host", room, b"state", ((seq, b"events"),), 0, None, told, seq)


def rows(file: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.db"
    await (await Store.open(str(path))).close()
    return path


async def test_a_group_is_durable_when_the_call_returns(file: Path) -> None:
    writer = DirectWriter(file)
    assert writer.store([state("A", 1), move("A", 2), move("B", 3)], NOW)
    assert rows(file, "SELECT room, seq, move FROM room_moves ORDER BY id") == [
        ("A", 2, b"move"),
        ("B", 3, b"move"),
    ]
    assert rows(file, "SELECT room, state, seq FROM live_rooms") == [("A", b"state", 1)]
    writer.close()


async def test_another_writer_is_not_waited_for(file: Path) -> None:
    writer = DirectWriter(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not writer.store([move("A", 1)], NOW)
        assert not writer.store([state("A", 1), move("A", 2)], NOW)
        other.execute("ROLLBACK")
    assert rows(file, "SELECT count(*) FROM room_moves") == [(0,)]
    assert writer.store([move("A", 1)], NOW)
    writer.close()


async def test_a_group_is_written_whole_or_not_at_all(file: Path) -> None:
    writer = DirectWriter(file)
    with pytest.raises(sqlite3.IntegrityError):
        writer.store([state("A", 1), state("B", 2)._replace(events=((1, b"1"), (1, b"2")))], NOW)
    assert rows(file, "SELECT count(*) FROM live_rooms") == [(0,)]
    assert writer.store([state("A", 1)], NOW), "it opens the file again"
    writer.close()


async def test_after_a_slow_write_others_do_it_for_a_while(file: Path) -> None:
    times = iter([5.0, 5.001, 6.0, 7.0, 7.1, 8.0, 8.2])
    writer = DirectWriter(file, lambda: next(times))
    writer.store([move("A", 1)], NOW)
    assert writer.is_ready
    writer.store([move("A", 2)], NOW)
    assert [writer.is_ready, writer.is_ready] == [False, True]
    writer.close()


async def test_what_another_program_holds_is_written_once_it_lets_go(file: Path) -> None:
    store = await Store.open(str(file), busy_timeout=5.0)
    outcomes: list[StorageError | None] = []
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.journal.append(move("A", 1, outcomes.append))
        for _ in range(5):
            await asyncio.sleep(0)
        assert outcomes == [], "the loop goes on, the write waits"
        other.execute("ROLLBACK")
    store.journal.append(move("A", 2, outcomes.append))
    await store.close()
    assert outcomes == [None, None]
    assert rows(file, "SELECT seq FROM room_moves ORDER BY id") == [(1,), (2,)]


async def test_what_no_database_can_hold_fails_alone(file: Path) -> None:
    store = await Store.open(str(file))
    outcomes: list[StorageError | None] = []
    store.journal.append(move("A", 2**70, outcomes.append))
    store.journal.append(move("B", 1, outcomes.append))
    await store.close()
    assert [type(error) for error in outcomes] == [StorageError, type(None)]


async def test_old_moves_go_and_those_that_are_needed_stay(file: Path) -> None:
    store = await Store.open(str(file))
    for room in ("KEPT", "GONE", "OPEN"):
        store.journal.append(state(room, 0))
    for seq in range(1, 3000):
        store.journal.append(move("KEPT", seq))
        store.journal.append(move("GONE", seq))
    store.journal.append(state("KEPT", 2990))
    store.journal.append(RoomWrite("host", "GONE", None, (), 0, None, print))
    for seq in range(1, 2000):
        store.journal.append(move("OPEN", seq))
        await asyncio.sleep(0)
    await store.close()
    found = {
        room: [seq for (seq,) in rows(file, f"SELECT seq FROM room_moves WHERE room = '{room}'")]
        for room in ("KEPT", "GONE", "OPEN")
    }
    assert found == {
        "KEPT": list(range(2991, 3000)),
        "GONE": [],
        "OPEN": list(range(1, 2000)),
    }


async def test_the_log_does_not_grow_for_ever(file: Path) -> None:
    store = await Store.open(str(file))
    store.journal.append(state("A", 0))
    for seq in range(1, 15_990):  # all are needed, so that most of the tidying drops nothing
        store.journal.append(move("A", seq))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await store.journal.flush()
    assert file.with_name("games.db-wal").stat().st_size < 30_000_000
    await store.close()


async def test_moves_are_written_on_the_loop(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await Store.open(str(file))
    outcomes: list[StorageError | None] = []
    with monkeypatch.context() as patched:
        patched.setattr(Worker, "submit", lambda *_: pytest.fail("a thread was asked"))
        store.journal.append(state("A", 1, outcomes.append))
        store.journal.append(move("A", 2, outcomes.append))
        await store.journal.flush()
        assert outcomes == [None, None]
        assert rows(file, "SELECT seq FROM room_moves") == [(2,)]
    await store.close()


async def test_who_counts_groups_cannot_hold_them_up(file: Path) -> None:
    store = await Store.open(str(file))
    outcomes: list[StorageError | None] = []

    def explode(*_: object) -> None:
        raise RuntimeError("no numbers today")

    store.journal.on_group = explode
    store.journal.append(move("A", 1, outcomes.append))
    await store.journal.flush()
    store.journal.append(move("A", 2, outcomes.append))
    await store.close()
    assert outcomes == [None, None]
