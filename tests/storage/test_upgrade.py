"""From the first released schema to the newest, with rows in it, on every kind of database."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from databases import ask
from first_release import make_first_release
from sqlalchemy import inspect, select, text

from cantstop_migrations import HEAD
from cantstop_server.storage.connect import connect
from cantstop_server.storage.entries import entries_of
from cantstop_server.storage.errors import StorageError
from cantstop_server.storage.history import HistoryQuery
from cantstop_server.storage.models import game_seats, history

OF_GAMES = ("g7", "g6", "g5", "g4", "g3", "g2", "g1")


@pytest.fixture
async def old(database: str) -> str:
    """A database of the first release."""
    await make_first_release(database)
    return database


async def read(database: str, work):
    """What the work finds, past all that opening a database does."""
    opened = connect(database, exclusive=False, busy_timeout=5.0)
    try:
        return await opened.read(work)
    finally:
        await opened.close()


async def content(database: str) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""

    def rows(connection):
        return {
            table: sorted(map(tuple, connection.execute(text(f"SELECT * FROM {table}"))), key=str)
            for table in inspect(connection).get_table_names()
        }

    return await read(database, rows)


def copies(tmp_path: Path) -> list[Path]:
    return sorted(tmp_path.glob("games.before-*.db"))


async def test_every_row_is_there_after_it(old, open_store):
    store = await open_store(old)
    assert store.server_id == "5e" * 16
    assert (store.upgrade.before, store.upgrade.after) == ("0001", HEAD)
    games = await store.history()
    assert [game.id for game in games] == sorted(OF_GAMES, key=[g.id for g in games].index)
    assert {game.id for game in games} == set(OF_GAMES)
    by_id = {game.id: game for game in games}
    assert all(game.rated and not game.turn_ends and game.proof is None for game in games)
    assert [seat.bot for seat in by_id["g4"].seats] == ["keller", None, "keller", None]
    assert by_id["g2"].setup == (2, 3, True, 1)
    assert by_id["g3"].status == "abandoned"
    assert (await store.identify("Ann", "ann", b"t" * 32)).player == 1
    records = {record.name: record for record in await store.records()}
    assert (records["Ann"].games, records["Ann"].by_seats[1][0]) == (3, 2)
    assert records["Ann"].solitaire[2][0] == 2
    (room,) = await store.live_rooms("host")
    assert (room.state, len(room.events)) == (b"state", 3)
    # What comes now is numbered after what was there.
    assert (await store.identify("Cyd", "cyd", b"t")).player == 5


async def test_the_index_of_history_is_what_archiving_would_have_made(old, open_store):
    store = await open_store(old)
    page = await store.history_page(HistoryQuery(player="Ann", opponent="Bob", result="won"))
    won = [g for g in await store.history() if g.winner is not None]
    met = [g for g in won if g.id in ("g1", "g2", "g4") and g.seats[g.winner].player == 1]
    assert list(page.games) == met

    def seated(connection):
        rows = connection.execute(select(game_seats).order_by(game_seats.c.seat))
        found: dict[str, list[int]] = {}
        for row in rows:
            found.setdefault(row.game_id, []).append(row.player_id)
        return found

    def entries(connection):
        return {tuple(row) for row in connection.execute(select(history))}

    players = await read(old, seated)
    made = {tuple(e) for g in await store.history() for e in entries_of(g, players[g.id])}
    assert await read(old, entries) == made


async def test_a_copy_is_kept_and_named(old, tmp_path, open_store):
    before = await content(old)
    store = await open_store(old)
    if "://" in old:
        assert store.upgrade.copy == "the tables before_0003_* in it"
        after = await content(old)
        assert {table: after[f"before_0003_{table}"] for table in before} == before
    else:
        (copy,) = copies(tmp_path)
        assert store.upgrade.copy == str(copy)
        assert copy.name == "games.before-0003.db"
        assert await content(str(copy)) == before


async def test_there_is_no_copy_of_a_new_or_an_upgraded_database(database, tmp_path, open_store):
    for _ in range(2):
        store = await open_store()
        assert store.upgrade is None
    assert copies(tmp_path) == []
    assert not [table for table in await content(database) if "before" in table]


async def test_no_copy_takes_the_place_of_another(old, tmp_path, open_store):
    taken = tmp_path / "games.before-0003.db"
    taken.write_text("mine")
    if "://" in old:
        await ask(old, "CREATE TABLE before_0003_games (mine text)")
    store = await open_store(old)
    assert "2" in store.upgrade.copy.removesuffix("_* in it").removesuffix(".db")[-2:]
    assert taken.read_text() == "mine"


async def test_of_many_at_once_one_upgrades(old, tmp_path, open_store):
    stores = await asyncio.gather(*(open_store(old) for _ in range(4)))
    assert [store.upgrade is None for store in stores].count(False) == 1
    assert len({len(await store.history()) for store in stores}) == 1
    assert len(copies(tmp_path)) == (0 if "://" in old else 1)


async def test_without_room_for_a_copy_nothing_is_changed(old, tmp_path, open_store, file):
    (tmp_path / "games.before-0003.db.part").mkdir()
    before = file.read_bytes()
    with pytest.raises(StorageError, match=r"needs an upgrade, and no copy .* --no-backup"):
        await open_store(old)
    assert file.read_bytes() == before
    assert (await open_store(old, copy=False)).upgrade is not None


async def test_it_can_do_without_a_copy(old, tmp_path, open_store):
    store = await open_store(old, copy=False)
    assert (store.upgrade.before, store.upgrade.copy) == ("0001", "")
    assert copies(tmp_path) == []


async def test_what_another_server_uses_is_not_upgraded(old, open_store):
    before = await content(old)
    serving = connect(old, exclusive=True, busy_timeout=5.0)
    await serving.prepare(lambda connection: None)
    with pytest.raises(StorageError, match="another cantstop server uses"):
        await open_store(old, busy_timeout=0.1)
    await serving.close()
    assert await content(old) == before
    await open_store(old)


async def test_a_newer_schema_is_refused_untouched(database, open_store):
    await (await open_store()).close()
    other = connect(database, exclusive=False, busy_timeout=5.0)
    newer = text("UPDATE alembic_version SET version_num = '9999'")
    await other.write(lambda connection: connection.execute(newer))
    await other.close()
    before = await content(database)
    with pytest.raises(StorageError, match="was made by a newer cantstop: install that version"):
        await open_store()
    with pytest.raises(StorageError, match="was made by a newer cantstop"):
        await open_store(exclusive=True)
    assert await content(database) == before


DIE = """
import asyncio, os, signal, sys
from sqlalchemy import Engine, event
from cantstop_server.storage import backup
from cantstop_server.storage.store import Store

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

