"""The course of a game: its actions in order, as compact text, and their replay.

A roll is its four dice, a choice a letter (``a`` is the first option), a stop ``.``, and a
resignation ``-`` with the seat's number from 1: ``3456b1126a.1111`` is a roll, the second option,
a roll, the first option, a stop, and the next player's roll. A bust needs no sign: the rules know.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple, cast

from cantstop_server.rules.board import Steps
from cantstop_server.rules.errors import BadCourse, RulesError
from cantstop_server.rules.game import (
    Busted,
    Event,
    Game,
    Resigned,
    Spot,
    Stopped,
    choose,
    move,
    new_game,
    resign,
    roll,
    stop,
)
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

_TOKEN: Final = re.compile(r"[1-6]{4}[a-f]?|[a-f]|\.|-[1-4]|(?s:.)")
"""A roll with the choice that follows it, as nearly all of a course is, or a single action."""
_MOVE_SIGNS: Final = 5
_ENDS: Final = (Stopped, Busted)
_LETTERS: Final = "abcdef"


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
        return _LETTERS[action.option]
    return "." if isinstance(action, Stop) else f"-{action.seat + 1}"


def parse_course(course: str) -> Iterator[Action]:
    """The actions of a course. Raises ``BadCourse`` at the first sign that is none."""
    for token in _TOKEN.finditer(course):
        actions = _actions(token[0])
        if not actions:
            raise BadCourse(f"no action at {course[token.start() :][:8]!r}")
        yield from actions


def turns(setup: Setup, course: str) -> Iterator[Turn]:
    """Each turn of a course that a stop or a bust ended; what else there is leads there.

    Raises ``BadCourse`` where the course cannot be read, or the rules do not allow it.
    """
    try:
        yield from _turns(setup, course)
    except RulesError as error:
        raise BadCourse(str(error)) from error


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


def _turns(setup: Setup, course: str) -> Iterator[Turn]:
    game = new_game(setup)
    moves: list[tuple[Dice, int]] = []
    rolls: list[Spot] = []
    for token in _TOKEN.findall(course):
        if len(token) == _MOVE_SIGNS:
            moves.append(_move(token))
            continue
        actions = _actions(token)
        if not actions:
            raise BadCourse(f"no action at {token!r}")
        action = actions[0]
        before, spots = move(game, moves)
        moves = []
        last = spots[-1]
        event: Event
        if isinstance(action, Roll):
            game, event = roll(before, action.dice)
        else:
            spots.pop()
            if isinstance(action, Stop):
                game, event = stop(before)
            else:
                game, event = apply(before, action)
        rolls += spots
        if isinstance(event, _ENDS):
            yield Turn(before.markers[before.seat], rolls, last, event)
            rolls = []
        elif isinstance(event, Resigned) and event.seat == before.seat:
            rolls = []
    move(game, moves)


@cache
def _move(token: str) -> tuple[Dice, int]:
    return _dice(token[:-1]), _option(token[-1])


@lru_cache(1 << 14)
def _actions(token: str) -> tuple[Action, ...]:
    """What a token stands for; nothing if it is none."""
    if token == ".":
        return (Stop(),)
    if len(token) == 1:
        return (Choose(_option(token)),) if token in _LETTERS else ()
    if token[0] == "-":
        return (Resign(int(token[1]) - 1),)
    made = Roll(_dice(token[:4]))
    return (made, Choose(_option(token[4]))) if len(token) == _MOVE_SIGNS else (made,)


def _dice(digits: str) -> Dice:
    return cast("Dice", tuple(map(int, digits)))


def _option(letter: str) -> int:
    return _LETTERS.index(letter)
