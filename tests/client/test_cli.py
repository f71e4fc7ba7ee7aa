"""The command as a process: what it loads, what it prints, how it ends."""

import asyncio
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from cantstop_client import cli
from cantstop_protocol.codes import ByeCode, ErrorCode
from cantstop_protocol.commands import Chat, Join
from cantstop_protocol.events import Chatted
from cantstop_protocol.messages import Bye, Entered, Error, Greeting, Ok, Rooms, Update, Welcome
from cantstop_protocol.table import RoomSummary

SECONDS = 60
HOSTILE = "evil\x1b[2J\x1b]0;t\x07\x7f\x9b31m\u202e\u2066\u200b"
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass
class Ended:
    code: int
    out: str
    err: str


def environment(**extra: str) -> dict[str, str]:
    return os.environ | {"PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"} | extra


def command(*arguments: str, stdin: str | None = "", **extra: str) -> Ended:
    """Run the command; ``stdin`` None starts it with standard input closed."""
    full = [sys.executable, "-m", "cantstop_client", *arguments]
    if stdin is None:
        full = ["sh", "-c", 'exec "$@" <&-', "sh", *full]
    done = subprocess.run(
        full,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        env=environment(**extra),
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


async def command_at(address, *arguments: str, stdin: bytes = b"", **extra: str) -> Ended:
    """Run ``join`` against a server of this test while its loop goes on."""
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "cantstop_client", "join", "--server", str(address)],
        *arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**extra),
    )
    out, err = await process.communicate(stdin)
    return Ended(process.returncode or 0, out.decode(), err.decode())


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from cantstop_client.cli import run\n"
        "for arguments in (['--help'], ['play', '--help'], ['join', '-h'], ['--version'], []):\n"
        "    assert run(arguments) == 0\n"
        "heavy = {'websockets', 'asyncio', 'sqlalchemy', 'cantstop_server', 'prompt_toolkit',\n"
        "         'msgspec', 'msgpack', 'platformdirs', 'markdown_it', 'ssl'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=SECONDS
    )
    assert done.stdout.endswith("loaded: []\n"), done.stdout + done.stderr


def test_joining_loads_nothing_of_the_server() -> None:
    program = (
        "import sys\n"
        "import cantstop_client.app, cantstop_client.local, cantstop_client.archive\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in\n"
        "      ('cantstop_server', 'sqlalchemy', 'alembic', 'prompt_toolkit')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=SECONDS
    )
    assert done.stdout == "[]\n", done.stdout + done.stderr


