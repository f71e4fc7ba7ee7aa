"""The course of a game: its actions in order, as compact text, and their replay.

A roll is its four dice, a choice a letter (``a`` is the first option), a stop ``.``, and a
resignation ``-`` with the seat's number from 1: ``3456b1126a.1111`` is a roll, the second option,
a roll, the first option, a stop, and the next player's roll. A bust needs no sign: the rules know.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, cast

from cantstop_server.rules.errors import BadCourse, RulesError
from cantstop_server.rules.game import Event, Game, choose, new_game, resign, roll, stop
from cantstop_server.rules.legal import Dice
from cantstop_server.rules.setup import Setup


class Roll(NamedTuple):
    """A roll that came out as these dice."""

    dice: Dice


class Choose(NamedTuple):
    """The choice of a pending option, counted from 0."""

    option: int


class Stop(NamedTuple):
    """The end of a turn whose steps are kept."""


class Resign(NamedTuple):
    """A seat, counted from 0, leaves the game."""

    seat: int


Action = Roll | Choose | Stop | Resign

_TOKEN: Final = re.compile(r"([1-6]{4})|([a-f])|(\.)|-([1-4])")
_FIRST_LETTER: Final = ord("a")


def apply(game: Game, action: Action) -> tuple[Game, Event]:
    """The state and the event that follow from an action. Raises ``RulesError``."""
    if isinstance(action, Roll):
        return roll(game, action.dice)
    if isinstance(action, Choose):
        return choose(game, action.option)
    if isinstance(action, Stop):
        return stop(game)
    return resign(game, action.seat)


def notation(action: Action) -> str:
    """The action as it stands in a course."""
    if isinstance(action, Roll):
        a, b, c, d = action.dice
        return f"{a}{b}{c}{d}"
    if isinstance(action, Choose):
        return chr(_FIRST_LETTER + action.option)
    return "." if isinstance(action, Stop) else f"-{action.seat + 1}"


def parse_course(course: str) -> Iterator[Action]:
    """The actions of a course. Raises ``BadCourse`` at the first sign that is none."""
    position = 0
    while position < len(course):
        token = _TOKEN.match(course, position)
        if token is None:
            raise BadCourse(f"no action at {course[position : position + 8]!r}")
        dice, letter, stopped, seat = token.groups()
        if dice:
            yield Roll(cast("Dice", tuple(map(int, dice))))
        elif letter:
            yield Choose(ord(letter) - _FIRST_LETTER)
        elif stopped:
            yield Stop()
        else:
            yield Resign(int(seat) - 1)
        position = token.end()


def replay(setup: Setup, course: str) -> Iterator[tuple[Game, Event]]:
    """Each state and event of a course, from the start of the game.

    Raises ``BadCourse`` at the first action that the rules do not allow.
    """
    game = new_game(setup)
    for number, action in enumerate(parse_course(course), start=1):
        try:
            game, event = apply(game, action)
        except RulesError as error:
            raise BadCourse(f"action {number}, {notation(action)!r}: {error}") from error
        yield game, event


def final_state(setup: Setup, course: str) -> Game:
    """Where a course leads. Raises ``BadCourse`` as ``replay`` does."""
    state = new_game(setup)
    for following, _ in replay(setup, course):
        state = following
    return state
