"""Opening a database: what is made, what is refused, and in which words."""

import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest

from cantstop_server.storage.errors import StorageError
from cantstop_server.storage.store import Store, utc_now


def query(path, sql):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


async def refusal(database, **options) -> str:
    with pytest.raises(StorageError) as caught:
        await Store.open(str(database), **options)
    return str(caught.value)


async def test_makes_the_file_and_its_folders(tmp_path, open_store):
    file = tmp_path / "a" / "b" / "games.db"
    await open_store(file)
    assert file.is_file()
    assert query(file, "PRAGMA journal_mode") == [("wal",)]


async def test_expands_the_home_folder(tmp_path, monkeypatch, open_store):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    await open_store("~/games.db")
    assert (tmp_path / "games.db").is_file()


@pytest.mark.parametrize("scheme", ["sqlite+aiosqlite", "sqlite"])
async def test_takes_a_url(file, open_store, scheme):
    store = await open_store(f"{scheme}:///{file}")
    assert file.is_file()
    assert await store.history() == []


async def test_a_strange_path_is_a_path(tmp_path, open_store):
    file = tmp_path / "50% off? # games.db"
    store = await open_store(file, exclusive=True)
    assert file.is_file()
    assert await store.history() == []


async def test_the_server_id_lasts(file, open_store):
    first = await open_store()
    await first.close()
    second = await open_store()
    assert first.server_id == second.server_id
    assert len(bytes.fromhex(first.server_id)) == 16


async def test_two_databases_have_two_ids(tmp_path, open_store):
    one, two = await open_store(tmp_path / "1.db"), await open_store(tmp_path / "2.db")
    assert one.server_id != two.server_id


async def test_close_twice_is_harmless(store):
    await store.close()
    await store.close()


async def test_a_closed_store_says_so(store):
    await store.close()
    with pytest.raises(StorageError, match="is closed"):
        await store.identify("Ann", "ann", b"t")
    with pytest.raises(StorageError, match="is closed"):
        await store.history()


async def test_an_empty_file_is_a_new_database(file, open_store):
    file.touch()
    assert (await open_store()).server_id


async def test_a_folder_is_refused(tmp_path):
    assert "is a folder" in await refusal(tmp_path)


async def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    message = await refusal(tmp_path / "file" / "games.db")
    assert "cannot be made or used: give --database another file" in message


async def test_a_path_that_no_system_takes_is_refused(tmp_path):
    assert "cannot be" in await refusal(f"{tmp_path}/a\0b/games.db", exclusive=True)
    assert "cannot be" in await refusal(tmp_path / ("x" * 5000) / "games.db", exclusive=True)
    assert "cannot be" in await refusal(tmp_path / ("x" * 5000), exclusive=True)
    assert "cannot be" in await refusal(tmp_path / ("x" * 5000))


async def test_a_text_file_is_refused_untouched(file):
    file.write_text("Dear diary, " * 100)
    before = file.read_bytes()
    assert "is damaged or no SQLite database" in await refusal(file)
    assert file.read_bytes() == before


