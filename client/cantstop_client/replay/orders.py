"""What can be typed in a replay: one table for reading it and for the help page. Pure."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from cantstop_client.replay.story import SPEEDS, Place

Topic = Literal["board", "all", "review", "help", "close", "stay"]
"""What is left to do for who shows it; ``stay`` is nothing."""


class Unusable(Exception):
    """The line cannot be done; the text says why and what can."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a line asks for: the place to go to, and what else."""

    place: Place
    topic: Topic = "stay"


@dataclass(frozen=True, slots=True)
class OrderRow:
    """``names`` are words that ask for it; ``argument`` is how what may follow is called."""

    names: tuple[str, ...]
    argument: str
    help: str
    read: Callable[[Place, str], Order]

    @property
    def usage(self) -> str:
        return f"{' or '.join(self.names)} {self.argument}".rstrip()


def read_order(line: str, place: Place) -> Order:
    """What a line asks for, seen from this place. Raises ``Unusable``."""
    word, _, argument = line.strip().removeprefix("/").partition(" ")
    if not word:
        return Order(place.moved(1))
    if word.isdecimal():
        word, argument = "turn", word
    row = _BY_NAME.get(word.casefold())
    if row is None:
        raise Unusable(f"{word[:20]!r} is nothing that can be done here: help lists what is")
    argument = argument.strip()
    if argument and not row.argument:
        raise Unusable(f"Nothing follows {word}")
    return row.read(place, argument)


def order_lines() -> list[str]:
    """The page that ``help`` shows."""
    wide = max(len(row.usage) for row in ORDERS)
    lines = [f"  {row.usage:<{wide}}  {row.help}" for row in ORDERS]
    return ["A number goes to that turn, an empty line to the next step.", *lines]


def _next(place: Place, argument: str) -> Order:
    return Order(place.moved(_count(argument)))


def _back(place: Place, argument: str) -> Order:
    return Order(place.moved(-_count(argument)))


def _turn(place: Place, argument: str) -> Order:
    if argument in ("", "+"):
        return Order(place.turned(1))
    if argument == "-":
        return Order(place.turned(-1))
    turn = _number(argument, "a turn")
    if not 1 <= turn <= place.story.last_turn:
        raise Unusable(f"There is no turn {turn}: the game has {place.story.last_turn}")
    return Order(place.put(place.story.start_of(turn)))


def _play(place: Place, argument: str) -> Order:
    return Order((_speed(place, argument).place if argument else place).played(True))


def _speed(place: Place, argument: str) -> Order:
    try:
        speed = float(argument)
    except ValueError:
        speed = math.nan
    if not SPEEDS[0] <= speed <= SPEEDS[-1]:
        raise Unusable(f"The speed is {SPEEDS[0]:g} to {SPEEDS[-1]:g} steps in a second")
    return Order(replace(place, speed=speed))


def _shows(topic: Topic) -> Callable[[Place, str], Order]:
    return lambda place, _: Order(place.played(False), topic)


def _count(argument: str) -> int:
    return _number(argument, "how many steps") if argument else 1


def _number(argument: str, what: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", argument):
        raise Unusable(f"{argument[:20]!r} is no number: {what}?")
    return int(argument)


ORDERS: Final[Sequence[OrderRow]] = (
    OrderRow(("n", "next"), "[COUNT]", "Go on a step, or several", _next),
    OrderRow(("b", "back"), "[COUNT]", "Go back a step, or several", _back),
    OrderRow(("t", "turn"), "[NUMBER|+|-]", "Go to a turn, or the next, or the one before", _turn),
    OrderRow(("start",), "", "Go to the beginning", lambda place, _: Order(place.put(0))),
    OrderRow(("end",), "", "Go to the end", lambda place, _: Order(place.put(place.story.last))),
    OrderRow(("play",), "[SPEED]", "Go on by itself, so many steps in a second", _play),
    OrderRow(("p", "pause"), "", "Stop that; any other line does, too", _shows("stay")),
    OrderRow(("speed",), "NUMBER", "How many steps in a second", _speed),
    OrderRow(("all",), "", "Tell the rest at once", _shows("all")),
    OrderRow(("board",), "", "The board in words", _shows("board")),
    OrderRow(("r", "review"), "", "What each decision cost, and the luck", _shows("review")),
    OrderRow(("h", "help", "?"), "", "This page", _shows("help")),
    OrderRow(("q", "quit", "close"), "", "Leave the replay", _shows("close")),
)

_BY_NAME: Final = {name: row for row in ORDERS for name in row.names}
