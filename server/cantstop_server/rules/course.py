"""The course of a game: its actions in order, as compact text, and their replay.

A roll is its four dice, a choice a letter (``a`` is the first option), a stop ``.``, and a
resignation ``-`` with the seat's number from 1: ``3456b1126a.1111`` is a roll, the second option,
a roll, the first option, a stop, and the next player's roll. A bust needs no sign: the rules know.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple, TypeAlias, cast

from cantstop_server.rules.board import Steps
from cantstop_server.rules.errors import BadCourse, RulesError
from cantstop_server.rules.game import (
    Busted,
    Event,
    Game,
    Resigned,
    Stopped,
    choose,
    move,
    new_game,
    reach,
    resign,
    roll,
    stop,
)
from cantstop_server.rules.legal import Dice, Reach
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

_TOKEN: Final = re.compile(r"([1-6]{4})([a-f])?|([a-f])|(\.)|-([1-4])|(?s:.)")
"""A roll with the choice that follows it, as nearly all of a course is; else a single action."""
_FIRST_LETTER: Final = ord("a")


Spot: TypeAlias = tuple[Steps, Reach]
"""Where the runners stand in a turn, and what the columns can still take."""


class Turn(NamedTuple):
    """A turn that ended with a stop or a bust.

    ``markers`` are those of its seat before it, ``rolls`` is the spot before each roll, and
    ``last`` the one before the end.
    """

    markers: Steps
    rolls: list[Spot]
    last: Spot
    end: Stopped | Busted


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
    for token in _TOKEN.finditer(course):
        yield from _actions(token)


def turns(setup: Setup, course: str) -> Iterator[Turn]:
    """Each turn of a course that a stop or a bust ended; what else there is leads there.

    Raises ``BadCourse`` where the course cannot be read, or the rules do not allow it.
    """
    game = new_game(setup)
    now, rolls = reach(game), list[Spot]()
    for token in _TOKEN.finditer(course):
        dice, choice = token.group(1, 2)
        before, spot, ended = game, (game.runners, now), None
        try:
            if choice:
                game, now = move(game, _dice(dice), ord(choice) - _FIRST_LETTER, now)
            else:
                for action in _actions(token):
                    game, ended = apply(game, action)
                now = reach(game)
        except RulesError as error:
            raise BadCourse(str(error)) from error
        if dice:
            rolls.append(spot)
        match ended:
            case Busted(seat) | Stopped(seat):
                yield Turn(before.markers[seat], rolls, spot, ended)
                rolls = []
            case Resigned(seat) if seat == before.seat:
                rolls = []


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


def _actions(token: re.Match[str]) -> Iterator[Action]:
    dice, choice, letter, stopped, seat = token.groups()
    if dice:
        yield Roll(_dice(dice))
    if choice or letter:
        yield Choose(ord(choice or letter) - _FIRST_LETTER)
    elif stopped:
        yield Stop()
    elif seat:
        yield Resign(int(seat) - 1)
    elif not dice:
        raise BadCourse(f"no action at {token.string[token.start() :][:8]!r}")


@cache
def _dice(digits: str) -> Dice:
    return cast("Dice", tuple(map(int, digits)))