async def test_another_programs_database_is_refused_untouched(tmp_path, file):
    change(file, "CREATE TABLE bookmarks (url)", "INSERT INTO bookmarks VALUES ('x')")
    before = file.read_bytes()
    assert "is a database of another program" in await refusal(file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


async def test_another_programs_empty_database_is_refused(file):
    change(file, "PRAGMA application_id = 7")
    assert "is a database of another program" in await refusal(file)


async def test_a_newer_schema_is_refused_untouched(file, open_store):
    await (await open_store()).close()
    change(file, "UPDATE alembic_version SET version_num = '9999'")
    before = file.read_bytes()
    assert "was made by a newer cantstop" in await refusal(file)
    assert file.read_bytes() == before


async def test_damage_is_found_before_a_server_starts(file, open_store):
    store = await open_store()
    await store.identify("Ann", "ann", b"t")
    await store.close()
    ((root,),) = query(file, "SELECT rootpage FROM sqlite_master WHERE name = 'players'")
    with file.open("r+b") as raw:
        raw.seek((root - 1) * 4096)
        raw.write(b"\xff" * 4096)
    assert "is damaged: restore a copy" in await refusal(file, exclusive=True)
    store = await open_store()
    with pytest.raises(StorageError, match="is damaged: restore a copy"):
        await store.records()
    with pytest.raises(StorageError, match="is damaged: restore a copy"):
        await store.identify("Ann", "ann", b"t")


async def test_a_truncated_file_is_refused(file, open_store):
    await (await open_store()).close()
    with file.open("r+b") as raw:
        raw.truncate(5000)
    assert "is damaged" in await refusal(file, exclusive=True)


async def test_a_locked_database_is_refused(file, open_store):
    await (await open_store()).close()
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "is locked by another program" in await refusal(file, busy_timeout=0.01)
    assert (await open_store()).server_id


async def test_a_read_only_database_is_refused(file, at_begin):
    at_begin.append("PRAGMA query_only = 1")
    assert "is read-only: make the file and its folder writable" in await refusal(file)


async def test_a_full_disk_is_said(file, at_begin):
    at_begin.append("PRAGMA max_page_count = 3")
    assert "the disk is full" in await refusal(file)
    at_begin.clear()
    await (await Store.open(str(file))).close()


@pytest.mark.parametrize(
    ("database", "part"),
    [
        ("", "in memory would keep nothing"),
        (":memory:", "in memory would keep nothing"),
        ("sqlite://", "in memory would keep nothing"),
        ("sqlite+aiosqlite:///:memory:", "in memory would keep nothing"),
        ("sqlite:///x.db?mode=ro", "takes no options"),
        ("mongo://example.org/x", "no such kind of database"),
        ("://", "no database URL"),
        ("sqlite+nothing:///x.db", None),
        ("postgresql+asyncpg://me:secret@example.org/x", None),
        ("postgresql+psycopg2://me:secret@example.org/x", None),
    ],
)
async def test_a_database_that_cannot_be_is_refused(tmp_path, monkeypatch, database, part):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    if database.startswith("sqlite+nothing"):
        await (await Store.open(database)).close()  # the file counts, not the driver's name
        return
    message = await refusal(database)
    assert "secret" not in message
    assert (part or "needs a driver that is not installed") in message


async def test_one_server_has_a_file_to_itself(file, open_store):
    first = await open_store(exclusive=True)
    message = await refusal(file, exclusive=True)
    assert "another cantstop server uses" in message
    assert "stop it or give --database another file" in message
    reader = await open_store()
    assert reader.server_id == first.server_id
    await first.close()
    await open_store(exclusive=True)


HOLD = """
import asyncio, sys
from cantstop_server.storage.store import Store
async def main():
    await Store.open(sys.argv[1], exclusive=True)
    print("held", flush=True)
    sys.stdin.read()
asyncio.run(main())
"""


@contextmanager
def another_server(file):
    """Runs within the block, and is killed at its end."""
    command = [sys.executable, "-c", HOLD, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"held\n"
        yield
        server.kill()


async def test_a_killed_server_leaves_no_lock(file, open_store):
    with another_server(file):
        assert "another cantstop server" in await refusal(file, exclusive=True)
    await open_store(exclusive=True)


async def test_a_killed_private_game_is_cleared_after_a_day(file, open_store, told):
    began = utc_now()
    store = await open_store(now=lambda: began)
    for scope in ("play-1", "host", "player"):
        store.journal.append(told.write(scope, scope=scope, events=((1, b"e"),)))
    await store.close()

    early = await open_store(now=lambda: began + timedelta(hours=23))
    assert len(await early.live_rooms("play-1")) == 1
    early.journal.append(told.write("other", scope="play-2"))
    await early.close()

    late = await open_store(now=lambda: began + timedelta(hours=25))
    assert await late.live_rooms("play-1") == []
    assert len(await late.live_rooms("play-2")) == 1
    assert len(await late.live_rooms("host")) == 1
    assert len(await late.live_rooms("player")) == 1
    assert query(file, "SELECT DISTINCT scope FROM room_events ORDER BY 1") == [
        ("host",),
        ("player",),
    ]
