"""A replay over a live room: what happens there meanwhile is called out, kept, and shown after."""

import asyncio
import io
from pathlib import Path

import pytest
from patience import until
from stories import example_story

from cantstop_client.commands import read_line
from cantstop_client.fullscreen.compose import render
from cantstop_client.fullscreen.face import FullScreenFace, Manner
from cantstop_client.fullscreen.fragments import text_of
from cantstop_client.fullscreen.marks import ASCII_MARKS
from cantstop_client.fullscreen.palette import Style
from cantstop_client.glyphs import ASCII
from cantstop_client.happenings import Lost
from cantstop_client.intents import AskReplay, Hint
from cantstop_client.output import Output
from cantstop_client.plain_screen import PlainScreen
from cantstop_client.view import RoomView, View
from cantstop_protocol.events import Chatted, Started, Stopped
from cantstop_protocol.messages import Entered, GameRecord, Notice, Update, Welcome
from cantstop_protocol.table import GameOptions, Result

STORY = example_story()


class Shown:
    """A plain screen in a room, and the lines it has written since one last looked."""

    def __init__(self, table, turn) -> None:
        self._stream = io.StringIO()
        self.screen = PlainScreen(Output(self._stream, ASCII, 80))
        self.screen.listen(Welcome(re=1, name="Ann", rooms=()))
        here = table(turn=turn(1, "roll_or_stop", number=3))
        self.screen.listen(Entered(re=2, seat=0, seq=5, events=(), complete=True, table=here))
        self.new()

    def new(self) -> list[str]:
        text = self._stream.getvalue()
        self._stream.seek(0)
        self._stream.truncate()
        return text.splitlines()


@pytest.fixture
def shown(table, turn) -> Shown:
    return Shown(table, turn)


def test_events_are_kept_and_ones_turn_is_called_out_once(shown, table, turn, columns) -> None:
    mine = table(turn=turn(0, "roll", number=4))
    shown.screen.hold()
    shown.screen.listen(Update(seq=6, event=Stopped(1, columns({7: 2}), ()), table=mine))
    shown.screen.listen(Update(seq=7, event=Chatted("keller", 1, "your move"), table=mine))
    assert shown.new() == ["It is your turn at the table: q returns to it"]
    shown.screen.release()
    lines = shown.new()
    assert lines[0] == "keller stops and keeps 7 at 2 of 13"
    assert "keller: your move" in lines
    assert lines[-1].startswith("Your turn 4: r to roll")
    assert shown.screen.view.room.seq == 7


def test_what_cannot_wait_is_said_at_once(shown) -> None:
    shown.screen.hold()
    shown.screen.listen(Notice(message="the server ends in a minute"))
    shown.screen.listen(Lost("no answer", 2.0))
    assert shown.new() == ["Server: the server ends in a minute", "Connection lost: no answer"]
    shown.screen.release()
    assert any("Trying again" in line for line in shown.new())


def test_more_than_is_kept_is_a_gap_and_the_table_is_right(shown, table, turn) -> None:
    theirs = table(turn=turn(1, "roll", number=9))
    shown.screen.hold()
    for seq in range(6, 2006):
        shown.screen.listen(Update(seq=seq, event=Chatted("keller", 1, f"{seq}"), table=theirs))
    shown.screen.release()
    lines = shown.new()
    assert "keller: 2005" in lines
    assert "keller: 900" not in lines
    assert shown.screen.view.room.gap
    assert shown.screen.view.room.table == theirs


def test_without_a_game_it_is_the_latest_of_the_room(table) -> None:
    over = table(phase="over", result=Result("k3f9", 0, 9, False))
    view = View(name="Ann", room=RoomView(over, 0, 1))
    assert read_line("/replay", view) == AskReplay("k3f9")
    assert read_line("/replay abc", view) == AskReplay("abc")
    assert read_line("/replay", View()) == AskReplay("")
    assert isinstance(read_line(f"/replay {'x' * 41}", view), Hint)


class Server:
    """A session that gives the example's game, when it is let."""

    latency = None

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()

    async def request(self, kind, /, **fields):
        await self.may_answer.wait()
        first = fields["first"]
        return GameRecord(
            re=1,
            game=STORY.game,
            started=STORY.started,
            ended=STORY.started,
            turn_ends=(),
            total=len(STORY.steps),
            first=first,
            steps=STORY.steps[first : first + 64],
        )

    async def wait_ended(self):
        await asyncio.Event().wait()


class Screen:
    """Instead of the terminal: which stage it shows, and the line."""

    def __init__(self, stage) -> None:
        self.stage, self.text = stage, ""

    def show(self, stage, text=""):
        kept, self.text, self.stage = self.text, text, stage
        return kept

    def redraw(self) -> None:
        pass

    def set_title(self, title: str) -> None:
        pass

    def remember(self, line: str) -> None:
        pass


async def test_the_full_screen_shows_the_replay_and_then_the_table_as_it_is_now(
    tmp_path: Path, table, turn
) -> None:
    face = FullScreenFace(
        Output(io.StringIO(), ASCII, 80), Manner(Style(ASCII_MARKS), bell="off"), tmp_path
    )
    face.listen(Welcome(re=1, name="Ann", rooms=()))
    theirs = table(turn=turn(1, "roll"))
    face.listen(Entered(re=2, seat=0, seq=1, events=(), complete=True, table=theirs))
    screen, server = Screen(face), Server()
    face._terminal, face._session = screen, server  # type: ignore[assignment]
    face.submit("/replay k3f")
    face.submit("/replay k3f")
    assert any("on its way" in entry.text for entry in face.scene.log)
    screen.text = "half a thought"
    server.may_answer.set()
    await until(lambda: screen.stage is not face)
    assert screen.text == ""

    def banner() -> str:
        return text_of(screen.stage.picture(80, 24)[-2])

    assert banner().startswith("The game at the table goes on: Esc returns. Turn 1 of 16")
    names = ("Ann", "keller")
    started = Started("g", GameOptions(), names, 0)
    mine = table(turn=turn(0, "roll", number=2))
    face.listen(Update(seq=2, event=started, table=mine))
    assert banner().startswith(">>> YOUR TURN at the table: Esc returns <<<")
    screen.stage.escape()
    assert screen.stage is face
    assert screen.text == "half a thought"
    assert any("the game begins" in entry.text for entry in face.scene.log)
    picture = render(face.scene, 80, 24, face.style, 0.0)
    assert "YOUR TURN" in text_of(picture[-2])
    # What is a key of the replay is a text here.
    for key in (" ", "left", "home", "q", "n"):
        assert not face.press(key)
    assert face.scene.page is None
