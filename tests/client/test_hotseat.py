"""Several people at one keyboard."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from program import run, terminal

from cantstop_client.errors import ClientError
from cantstop_client.glyphs import ASCII
from cantstop_client.hotseat import HotSeat, SharedSession, read_people
from cantstop_client.output import Output
from cantstop_client.plain_screen import PlainScreen
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import Autopilot, Chat, Leave, ListRooms, Rematch, Roll, Start
from cantstop_protocol.events import Chatted
from cantstop_protocol.messages import Entered, Error, Ok, Update, Welcome


class Notes:
    """A session that notes what it is asked."""

    def __init__(self, name: str, notes: list[tuple[str, str]], reply: Any) -> None:
        self._name, self._notes, self._reply = name, notes, reply

    async def request(self, kind: type, _: object = None, /, **fields: Any) -> Any:
        self._notes.append((self._name, kind.__name__))
        return self._reply


def test_people_are_told_apart() -> None:
    assert read_people(" Ann ,Ben") == ("Ann", "Ben")
    for text, words in (("Ann,ann", "two names"), ("Ann,", "a name needs"), ("x" * 21, "at most")):
        with pytest.raises(ClientError, match=words):
            read_people(text)


def test_the_screen_is_that_of_whose_turn_it_is(table, seat, turn) -> None:
    out = io.StringIO()
    screen = PlainScreen(Output(out, ASCII, 80), alone=True, shared=True)
    hot = HotSeat(screen, ("ann", "Ben"))
    seats = (seat("Ann"), seat("Ben"), seat("keller", bot="keller"))
    hot.listen(Welcome(re=1, name="Ann", rooms=()))

    def update(seq: int, who: int | None, ply: int = 1) -> None:
        pending = None if who is None else turn(who, "roll", number=ply, ply=ply)
        now = table(*seats, turn=pending, phase="over" if who is None else "playing")
        hot.listen(Update(seq=seq, event=Chatted("Ann", 0, "hi"), table=now))

    begun = table(*seats, turn=turn(1, "roll", number=1, ply=0))
    hot.listen(Entered(re=2, seat=0, seq=1, events=(), complete=True, table=begun))
    assert hot.name == "Ben"
    assert screen.view.room is not None
    assert screen.view.room.is_mine
    update(2, 2)
    assert hot.name == "Ben"
    assert not screen.view.room.is_mine
    update(3, 0, 2)
    assert hot.name == "Ann"
    assert screen.view.room.is_mine
    update(4, 1, 3)
    update(5, None)
    assert hot.name == "Ann"
    asked = [line for line in out.getvalue().splitlines() if "to roll" in line]
    assert [line.partition(":")[0] for line in asked] == [
        "Ben, your turn 1",
        "Ann, your turn 2",
        "Ben, your turn 3",
    ]
    assert "/start begins another game" in out.getvalue()


async def test_each_request_goes_out_from_whom_it_is_of() -> None:
    notes: list[tuple[str, str]] = []
    refusal = Error(re=1, code=ErrorCode.STALE, message="x")
    sessions = {"Ann": Notes("Ann", notes, Ok(re=1)), "Ben": Notes("Ben", notes, refusal)}
    shared = SharedSession(sessions, lambda: "BEN")  # type: ignore[arg-type]
    assert await shared.request(Roll, ply=1) is refusal
    assert isinstance(await shared.request(Start), Ok)
    for kind, fields in (
        (Chat, {"text": "hi"}),
        (Autopilot, {"kind": "keller"}),
        (ListRooms, {}),
    ):
        await shared.request(kind, **fields)
    assert notes == [
        ("Ben", "Roll"),
        ("Ann", "Start"),
        ("Ben", "Chat"),
        ("Ben", "Autopilot"),
        ("Ann", "ListRooms"),
    ]
    notes.clear()
    await shared.request(Rematch)
    await shared.request(Leave)
    await shared.request(Autopilot, kind=None)
    # The first one's session tells what happens, and so is the last to go.
    assert [name for name, _ in notes] == ["Ben", "Ann"] * 3


def test_a_game_is_played_by_turns_and_each_has_a_record(tmp_path: Path) -> None:
    with terminal(
        tmp_path,
        "play",
        "--people",
        "Ann,Ben",
        "--bots",
        "keller",
        "--target",
        "1",
        "--bot-delay",
        "0",
    ) as screen:
        turns = set()
        while True:
            asked = screen.expect(
                [
                    r"(\w+), your turn \d+: r to roll;",
                    r"\w+, you: .{1,12} to choose how to use",
                    r"\w+, you: r to roll again, s to stop;",
                    r"wins the game after",
                ]
            )
            if asked == 3:
                break
            if asked == 0:
                turns.add(screen.match[1])
            screen.sendline(["r", "1", "s"][asked])
        assert turns <= {"Ann", "Ben"}
        screen.expect("/start begins another game")
        screen.sendline("/rematch")
        screen.expect("the game begins")
        screen.sendline("/quit")
    (over,) = (
        game
        for game in json.loads(run(tmp_path, "history", "--json").stdout)
        if game["status"] == "finished"
    )
    assert [seat["name"] for seat in over["seats"]] == ["Ann", "Ben", "keller"]
    records = json.loads(run(tmp_path, "stats", "--json").stdout)
    assert {record["name"]: record["games"] for record in records} == {
        "Ann": 1,
        "Ben": 1,
        "keller": 1,
    }


def test_it_works_through_a_pipe_and_alone_later_under_the_same_name(tmp_path: Path) -> None:
    played = run(tmp_path, "play", "--people", "Ann,Ben", stdin=6 * "r\n1\ns\n")
    assert (played.returncode, played.stderr) == (0, "")
    assert played.stdout.endswith("End of input: leaving\n")
    assert "Ann rolls" in played.stdout
    assert "Ben rolls" in played.stdout
    assert "keller" not in played.stdout
    for name in ("Ann", "Ben"):
        alone = run(tmp_path, "play", "--auto", "--target", "1", "--name", name)
        assert (alone.returncode, alone.stderr) == (0, "")


def test_nobody_needs_to_be_there(tmp_path: Path) -> None:
    played = run(tmp_path, "play", "--people", "Ann,Ben", "--auto", "--target", "1")
    assert (played.returncode, played.stderr) == (0, "")
    assert played.stdout.count(" wins the game after ") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--people", "Ann,Ben", "--name", "Cat"], "--name"),
        (["--people", "Ann,Ben", "--json"], "--json"),
        (["--people", "A,B,C", "--bots", "keller,random"], "at most 1 computer"),
        (["--people", "A,B,C,D,E"], "at most"),
        (["--people", "Ann,keller"], "another name"),
        (["--people", ""], "a name needs"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    refused = run(tmp_path, "play", *arguments)
    assert refused.returncode == 1
    assert words in refused.stderr
    assert refused.stderr.count("\n") == 1
