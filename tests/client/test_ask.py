"""Questions line by line."""

import io
from collections.abc import Callable

import pytest

from cantstop_client.ask import Asker, NoMoreAnswers
from cantstop_client.glyphs import ASCII
from cantstop_client.output import Output

Asking = Callable[[str], tuple[Asker, io.StringIO]]


@pytest.fixture
def asking() -> Asking:
    def make(answers: str) -> tuple[Asker, io.StringIO]:
        out = io.StringIO()
        return Asker(Output(out, ASCII, 80), io.StringIO(answers)), out

    return make


def test_an_empty_answer_takes_the_default(asking: Asking) -> None:
    asker, out = asking("\n Ben \n")
    assert asker.ask("Name", "Ann") == "Ann"
    assert asker.ask("Name", "Ann") == "Ben"
    assert out.getvalue() == "Name [Ann]:\nName [Ann]:\n"


def test_a_number_outside_of_the_list_is_asked_for_again(asking: Asking) -> None:
    asker, out = asking("0\n3\nx\n\u0662\n99999999999\n2\n")
    assert asker.choose("Which?", ["one", "two"]) == 1
    assert out.getvalue().startswith(
        "Which?\n1) one\n2) two\nNumber, 1 to 2 [1]:\n'0' is no number"
    )
    assert out.getvalue().count("is no number from 1 to 2") == 5


def test_the_end_of_the_input_ends_the_questions(asking: Asking) -> None:
    asker, _ = asking("7\n")
    with pytest.raises(NoMoreAnswers):
        asker.choose("Which?", ["one"])
    with pytest.raises(NoMoreAnswers):
        Asker(asker.output, None).ask("Name")


def test_what_is_shown_passes_the_gate(asking: Asking) -> None:
    asker, out = asking("\n")
    asker.choose("Which?\x1b[2J", ["one\x07\u202e"])
    assert "\x1b" not in out.getvalue()
    assert "\x07" not in out.getvalue()
