"""The form of a room, and the command that opens the same one."""

import pytest

from cantstop_client.commands import OPTION_FIELDS, read_line
from cantstop_client.intents import Send
from cantstop_client.roomform import FORM, PASSWORD, TITLE, create_text, fits
from cantstop_client.view import View
from cantstop_protocol.table import GameOptions

DEFAULTS = {question.key: question.default for question in FORM}


def test_there_is_a_question_for_every_option_of_the_command() -> None:
    assert {question.key for question in FORM} == {TITLE, PASSWORD, *OPTION_FIELDS}
    assert len({question.text for question in FORM}) == len(FORM)


def test_the_defaults_open_the_usual_room() -> None:
    for question in FORM:
        assert question.check(question.default) == question.default
    assert create_text(DEFAULTS) == ""
    assert fits(DEFAULTS) == ""


def test_the_command_opens_the_room_that_was_asked_for() -> None:
    answers = DEFAULTS | {
        TITLE: "Friday night",
        "seats": "3",
        "dead": "kept",
        "absence": "wait",
        "time": "30",
        "bank": "600",
        "increment": "5",
        "hints": "on",
        PASSWORD: "secret",
    }
    text = create_text(answers)
    assert "secret" not in text
    asked = read_line(f"/create {text}", View())
    assert isinstance(asked, Send)
    assert asked.fields["title"] == "Friday night"
    assert asked.fields["options"] == GameOptions(
        seats=3,
        dead_markers="kept",
        absence="wait",
        decision_seconds=30,
        bank_seconds=600,
        increment_seconds=5,
        hints=True,
        rated=False,
    )


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        (TITLE, "x" * 41),
        (TITLE, "seats=4"),
        ("seats", "5"),
        ("seats", "two"),
        ("target", "0"),
        ("dead", "gone"),
        ("absence", ""),
        ("time", "3601"),
        ("bank", "-1"),
        ("increment", "1.5"),
        ("hints", "o"),
        ("rated", "perhaps"),
        (PASSWORD, "x" * 65),
    ],
)
def test_an_answer_of_no_use_is_told(key: str, answer: str) -> None:
    (question,) = (question for question in FORM if question.key == key)
    with pytest.raises(ValueError, match=r"is no|at most|has no|none of"):
        question.check(answer)


def test_the_beginning_of_a_word_is_enough() -> None:
    (question,) = (question for question in FORM if question.key == "absence")
    assert question.check("F") == "forfeit"


@pytest.mark.parametrize(("seats", "target", "good"), [(4, 3, True), (4, 4, False), (3, 5, False)])
def test_a_game_that_nobody_might_win_is_told(seats: int, target: int, good: bool) -> None:
    answers = DEFAULTS | {"seats": str(seats), "target": str(target)}
    assert (fits(answers) == "") is good