@pytest.mark.parametrize(
    "name", ["host", "join", "play", "history", "stats", "leaders", "players", "bench"]
)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([name, "--help"]) == 0
    assert f"cantstop {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["dance"], "dance"),
        (["play", "--dance"], "--dance"),
        (["play", "--target", "many"], "many"),
        (["play", "--target", "0"], "--target"),
        (["play", "--bots", "keller,keller,keller,keller"], "at most 3"),
        (["play", "--bot-delay", "-1"], "--bot-delay"),
        (["play", "--bot-delay", "nan"], "--bot-delay"),
        (["play", "--name", "x" * 30], "--name"),
        (["join", "--server", "den:port"], "port"),
        (["host", "--port", "70000"], "--port"),
        (["bench", "rules", "--games", "0"], "at least 1"),
        (["bench", "rules", "--player", "nobody"], "nobody"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_1(
    data_directory: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert cli.run(arguments) == 1
    complaint = capsys.readouterr().err
    assert complaint.startswith("cantstop: ")
    assert words in complaint
    assert complaint.count("\n") == 1


def test_a_fault_of_ours_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("odd\x1b[31m")

    monkeypatch.setattr(cli, "app", fail)
    assert cli.run([]) == 1
    assert capsys.readouterr().err == ("cantstop: a fault in this program: RuntimeError: odd[31m\n")


def test_control_c_has_the_shells_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", interrupt)
    assert cli.run([]) == 130


def test_nobody_there_is_one_line_with_host_and_port(data_directory: Path) -> None:
    ended = command("join", "--server", "127.0.0.1:1")
    assert ended.code == 1
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    assert "cannot reach 127.0.0.1:1: connection refused" in ended.err
    assert "cantstop host" in ended.err


@pytest.mark.parametrize("name", ["history", "stats"])
@pytest.mark.parametrize("as_json", [False, True])
def test_no_database_is_no_error_and_none_is_made(
    data_directory: Path, capsys: pytest.CaptureFixture[str], name: str, as_json: bool
) -> None:
    assert cli.run([name, *(["--json"] if as_json else [])]) == 0
    shown = capsys.readouterr().out
    assert shown == "[]\n" if as_json else "There is no database yet" in shown
    assert not data_directory.exists()


async def lobby(peer) -> None:
    await peer.welcome()
    listing = await peer.hear()
    await peer.tell(Rooms(re=listing.id, rooms=()))
    await peer.until_gone()


async def test_the_lobby_lists_rooms_and_ends_with_its_input(
    scripted, data_directory: Path
) -> None:
    async with scripted(lobby) as address:
        ended = await command_at(address, "--name", "Ann")
    assert ended.code == 0
    assert f"Connected to den at {address}. You are Ann" in ended.out
    assert "No room is open" in ended.out
    assert ended.out.endswith("End of input: leaving\n")
    assert ended.err == ""
    assert (data_directory / "name").read_text() == "Ann\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes descriptors")
async def test_closed_standard_input_is_its_end(scripted, data_directory: Path) -> None:
    async with scripted(lobby) as address:
        ended = await asyncio.to_thread(command, "join", "--server", str(address), stdin=None)
    assert ended.code == 0
    assert ended.out.endswith("End of input: leaving\n")


async def test_a_shutdown_is_told_once_and_is_no_failure(scripted, data_directory: Path) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        listing = await peer.hear()
        await peer.tell(Rooms(re=listing.id, rooms=()))
        await peer.tell(Bye(code=ByeCode.SHUTDOWN, message="the server is shutting down"))

    async with scripted(script) as address:
        process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-m", "cantstop_client", "join", "--server", str(address)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        # Standard input stays open: it is the server that ends this.
        out, err = await asyncio.gather(process.stdout.read(), process.stderr.read())
        assert await process.wait() == 0
        process.stdin.close()
    assert out.decode().count("The server is shutting down") == 1
    assert err == b""


async def test_a_full_room_may_be_watched(scripted, data_directory: Path) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        assert join == Join(id=join.id, room="LEZAT", password="pw")
        await peer.tell(Error(re=join.id, code=ErrorCode.ROOM_FULL, message="every seat is taken"))
        await peer.until_gone()

    async with scripted(script) as address:
        ended = await command_at(address, "LEZAT", "--password", "pw")
    assert ended.code == 1
    assert "every seat is taken" in ended.err
    assert "--watch" in ended.err


async def test_nothing_hostile_from_a_server_reaches_the_terminal(
    scripted, table, seat, data_directory: Path
) -> None:
    """Names, titles, chat, errors, the server's own name: all pass the gate."""
    hostile = table(
        seat(HOSTILE), seat("Ann"), title=HOSTILE, spectators=(HOSTILE,), creator=HOSTILE
    )

    async def script(peer) -> None:
        await peer.tell(Greeting(server="5e", name=HOSTILE, software=HOSTILE, bots=(HOSTILE,)))
        hello = await peer.hear()
        await peer.tell(Welcome(re=hello.id, name=HOSTILE, rooms=(HOSTILE,)))
        join = await peer.hear()
        await peer.tell(
            Entered(re=join.id, seat=1, seq=1, events=(), complete=True, table=hostile),
            Update(seq=2, event=Chatted(HOSTILE, 0, HOSTILE), table=hostile),
        )
        chat = await peer.hear()
        assert isinstance(chat, Chat)
        await peer.tell(Error(re=chat.id, code=ErrorCode.TOO_FAST, message=HOSTILE))
        listing = await peer.hear()
        summary = RoomSummary(
            room=HOSTILE,
            title=HOSTILE,
            phase="waiting",
            options=hostile.options,
            private=False,
            names=(HOSTILE,),
            free_seats=1,
            spectators=0,
        )
        await peer.tell(Rooms(re=listing.id, rooms=(summary,)))
        await peer.until_gone()

    async with scripted(script) as address:
        typed = b"hello\n/rooms\n/who\n/board\n/odds\n/\x1b[31mx\n"
        ended = await command_at(address, "LEZAT", stdin=typed)
    assert ended.code == 0
    assert ended.out.count("evil") >= 8
    assert not UNSAFE.search(ended.out)
    assert ended.err == ""


async def test_a_hostile_refusal_is_filtered_too(scripted, data_directory: Path) -> None:
    async def script(peer) -> None:
        await peer.tell(Greeting(server="5e", name="", software="", bots=()))
        hello = await peer.hear()
        await peer.tell(Error(re=hello.id, code=ErrorCode.NAME_TAKEN, message=HOSTILE))
        await peer.until_gone()

    async with scripted(script) as address:
        ended = await command_at(address)
    assert ended.code == 1
    assert "evil" in ended.err
    assert not UNSAFE.search(ended.err)


async def test_where_utf8_is_not_spoken_nothing_but_ascii_is_written(
    scripted, table, seat, data_directory: Path
) -> None:
    async def script(peer) -> None:
        await peer.welcome(name="\u6f22\u5b57")
        join = await peer.hear()
        here = table(seat("\u6f22\u5b57", {7: 3}), seat("\u00dcnal"))
        await peer.tell(Entered(re=join.id, seat=0, seq=1, events=(), complete=True, table=here))
        chat = await peer.hear()
        await peer.tell(Ok(re=chat.id))
        await peer.until_gone()

    async with scripted(script) as address:
        plain = {"LC_ALL": "C", "PYTHONIOENCODING": ""}
        ended = await command_at(address, "LEZAT", stdin=b"hi\n", **plain)
    assert ended.code == 0
    assert ended.err == ""
    assert ended.out.isascii()
    assert "?nal" in ended.out


def test_a_game_runs_unattended_and_is_in_the_history(data_directory: Path) -> None:
    ended = command("play", "--auto", "--target", "1", "--name", "Ann")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.count(" wins the game after ") == 1
    (game,) = json.loads(command("history", "--json").out)
    assert game["status"] == "finished"
    assert [seat["name"] for seat in game["seats"]] == ["Ann", "keller"]
    assert game["winner"] in ("Ann", "keller")
    assert game["winner"] in command("history").out
    records = {record["name"]: record for record in json.loads(command("stats", "--json").out)}
    assert records["Ann"]["games"] == 1
    assert command("stats", "nobody").out == "No finished game of 'nobody' is on record\n"


@pytest.mark.parametrize("option", ["--bots", "--auto"])
def test_a_kind_that_does_not_exist_is_refused_before_a_game_is_made(
    data_directory: Path, option: str
) -> None:
    ended = command("play", option, "foo")
    assert ended.code == 1
    assert ended.err.startswith("cantstop: no computer player 'foo': choose one of keller, ")
    assert not list(data_directory.glob("*.db"))


def test_solitaire_runs_unattended(data_directory: Path) -> None:
    ended = command("play", "--bots", "", "--auto", "random", "--target", "1", stdin=None)
    assert (ended.code, ended.err) == (0, "")
    assert " wins the game after " in ended.out


def test_moves_through_a_pipe_are_made_and_its_end_leaves(data_directory: Path) -> None:
    ended = command("play", "--name", "Ann", stdin="r\n1\ns\n")
    assert (ended.code, ended.err) == (0, "")
    assert "Ann rolls " in ended.out
    assert "Ann takes " in ended.out
    assert "Ann stops and keeps " in ended.out
    assert ended.out.endswith("End of input: leaving\n")


def test_nobody_reading_the_output_is_a_quiet_end(data_directory: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "cantstop_client", "play", "--auto"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process, process.stderr:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(SECONDS) == 1
        assert process.stderr.read() == b""


def test_the_rules_benchmark_prints_rates(data_directory: Path) -> None:
    ended = command("bench", "rules", "--games", "2", "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["games"] == 2


async def test_why_the_connection_ended_while_joining_is_told(
    scripted, data_directory: Path
) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        await peer.hear()
        await peer.tell(Bye(code=ByeCode.REPLACED, message="x"))

    async with scripted(script) as address:
        ended = await command_at(address, "LEZAT")
    assert ended.code == 1
    assert ended.err == "cantstop: you connected from somewhere else; this client stops here\n"
