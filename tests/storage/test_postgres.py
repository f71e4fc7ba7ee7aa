"""What is so on PostgreSQL alone. Collected where ``CANTSTOP_TEST_POSTGRES`` names a server."""

import asyncio
import json
import subprocess
import sys
from contextlib import asynccontextmanager

import asyncpg
import pytest
from databases import SERVER, ask, new_database
from first_release import make_first_release
from many_games import fill_games
from program import run
from sqlalchemy import make_url
from wire import connected, serving

from cantstop_protocol import commands, messages
from cantstop_server.storage import care
from cantstop_server.storage.errors import DatabaseFault, NameTaken, StorageError
from cantstop_server.storage.history import HistoryQuery
from cantstop_server.storage.store import Store


@pytest.fixture
async def database():
    async with new_database() as url:
        yield url


def plain(url):
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


@asynccontextmanager
async def driver(url):
    connection = await asyncpg.connect(plain(url))
    yield connection
    await connection.close()


def started(program, database):
    """The program in a process of its own."""
    command = [sys.executable, "-c", program, database]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )


def done(*command, shell=False):
    subprocess.run(command[0] if shell else command, shell=shell, check=True)


async def refusal(database, **options) -> str:
    with pytest.raises(DatabaseFault) as caught:
        await Store.open(database, **options)
    return str(caught.value)


async def test_a_url_without_a_driver_will_do(database, open_store):
    assert (await open_store(plain(database))).server_id == (await open_store(database)).server_id


async def test_what_cannot_be_reached_is_said_in_words(database, tmp_path):
    url = make_url(database)
    nobody = url.set(username="nobody", password="secret").render_as_string(hide_password=False)
    message = await refusal(nobody)
    assert "does not take this user or password" in message
    assert "secret" not in message
    nowhere = url.set(database="nowhere").render_as_string(hide_password=False)
    assert "does not exist on its server: make it with `createdb`" in await refusal(nowhere)
    deaf = url.set(port=1).render_as_string(hide_password=False)
    assert "does not answer: check that its server is running" in await refusal(deaf)


