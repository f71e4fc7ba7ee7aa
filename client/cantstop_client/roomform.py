"""What a room can be opened with, as a form: a question for each option, its default, its check.

Pure. Answers become the one command that opens the same room.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, get_args

from cantstop_client.commands import OPTION_FIELDS
from cantstop_protocol.limits import MAX_PASSWORD_CHARACTERS
from cantstop_protocol.table import Absence, DeadMarkers, DiceKind, GameOptions
from cantstop_protocol.text import BadText, clean_title

PASSWORD: Final = "password"
TITLE: Final = "title"


@dataclass(frozen=True, slots=True)
class Question:
    """``key`` is the option as it is typed; ``check`` gives the answer or raises ``ValueError``."""

    key: str
    text: str
    default: str
    check: Callable[[str], str]


def _number(least: int, most: int) -> Callable[[str], str]:
    def check(answer: str) -> str:
        if not re.fullmatch("[0-9]{1,5}", answer) or not least <= int(answer) <= most:
            raise ValueError(f"{answer!r} is no number from {least} to {most}")
        return str(int(answer))

    return check


def _one_of(choices: tuple[str, ...]) -> Callable[[str], str]:
    def check(answer: str) -> str:
        fitting = [one for one in choices if one.startswith(answer.casefold())]
        if len(fitting) != 1:
            raise ValueError(f"{answer!r} is none of {', '.join(choices)}")
        return fitting[0]

    return check


def _on_or_off(answer: str) -> str:
    if answer.casefold() not in ("on", "off"):
        raise ValueError(f"{answer!r} is none of on, off")
    return answer.casefold()


def _title(answer: str) -> str:
    try:
        title = clean_title(answer)
    except BadText as error:
        raise ValueError(str(error)) from error
    if "=" in title:
        raise ValueError("a title has no = in it here")
    return title


def _password(answer: str) -> str:
    if len(answer) > MAX_PASSWORD_CHARACTERS:
        raise ValueError(f"a password has at most {MAX_PASSWORD_CHARACTERS} characters")
    return answer


def _default(key: str) -> str:
    return str(getattr(GameOptions(), OPTION_FIELDS[key]))


FORM: Final = (
    Question(TITLE, "Title of the room, or nothing", "", _title),
    Question("seats", "Seats, 1 to 4", _default("seats"), _number(1, 4)),
    Question("target", "Columns that win, 1 to 5", _default("target"), _number(1, 5)),
    Question(
        "dead",
        "Others' markers in a claimed column: removed or kept",
        _default("dead"),
        _one_of(get_args(DeadMarkers)),
    ),
    Question(
        "absence",
        "Who is away when it is their turn: autopilot, wait or forfeit",
        _default("absence"),
        _one_of(get_args(Absence)),
    ),
    Question(
        "time", "Seconds for each decision, 0 for no clock", _default("time"), _number(0, 3600)
    ),
    Question(
        "bank",
        "Seconds for the whole game besides, 0 for none",
        _default("bank"),
        _number(0, 36000),
    ),
    Question("increment", "Seconds more with each turn", _default("increment"), _number(0, 600)),
    Question("hints", "Hints from a strong player, for who asks: on or off", "off", _on_or_off),
    Question("rated", "Counts for the ratings, if without hints: on or off", "on", _on_or_off),
    Question(
        "dice",
        "Dice checked after the game, or at each roll by people: committed or witnessed",
        _default("dice"),
        _one_of(get_args(DiceKind)),
    ),
    Question(PASSWORD, "Password, or nothing: it is shown as you type", "", _password),
)


def create_text(answers: Mapping[str, str]) -> str:
    """What ``/create`` and ``join --create`` take for these answers, without the password: that
    is not for a command line, where others may see it."""
    parts = [answers.get(TITLE, "")]
    for question in FORM:
        answer = answers.get(question.key, question.default)
        if question.key in OPTION_FIELDS and answer != question.default:
            parts.append(f"{question.key}={answer}")
    return " ".join(part for part in parts if part)


def fits(answers: Mapping[str, str]) -> str:
    """Why these answers do not go together; empty if they do."""
    seats, target = int(answers["seats"]), int(answers["target"])
    if seats < 2 and answers["dice"] == "witnessed":
        return "Alone nobody can witness the dice: they are committed then"
    if seats * (target - 1) >= 11:
        most = max(number for number in range(1, 6) if seats * (number - 1) < 11)
        return f"With {seats} seats at most {most} columns can be played for: else nobody might win"
    return ""
