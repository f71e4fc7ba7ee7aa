"""Databases out and in again, through real files."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from generated_games import KINDS, generated_games
from program import COMMAND, SECONDS, environment, run

from cantstop_protocol.text import name_key
from cantstop_server.errors import ServerError
from cantstop_server.record.exchange import BadFile, Import, export_database
from cantstop_server.record.read import read_records
from cantstop_server.record.write import record_text
from cantstop_server.storage import transfer
from cantstop_server.storage.errors import NameTaken
from cantstop_server.storage.store import Store
from cantstop_server.storage.types import ArchivedGame

SEED = 31
GAMES = 200


def token_of(name: str) -> bytes:
    return name_key(name).encode()[:32]


async def fill(store: Store, games: list[ArchivedGame]) -> None:
    """As if the games had been played here, by people who own their names."""
    names = {s.registered for game in games for s in game.seats if s.registered is not None}
    shuffled = Random(SEED).sample(sorted(names), len(names))
    for name in shuffled:
        await store.identify(name, name_key(name), token_of(name))
    await store.writing(lambda c: [transfer.take_game(c, game) for game in games])


async def exported(store: Store, *, jsonl: bool) -> str:
    parts: list[str] = []
    done = await export_database(store, parts.append, jsonl=jsonl)
    assert done.failed == []
    return "".join(parts)


async def imported(store: Store, *texts: str) -> transfer.Taken:
    with Import() as files:
        for number, text in enumerate(texts):
            files.add(f"file{number}", text.encode().splitlines(keepends=True))
        return await files.write(store)


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Callable[[str], Store]]:
    return lambda name: Store.open(str(tmp_path / name))  # type: ignore[return-value]


@pytest.mark.parametrize("jsonl", [True, False])
async def test_export_import_export_is_the_same_to_the_byte(open_store, jsonl) -> None:
    games = generated_games(SEED, GAMES)
    first, second = await open_store("one.db"), await open_store("two.db")
    await fill(first, games)
    text = await exported(first, jsonl=jsonl)
    taken = await imported(second, text)
    assert (taken.games, taken.known_games) == (GAMES, 0)
    assert await exported(second, jsonl=jsonl) == text
    counted = [record for record in await first.records() if record.games]
    assert [record for record in await second.records() if record.games] == counted
    again = await imported(second, text)
    assert (again.games, again.known_games, again.players) == (0, GAMES, 0)
    assert await exported(second, jsonl=jsonl) == text
    await first.close()
    await second.close()


async def test_a_rebuilt_database_is_the_same_server_with_the_same_owners(open_store) -> None:
    games = generated_games(SEED + 1, 20)
    first, second = await open_store("one.db"), await open_store("two.db")
    await fill(first, games)
    taken = await imported(second, await exported(first, jsonl=True))
    assert taken.strangers == 0
    await second.close()
    rebuilt = await open_store("two.db")
    assert rebuilt.server_id == first.server_id
    name = next(s.registered for game in games for s in game.seats if s.registered is not None)
    await rebuilt.identify(name, name_key(name), token_of(name))
    with pytest.raises(NameTaken):
        await rebuilt.identify(name, name_key(name), b"another")
    await first.close()
    await rebuilt.close()


async def test_elsewhere_the_names_are_free_and_then_taken(open_store) -> None:
    games = generated_games(SEED + 1, 20)
    first, second = await open_store("one.db"), await open_store("two.db")
    await fill(first, games)
    await second.identify("Somebody", "somebody", b"t")
    own_id = second.server_id
    taken = await imported(second, await exported(first, jsonl=True))
    assert taken.strangers > 0
    assert "free for the first" in taken.lines()[-1]
    name = next(s.registered for game in games for s in game.seats if s.registered is not None)
    await second.identify(name, name_key(name), b"new owner")
    with pytest.raises(NameTaken):
        await second.identify(name, name_key(name), token_of(name))
    assert (await second.records(name))[0].name == name
    await second.close()
    again = await open_store("two.db")
    assert again.server_id == own_id
    await first.close()
    await again.close()


async def test_another_game_under_the_same_identifier_is_refused(open_store) -> None:
    store = await open_store("one.db")
    one, other = generated_games(SEED, 2)
    await imported(store, record_text(one))
    text = record_text(other).replace(f"Game: {other.id}", f"Game: {one.id}")
    fresh = generated_games(SEED + 9, 3)[2]
    with pytest.raises(BadFile, match=f"file1:1: another game {one.id} is in the database"):
        await imported(store, record_text(fresh), text)
    assert [game.id for game in await store.history()] == [one.id]
    with pytest.raises(BadFile, match=f"file1:1: another game {one.id} is in file0:1"):
        await imported(await open_store("two.db"), record_text(one), text)
    await store.close()


async def test_nothing_of_any_file_is_taken_if_one_line_is_impossible(open_store) -> None:
    store = await open_store("one.db")
    games = generated_games(SEED, 6)
    good = "\n".join(map(record_text, games[:5]))
    bad = record_text(games[5]).replace("Claimed: A ", "Claimed: A 1")
    with pytest.raises(BadFile, match=r"file1:\d+: A has claimed \d columns, not 1\d"):
        await imported(store, good, bad)
    assert await store.history() == []
    await store.close()


async def test_a_game_that_cannot_be_replayed_is_named_and_left_out(open_store) -> None:
    store = await open_store("one.db")
    games = generated_games(SEED, 3)
    await imported(store, "\n".join(map(record_text, games)))
    broken = games[1].id

    def damage(connection) -> None:
        connection.exec_driver_sql(f"UPDATE games SET course = 's' WHERE id = '{broken}'")

    await store.writing(damage)
    parts: list[str] = []
    done = await export_database(store, parts.append, jsonl=False)
    assert done.games == 2
    assert done.failed == [f"game {broken} is left out, it cannot be replayed: no action at 's'"]
    assert [g.id for _, g in read_records("".join(parts).split("\n"))] == [
        games[0].id,
        games[2].id,
    ]
    await store.close()


def test_games_are_read_one_at_a_time() -> None:
    games = generated_games(SEED, 2)
    lines = iter(record_text(games[0]).split("\n") + record_text(games[1]).split("\n")[:1])

    def endless() -> Iterator[str]:
        yield from lines
        raise AssertionError("read past what was needed")

    _, first = next(read_records(endless()))
    assert first == games[0]


LINE = '{"type":"game","version":1}'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no line of this format"),
        (LINE, "no line of this format: Object missing required field"),
        ('{"type":"room"}', "no line of this format: Invalid value 'room'"),
        ('{"type":"server","version":2,"id":"5e"}', "version 2 of the format is not known here"),
        ('{"type":"server","version":1,"id":"5e"}', "a server's id is 32 hex digits"),
        (
            '{"type":"player","name":"Ann","computer":null,"created":"now","token":null}',
            "'now' is no time",
        ),
        (
            '{"type":"player","name":"\\u202e","computer":null,"created":"now","token":null}',
            "at least one visible character",
        ),
        ("[" * 100_000, "a record begins with"),
        ('{"type":' + "[" * 100_000, "no line of this format"),
    ],
)
async def test_lines_that_are_none_are_refused(open_store, line: str, reason: str) -> None:
    with Import() as files, pytest.raises(BadFile, match=r"games\.jsonl:1: ") as caught:
        files.add("games.jsonl", [line.encode()])
    assert reason in str(caught.value)


def test_text_in_another_encoding_is_refused_at_its_line() -> None:
    data = record_text(generated_games(SEED, 1)[0]).encode().splitlines(keepends=True)
    data[6] = 'Seat A: "Zo\u00eb" person\n'.encode("latin-1")
    with Import() as files, pytest.raises(BadFile, match="here:7: this is no text in UTF-8"):
        files.add("here", data)


def test_the_commands_rebuild_a_database(tmp_path: Path) -> None:
    source, target = str(tmp_path / "source.db"), str(tmp_path / "new" / "target.db")

    async def make() -> None:
        store = await Store.open(source)
        await fill(store, generated_games(SEED + 2, 30))
        await store.close()

    asyncio.run(make())
    file = tmp_path / "all.jsonl"
    full = ("export", "--all", "--jsonl", "--database")
    done = run(tmp_path, *full, source, "--output", str(file))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    refused = run(tmp_path, *full, source, "--output", str(file))
    assert refused.returncode == 1
    assert "is there already: give another name, or --force" in refused.stderr
    assert run(tmp_path, *full, source, "--output", str(file), "--force").returncode == 0
    taken = run(tmp_path, "import", str(file), "--database", target)
    assert taken.returncode == 0, taken.stderr
    assert taken.stdout.splitlines()[0] == "30 games imported"
    assert run(tmp_path, *full, target).stdout == file.read_text("utf-8")
    assert sorted(p.name for p in tmp_path.iterdir() if "jsonl" in p.name) == ["all.jsonl"]
    again = run(tmp_path, "import", "-", "--database", target, stdin=file.read_text("utf-8"))
    assert again.stdout.splitlines()[0] == "0 games imported; 30 were there already"
    one = run(tmp_path, "export", "g00003", "--database", source)
    assert one.stdout.startswith("Can't Stop game record 1\nGame: g00003\n")
    last = json.loads(run(tmp_path, "export", "--jsonl", "--database", source).stdout)
    assert last["id"] in one.stdout or last["type"] == "game"
    assert {kind for kind in KINDS if f'"computer":"{kind}"' in file.read_text("utf-8")}


def test_a_record_that_does_not_replay_is_refused_by_file_and_line(tmp_path: Path) -> None:
    text = record_text(generated_games(SEED, 1)[0])
    file = tmp_path / "bad.cantstop"
    file.write_text(text.replace("Turns: ", "Turns: 9"), "utf-8")
    done = run(tmp_path, "import", str(file))
    line = next(n for n, t in enumerate(text.split("\n"), 1) if t.startswith("Turns: "))
    assert done.returncode == 1
    assert f"{file}:{line}: it went to turn" in done.stderr
    assert done.stderr.endswith("nothing was imported\n")
    assert not (tmp_path / "cantstop.db").exists()


def test_a_disk_without_room_is_named_before_anything_is_imported(
    monkeypatch, tmp_path: Path
) -> None:
    (tmp_path / "spool").touch()
    # Opened to be read only: it takes no byte, as a full disk does.
    unwritable = lambda: os.fdopen(os.open(tmp_path / "spool", os.O_RDONLY), "w+b")  # noqa: E731
    monkeypatch.setattr("tempfile.TemporaryFile", unwritable)
    data = record_text(generated_games(SEED, 1)[0]).encode().splitlines(keepends=True)
    refused = pytest.raises(ServerError, match=r"wait on the disk: .*; nothing was imported")
    with refused, Import() as files:
        files.add("here", data)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("import",), "name the files to import"),
        (("import", "nowhere.cantstop"), "cannot read nowhere.cantstop: No such file"),
        (("import", "."), "cannot read .: Is a directory"),
        (("export", "--all"), "there is nothing to export"),
        (("export", "abc", "--all"), "leave out the one"),
        (("export", "abc"), "there is no game 'abc'"),
        (("export",), "there is no game in"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, arguments, reason: str) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == 1
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


async def test_a_whole_database_is_not_taken_under_a_running_server(
    open_store, tmp_path: Path
) -> None:
    first = await open_store("one.db")
    await fill(first, generated_games(SEED, 3))
    file = tmp_path / "all.jsonl"
    file.write_text(await exported(first, jsonl=True), "utf-8")
    await first.close()
    target = str(tmp_path / "two.db")
    running = await Store.open(target, exclusive=True)
    done = await asyncio.to_thread(run, tmp_path, "import", str(file), "--database", target)
    assert done.returncode == 1
    assert "another cantstop server uses" in done.stderr
    records = tmp_path / "all.cantstop"
    records.write_text("\n".join(map(record_text, generated_games(SEED, 3))), "utf-8")
    done = await asyncio.to_thread(run, tmp_path, "import", str(records), "--database", target)
    assert (done.returncode, done.stdout) == (0, "3 games imported\n")
    await running.close()


def test_an_import_is_left_at_once(tmp_path: Path) -> None:
    """Ctrl-C while a file is read, whose end never comes."""
    environ = environment(tmp_path)
    with subprocess.Popen(
        [COMMAND, "import", "-"], env=environ, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        note = b"# a note\n" * 1000
        for _ in range(100):  # more than a pipe holds: it is being read
            process.stdin.write(note)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130
        process.stdin.close()
    assert not (tmp_path / "cantstop.db").exists()