async def test_a_read_only_database_is_refused(database):
    name = make_url(database).database
    await ask(SERVER, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    assert "is read-only: make it writable" in await refusal(database)


async def test_another_programs_tables_are_left_alone(database):
    await ask(database, "CREATE TABLE games (mine text)")
    assert "has tables of another program" in await refusal(database)
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    assert await ask(database, tables) == [("games",)]


async def test_many_processes_make_it_at_once(database):
    program = (
        "import asyncio, sys\n"
        "from cantstop_server.storage.store import Store\n"
        "async def main():\n"
        "    store = await Store.open(sys.argv[1])\n"
        "    ann = await store.identify('Ann', 'ann', b't')\n"
        "    print(store.server_id, ann, await store.history())\n"
        "    await store.close()\n"
        "asyncio.run(main())\n"
    )
    processes = [started(program, database) for _ in range(4)]
    said = {process.communicate()[0] for process in processes}
    assert [process.returncode for process in processes] == [0] * 4
    assert len(said) == 1


async def test_of_strangers_at_many_servers_one_gets_the_name(database, open_store):
    stores = await asyncio.gather(*(open_store() for _ in range(4)))
    tried = await asyncio.gather(
        *(store.identify("Ann", "ann", b"%d" % number) for number, store in enumerate(stores * 3)),
        return_exceptions=True,
    )
    taken = [isinstance(result, NameTaken) for result in tried]
    assert taken.count(False) == 1


async def test_games_that_end_at_once_at_two_servers_are_all_counted(
    database, open_store, told, make_game, seat_bot
):
    stores = [await open_store(), await open_store()]
    for number in range(30):
        game = make_game(f"g{number}", seat_bot("keller"), seat_bot("random"))
        write = told.write(game.id, room=game.id, state=None, archive=game)
        stores[number % 2].journal.append(write)
    await asyncio.gather(*(store.journal.flush() for store in stores))
    assert told.failed == []
    assert {record.games for record in await stores[0].records()} == {30}
    assert len((await stores[0].history_page(HistoryQuery(player="random"))).games) == 20


async def test_one_server_has_a_database_to_itself(database, open_store):
    first = await open_store(exclusive=True)
    message = await refusal(database, exclusive=True, busy_timeout=0.05)
    assert "another cantstop server uses" in message
    assert (await open_store()).server_id == first.server_id
    await first.close()
    await open_store(exclusive=True, busy_timeout=0.05)


HOLD = """
import asyncio, sys
from cantstop_server.storage.store import Store
async def main():
    store = await Store.open(sys.argv[1], exclusive=True)
    print("held", flush=True)
    sys.stdin.read()
asyncio.run(main())
"""


async def test_a_killed_server_leaves_no_lock(database, open_store):
    with started(HOLD, database) as server:
        assert server.stdout.readline() == "held\n"
        assert "another" in await refusal(database, exclusive=True, busy_timeout=0.05)
        server.kill()
    await open_store(exclusive=True)


BREAK = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def test_a_server_whose_connection_broke_takes_the_lock_again(database, open_store, told):
    store = await open_store(exclusive=True)
    store.journal.append(told.write("before"))
    await store.journal.flush()
    await ask(database, BREAK)
    store.journal.append(told.write("after", state=b"new"))
    await store.journal.flush()
    assert told.durable == ["before", "after"]
    assert "another" in await refusal(database, exclusive=True, busy_timeout=0.05)


async def test_a_server_that_lost_the_lock_to_another_writes_no_more(database, open_store, told):
    first = await open_store(exclusive=True, busy_timeout=0.05)
    await ask(database, BREAK)
    second = await open_store(exclusive=True)
    first.journal.append(told.write("late"))
    await first.journal.flush()
    assert told.failed == ["late"]
    assert "another cantstop server uses" in told.errors[0]
    assert await second.live_rooms("host") == []


async def test_whoever_holds_the_database_up_is_not_waited_for_for_ever(database, open_store, told):
    store = await open_store(busy_timeout=0.05)
    async with driver(database) as other:
        await other.execute("BEGIN")
        await other.execute(f"SELECT pg_advisory_xact_lock({0x43616E74}, 1)")
        with pytest.raises(DatabaseFault, match="is locked by another program: stop that one"):
            await store.identify("Ann", "ann", b"t")
        await other.execute("ROLLBACK")
    assert (await store.identify("Ann", "ann", b"t")).name == "Ann"


async def test_what_cannot_be_text_is_a_fault_of_the_data(database, open_store):
    store = await open_store()
    with pytest.raises(StorageError, match="did not take this") as caught:
        await store.history_page(HistoryQuery(player="a\0b"))
    assert not isinstance(caught.value, DatabaseFault)


async def test_care_is_postgresqls_own(database, open_store, tmp_path):
    await (await open_store()).close()
    with pytest.raises(StorageError, match=r"pg_dump --format=custom --file=\S+ postgresql://"):
        await care.backup(database, tmp_path / "copy.dump")
    before, after = await care.vacuum(database)
    assert min(before, after) > 1_000_000


async def test_a_dump_as_it_is_told_is_a_copy(database, open_store, tmp_path):
    await fill_games(database, 5)
    with pytest.raises(StorageError) as caught:
        await care.backup(database, tmp_path / "copy.dump")
    command = str(caught.value).partition(": ")[2]
    done(command, shell=True)
    async with new_database() as copy:
        done("pg_restore", f"--dbname={plain(copy)}", str(tmp_path / "copy.dump"))
        store = await open_store(copy)
        found = await store.examine()
        assert (found.games, found.faults) == (5, ())


async def test_no_page_of_history_needs_a_sort(database, open_store):
    await fill_games(database, 200)
    questions = [
        "player_id = 0 AND opponent_id = 0",
        "player_id = 1 AND opponent_id = 0 AND (ended_at, game_id) < (now(), 'x')",
        "player_id = 1 AND opponent_id = 2 AND variant = 230 AND outcome = 'won'",
        "player_id = 0 AND opponent_id = 0 AND variant = 230 AND outcome = 'finished'"
        " AND (ended_at, game_id) < (now(), 'x') AND ended_at >= '2026-01-01'",
    ]
    async with driver(database) as connection:
        await connection.execute("ANALYZE")
        for setting in ("seqscan", "sort", "bitmapscan"):
            await connection.execute(f"SET enable_{setting} = off")
        for question in questions:
            (row,) = await connection.fetch(
                "EXPLAIN (FORMAT JSON) SELECT ended_at, game_id FROM history WHERE"
                f" {question} ORDER BY ended_at DESC, game_id DESC LIMIT 21"
            )
            plan = json.loads(row[0])[0]["Plan"]["Plans"][0]
            assert plan["Node Type"].startswith("Index"), plan
            assert "Plans" not in plan
            assert "Filter" not in plan, plan


async def test_a_server_plays_on_it_and_takes_up_its_rooms(database):
    token = "a" * 64
    async with serving(database) as server, connected(server.port, "Ann", token=token) as ann:
        await ann.create(bots=["keller"])
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        before = await ann.until(lambda table: table.turn is not None)
    async with serving(database) as server, connected(server.port, "Ann", token=token) as ann:
        entered = await ann.join(before.room)
        assert isinstance(entered, messages.Entered)
        assert entered.table.game == before.game
        table = await ann.play_on()
        assert table.result is not None
        listed = await ann.do(commands.ListGames, player="Ann")
        assert isinstance(listed, messages.Games)
        assert [game.game for game in listed.games] == [before.game]


async def test_the_commands_work_on_it_and_show_no_password(database, tmp_path):
    await make_first_release(database)
    url = make_url(database).set(password="secret").render_as_string(hide_password=False)
    listed = run(tmp_path, "history", "--json", "--database", url)
    assert len(json.loads(listed.stdout)) == 7
    assert "is upgraded from 0001 to 0003; as it was it is kept in the tables before_0003_*" in (
        listed.stderr
    )
    for words, said in (
        (("check",), "7 games replayed, nothing is wrong"),
        (("vacuum",), "is tidied up"),
        (("upgrade",), "is up to date"),
    ):
        done = run(tmp_path, "db", *words, "--database", url)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
        assert "secret" not in done.stdout + done.stderr
    refused = run(tmp_path, "db", "backup", str(tmp_path / "copy"), "--database", url)
    assert (refused.returncode, "pg_dump" in refused.stderr) == (1, True)
    assert "secret" not in refused.stderr + listed.stderr
