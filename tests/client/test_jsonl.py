"""The face for programs, as a process against a scripted server and in whole games."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from program import environment, run

from cantstop_protocol.codes import ByeCode, ErrorCode
from cantstop_protocol.commands import Chat, Join, ListRooms, Roll
from cantstop_protocol.events import Chatted
from cantstop_protocol.messages import Bye, Entered, Error, Ok, Rooms, Update

README = Path(__file__).parents[2] / "README.md"


class Program:
    """``cantstop join --json`` with its pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout

    def say(self, *lines: Any) -> None:
        for line in lines:
            text = line if isinstance(line, bytes) else json.dumps(line).encode()
            self._in.write(text + b"\n")

    async def hear(self) -> dict[str, Any]:
        line = await self._out.readline()
        assert line.endswith(b"\n"), line
        assert line.isascii()
        heard = json.loads(line)
        assert isinstance(heard, dict)
        return heard

    async def end(self) -> tuple[int | None, list[dict[str, Any]], str]:
        """Close its input: exit code, the rest of what it says, its errors."""
        self._in.close()
        out, err = await self.process.communicate()
        return (
            self.process.returncode,
            [json.loads(line) for line in out.splitlines()],
            err.decode(),
        )


@pytest.fixture
async def joining(tmp_path: Path):
    """Starts the program against an address."""
    started = []

    async def start(address, *arguments: str) -> Program:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cantstop_client", "join", "--json", "--name", "Ann"),
            *("--server", str(address)),
            *arguments,
            env=environment(tmp_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        return Program(process)

    yield start
    for process in started:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def test_commands_go_out_in_order_and_replies_carry_the_programs_numbers(
    scripted, joining
) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        heard = [await peer.hear() for _ in range(4)]
        assert [type(command) for command in heard] == [ListRooms, Chat, Roll, ListRooms]
        for command in reversed(heard[1:]):
            await peer.tell(Ok(re=command.id))
        await peer.tell(Rooms(re=heard[0].id, rooms=()))
        await peer.until_gone()

    async with scripted(script) as address:
        program = await joining(address)
        assert (await program.hear())["type"] == "greeting"
        assert await program.hear() == {"type": "welcome", "re": 0, "name": "Ann", "rooms": []}
        program.say(
            {"type": "list_rooms"},
            {"type": "chat", "text": "hi \u00e9", "id": 70},
            {"type": "roll", "ply": 3},
            {"type": "list_rooms", "id": 9},
        )
        assert [(await program.hear())["re"] for _ in range(4)] == [9, 71, 70, 1]
        code, rest, errors = await program.end()
    assert (code, errors) == (0, "")
    assert rest == [{"type": "connection_ended", "reason": "end of input", "clean": True}]


@pytest.mark.parametrize(
    "line",
    [
        b"roll",
        b"[]",
        b"7",
        b"null",
        b"{",
        b"\xff\xfe",
        b"{}",
        b'{"type": "dance"}',
        b'{"type": "roll"}',
        b'{"type": "roll", "ply": "1"}',
        b'{"type": "roll", "ply": 1e3}',
        b'{"type": "roll", "ply": -1}',
        b'{"type": "roll", "ply": 1, "more": 1}',
        b'{"type": "roll", "ply": 1, "id": 0}',
        b'{"type": "roll", "ply": 99999999999999999999999}',
        b'{"type": "hello", "name": "Eve", "token": "' + b"x" * 40 + b'", "instance": "01234567"}',
        b'{"type": "chat", "text": "' + b"x" * 5000 + b'"}',
        b"[" * 5000,
    ],
    ids=lambda line: line[:24].decode("latin-1"),
)
async def test_a_line_that_is_no_command_is_answered_and_not_sent(scripted, joining, line) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        listing = await peer.hear()
        assert isinstance(listing, ListRooms)
        await peer.tell(Rooms(re=listing.id, rooms=()))
        await peer.until_gone()

    async with scripted(script) as address:
        program = await joining(address)
        program.say(b"", line, {"type": "list_rooms"})
        heard = [await program.hear() for _ in range(4)]
        refused = heard[2]
        assert (refused["type"], refused["line"]) == ("malformed_line", 2)
        assert set(refused) == {"type", "line", "message"}
        assert heard[3] == {"type": "rooms", "re": 1, "rooms": []}
        assert (await program.end())[0] == 0


async def test_replies_that_are_due_come_before_the_end(scripted, joining) -> None:
    may_answer = asyncio.Event()

    async def script(peer) -> None:
        await peer.welcome()
        listing = await peer.hear()
        await may_answer.wait()
        await peer.tell(Rooms(re=listing.id, rooms=()))
        await peer.until_gone()

    async with scripted(script) as address:
        program = await joining(address)
        program.say({"type": "list_rooms"})
        ending = asyncio.create_task(program.end())
        may_answer.set()
        code, heard, _ = await ending
    assert code == 0
    assert [message["type"] for message in heard[-2:]] == ["rooms", "connection_ended"]


async def test_a_lost_connection_is_told_and_the_program_returns(scripted, joining, table) -> None:
    here = table()

    async def first(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        assert isinstance(join, Join)
        await peer.tell(Entered(re=join.id, seat=0, seq=4, events=(), complete=True, table=here))

    async def second(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        assert (join.room, join.last_seq) == ("LEZAT", 4)
        await peer.tell(Entered(re=join.id, seat=0, seq=4, events=(), complete=True, table=here))
        await peer.tell(Update(seq=5, event=Chatted("Ben", 1, "hi"), table=here))
        await peer.tell(Bye(code=ByeCode.SHUTDOWN, message="x"))

    async with scripted(first, second) as address:
        program = await joining(address, "LEZAT")
        kinds = []
        while not kinds or kinds[-1] != "connection_ended":
            kinds.append((await program.hear())["type"])
        code, _, errors = await program.end()
    assert (code, errors) == (0, "")
    assert kinds == [
        *("greeting", "welcome", "entered", "connection_lost"),
        *("greeting", "welcome", "entered", "connection_resumed"),
        *("update", "bye", "connection_ended"),
    ]


async def test_a_refused_entry_is_a_message_and_a_failure(scripted, joining) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        await peer.tell(Error(re=join.id, code=ErrorCode.ROOM_FULL, message="every seat is taken"))
        await peer.until_gone()

    async with scripted(script) as address:
        program = await joining(address, "LEZAT")
        heard = [await program.hear() for _ in range(3)]
        assert (heard[2]["code"], heard[2]["re"]) == ("room_full", 0)
        code, _, errors = await program.end()
    assert code == 1
    assert errors.count("\n") == 1


async def test_being_replaced_is_a_failure_with_a_line(scripted, joining) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        await peer.tell(Bye(code=ByeCode.REPLACED, message="x"))

    async with scripted(script) as address:
        program = await joining(address)
        heard = [await program.hear() for _ in range(4)]
        assert heard[2]["type"] == "bye"
        assert (heard[3]["type"], heard[3]["clean"]) == ("connection_ended", False)
        code, _, errors = await program.end()
    assert code == 1
    assert "somewhere else" in errors


def test_an_unattended_game_is_told_line_by_line_to_its_end(tmp_path: Path) -> None:
    played = run(tmp_path, "play", "--json", "--auto", "--target", "1", "--name", "Ann")
    assert (played.returncode, played.stderr) == (0, "")
    heard = [json.loads(line) for line in played.stdout.splitlines()]
    assert heard[0]["type"] == "greeting"
    assert heard[-2]["event"]["type"] == "revealed"
    assert (heard[-3]["type"], heard[-3]["ok"]) == ("dice_checked", True)
    assert heard[-4]["event"]["type"] == "finished"
    assert heard[-1] == {"type": "connection_ended", "reason": "the game is over", "clean": True}


def test_output_that_nobody_reads_is_a_quiet_end(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "cantstop_client", "play", "--json", "--auto"],
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process, process.stderr:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 1
        assert process.stderr.read() == b""


def test_the_bot_of_the_readme_plays_a_whole_game(tmp_path: Path) -> None:
    section = README.read_text("utf-8").partition("## Bots, and clients")[2]
    bot = section.partition("```python\n")[2].partition("```")[0]
    assert bot.count("\n") <= 24
    path = f"{Path(sys.executable).parent}:{environment(tmp_path)['PATH']}"
    played = subprocess.run(
        [sys.executable, "-W", "error", "-c", bot],
        env=environment(tmp_path, PATH=path, CANTSTOP_NAME="Bot"),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (played.returncode, played.stderr) == (0, "")
    name, _, rest = played.stdout.partition(" wins after ")
    assert name in ("Bot", "keller")
    assert rest.endswith(" turns\n")
    (game,) = json.loads(run(tmp_path, "history", "--json").stdout)
    assert (game["status"], game["winner"]) == ("finished", name)