if sys.argv[2] == "copy":
    backup._put = die
else:
    left = int(sys.argv[2])
    @event.listens_for(Engine, "after_cursor_execute")
    def count(connection, cursor, statement, *_):
        global left
        left -= statement.lstrip().startswith(("ALTER", "CREATE", "INSERT", "UPDATE"))
        if left == 0:
            die()
asyncio.run(Store.open(sys.argv[1]))
print("upgraded")
"""


def killed(database: str, when: object) -> bool:
    """Upgrade in a process that is killed then; whether it came to that."""
    command = [sys.executable, "-c", DIE, database, str(when)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    return ended.returncode == -9 and not ended.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
async def test_an_upgrade_killed_at_any_point_is_done_anew(old, tmp_path, open_store):
    before = await content(old)
    if "://" not in old:
        assert killed(old, "copy")
        assert copies(tmp_path) == []
    # On PostgreSQL the copies of the tables are statements, too.
    for statements in (1, 5, 12, 18, 28) if "://" in old else (1, 4, 6, 9, 14, 20):
        assert killed(old, statements), statements
        assert await content(old) == before
    assert not killed(old, 1_000_000)
    store = await open_store(old)
    assert store.upgrade is None
    assert {game.id for game in await store.history()} == set(OF_GAMES)
    after = await content(old)
    await store.close()
    assert not list(tmp_path.glob("*.part"))
    whole = {table: rows for table, rows in after.items() if not table.startswith("before_")}
    assert whole.keys() >= before.keys() | {"history"}
    assert store.server_id == "5e" * 16
    unchanged = ("players", "game_seats", "records", "solitaire", "room_events")
    assert {t: whole[t] for t in unchanged} == {t: before[t] for t in unchanged}
    (revision,) = whole["alembic_version"]
    assert revision == (HEAD,)
