"""What the faces show of the dice: a line at the end, a wait, and nothing where none is due."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from scenes import scene_of, seat, table, turn

from cantstop_client.commands import read_line
from cantstop_client.fullscreen.compose import render
from cantstop_client.fullscreen.face import FullScreenFace, Manner
from cantstop_client.fullscreen.fragments import text_of
from cantstop_client.fullscreen.marks import ASCII_MARKS
from cantstop_client.fullscreen.palette import NO_COLOUR, Style
from cantstop_client.fullscreen.scene import listened
from cantstop_client.glyphs import ASCII
from cantstop_client.happenings import DiceChecked
from cantstop_client.intents import Hint, Move, Send
from cantstop_client.output import Output
from cantstop_client.plain_screen import PlainScreen
from cantstop_client.render import unfit_lines
from cantstop_client.roomform import FORM, create_text, fits
from cantstop_client.view import View
from cantstop_protocol.commands import Choose, Roll, Stop
from cantstop_protocol.events import (
    Contributed,
    Event,
    Finished,
    Revealed,
    WitnessAsked,
    Witnessed,
)
from cantstop_protocol.messages import Entered, Update, Welcome
from cantstop_protocol.table import GameOptions, Promise, Result, Table

PLAIN = Style(ASCII_MARKS, NO_COLOUR)
CHECKED = DiceChecked("g1", True, "Dice: all 57 rolls are right")
WAITING = "Waiting for Ben's client to witness the roll"
RESULT = Result("g1", 0, 9, False)
REVEALED = Revealed("g1", GameOptions(), 0, "", RESULT, "{}")


def playing(witness: int | None = None) -> Table:
    promise = Promise("c0" * 32, (True, True), witness, None if witness is None else 5)
    return table(seat("Ann"), seat("Ben"), turn=turn(0, "roll_or_stop", {4: 1}), dice=promise)


def entered(now: Table) -> Entered:
    return Entered(re=1, seat=0, seq=1, events=(), complete=True, table=now)


@pytest.fixture
def screen() -> PlainScreen:
    made = PlainScreen(Output(io.StringIO(), ASCII, 80))
    made.listen(Welcome(re=1, name="Ann", rooms=()))
    made.listen(entered(playing()))
    return made


def shown(screen: PlainScreen) -> str:
    stream = screen.output._stream
    assert isinstance(stream, io.StringIO)
    text = stream.getvalue()
    stream.truncate(0)
    stream.seek(0)
    return text


def test_the_plain_face_says_it_in_one_line(screen: PlainScreen) -> None:
    shown(screen)
    screen.listen(CHECKED)
    assert shown(screen) == "Dice: all 57 rolls are right\n"


@pytest.mark.parametrize(
    "event", [Contributed("Ben", 1), Witnessed(5, 1, "ab" * 32, "cd" * 32), REVEALED]
)
def test_what_needs_no_words_gets_none(screen: PlainScreen, event: Event) -> None:
    shown(screen)
    screen.listen(Update(seq=2, event=event, table=playing()))
    assert shown(screen) == ""


def test_the_plain_face_says_whom_a_roll_waits_for(screen: PlainScreen) -> None:
    shown(screen)
    screen.listen(Update(seq=2, event=WitnessAsked(1, 5), table=playing(1)))
    assert shown(screen) == f"{WAITING}\n"


def test_the_full_screen_says_whom_a_roll_waits_for_instead_of_whose_turn_it_is() -> None:
    scene = scene_of("mid_turn", 2)
    assert scene.room is not None
    assert any("YOUR TURN" in text_of(line) for line in render(scene, 80, 24, PLAIN, 0.0))
    waiting = structs.replace(scene.room.table, dice=Promise("c0" * 32, (True, True), 1, 5))
    view = replace(scene.view, room=replace(scene.room, table=waiting))
    lines = [text_of(line) for line in render(replace(scene, view=view), 80, 24, PLAIN, 0.0)]
    assert any("client to witness the roll" in line for line in lines)
    assert not any("YOUR TURN" in line for line in lines)


def test_the_full_screen_marks_a_witnessed_roll_and_does_not_fill_the_log_with_it() -> None:
    room, words = scene_of("mid_turn", 2).room, ASCII_MARKS.words
    assert room is not None
    scene, log = scene_of("mid_turn", 2), scene_of("mid_turn", 2).log
    for seq, event in enumerate(
        (WitnessAsked(1, 5), Witnessed(5, 1, "ab" * 32, "cd" * 32)), room.seq + 1
    ):
        scene, _ = listened(scene, Update(seq=seq, event=event, table=room.table), 0.0, words)
    assert scene.log == log
    assert any(
        text_of(line).rstrip().endswith("] witnessed") for line in render(scene, 80, 24, PLAIN, 0.0)
    )
    alone = Update(seq=room.seq + 3, event=Witnessed(6, None, None, None), table=room.table)
    scene, _ = listened(scene, alone, 0.0, words)
    assert scene.log[-1].text == "Nobody can witness roll 6: it is of the committed kind"
    assert not any("] witnessed" in text_of(line) for line in render(scene, 80, 24, PLAIN, 0.0))


@pytest.mark.parametrize("kind", [Roll, Stop, Choose])
def test_a_move_while_a_roll_waits_is_told_so_and_not_sent(kind) -> None:
    screen = PlainScreen(Output(io.StringIO(), ASCII, 80))
    screen.listen(Welcome(re=1, name="Ann", rooms=()))
    screen.listen(entered(playing(1)))
    assert unfit_lines(screen.view, Move(kind)) == [WAITING]


def test_the_full_screen_shows_the_step_and_the_check_together(tmp_path: Path) -> None:
    stream = io.StringIO()
    face = FullScreenFace(
        Output(stream, ASCII, 80), Manner(PLAIN), tmp_path, unattended=True, clock=lambda: 0.0
    )
    face.listen(Welcome(re=1, name="Ann", rooms=()))
    face.listen(entered(playing()))
    before = face.scene
    over = structs.replace(playing(), phase="over", turn=None, result=RESULT)
    face.listen(Update(seq=2, event=Finished("g1", 0, 9), table=over, more=True))
    face.listen(CHECKED)
    assert face.scene == before
    face.listen(Update(seq=3, event=REVEALED, table=over))
    told = [entry.text for entry in face.scene.log]
    assert told[-1] == CHECKED.text or CHECKED.text in told[-4:]
    assert "" not in told
    assert face._result[-1] == CHECKED.text


def test_witnessed_dice_are_asked_for_with_a_setting() -> None:
    asked = read_line("/create Friday dice=witnessed", View())
    assert isinstance(asked, Send)
    assert asked.fields["options"] == GameOptions(dice="witnessed")
    wrong = read_line("/create Friday dice=loaded", View())
    assert isinstance(wrong, Hint)
    assert "dice committed or witnessed" in wrong.text


def test_the_form_asks_for_the_dice_and_refuses_witnesses_for_one_alone() -> None:
    answers = {question.key: question.default for question in FORM} | {"dice": "witnessed"}
    assert create_text(answers) == "dice=witnessed"
    assert fits(answers) == ""
    assert "Alone nobody can witness" in fits(answers | {"seats": "1"})
