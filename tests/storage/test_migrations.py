"""The schema through time."""

import asyncio
import logging
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from cantstop_migrations import HEAD
from cantstop_server.storage.models import metadata
from cantstop_server.storage.store import Store


def schema(file):
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
        return rows.fetchall()


def run(program: str, *arguments: object) -> int:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, check=False).returncode


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", "cantstop_migrations:")
    return ScriptDirectory.from_config(config)


def test_head_is_the_newest_script_and_the_line_is_straight():
    assert scripts().get_heads() == [HEAD]
    assert all(not script.is_branch_point for script in scripts().walk_revisions())


async def test_the_migrated_schema_is_the_models(file, open_store):
    await (await open_store()).close()
    engine = create_engine(f"sqlite:///{file}")
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
    engine.dispose()


async def test_a_second_opening_changes_nothing(file, open_store):
    await (await open_store()).close()
    before = file.read_bytes()
    await (await open_store()).close()
    assert file.read_bytes() == before


async def test_an_up_to_date_database_does_without_alembic(file, open_store):
    await (await open_store()).close()
    program = (
        "import asyncio, sys\n"
        "from cantstop_server.storage.store import Store\n"
        "async def main():\n"
        "    await (await Store.open(sys.argv[1])).close()\n"
        "asyncio.run(main())\n"
        "assert 'alembic' not in sys.modules\n"
    )
    assert run(program, file) == 0


async def test_nothing_is_said(open_store, capfd, caplog):
    with caplog.at_level(logging.INFO):
        await open_store()
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


async def test_many_open_a_new_file_at_once(file, open_store):
    stores = await asyncio.gather(*(open_store() for _ in range(5)))
    assert len({store.server_id for store in stores}) == 1


async def test_many_new_files_are_opened_at_once(tmp_path, open_store):
    files = [tmp_path / f"{number}.db" for number in range(5)]
    stores = await asyncio.gather(*(open_store(file) for file in files))
    assert len({store.server_id for store in stores}) == 5
    assert len({str(schema(file)) for file in files}) == 1


OPEN = """
import asyncio, sys
from cantstop_server.storage.store import Store
sys.stdin.readline()
async def main():
    store = await Store.open(sys.argv[1])
    print(store.server_id, await store.history())
    await store.close()
asyncio.run(main())
"""


def test_many_processes_open_a_new_file_at_once(file):
    command = [sys.executable, "-c", OPEN, str(file)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = {process.communicate()[0] for process in processes}
    assert [process.returncode for process in processes] == [0] * 4
    assert len(said) == 1
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]


DIE = """
import asyncio, os, signal, sys
from sqlalchemy import Engine, event
from cantstop_server.storage.store import Store
left = int(sys.argv[2])
@event.listens_for(Engine, "after_cursor_execute")
def count(connection, cursor, statement, *_):
    global left
    left -= statement.lstrip().startswith(("CREATE", "INSERT"))
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(Store.open(sys.argv[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("statements", [1, 2, 6, 10, 12])
async def test_a_migration_killed_half_way_leaves_nothing(file, open_store, statements):
    assert run(DIE, file, statements) == -9
    assert schema(file) == []
    store = await open_store()
    assert await store.history() == []


async def test_a_migration_that_fails_half_way_leaves_nothing(file, at_begin, open_store):
    at_begin.append("PRAGMA max_page_count = 8")
    with pytest.raises(Exception, match="disk is full"):
        await Store.open(str(file))
    at_begin.clear()
    assert schema(file) == []
    await open_store()
