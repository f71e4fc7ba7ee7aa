"""A past game as steps, and the place in it that is looked at. Pure."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from cantstop_client.gate import clean
from cantstop_client.view import RoomView
from cantstop_protocol.events import Busted, Rolled
from cantstop_protocol.messages import GameStep
from cantstop_protocol.table import Dice, Table

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Steps in a second."""


@dataclass(frozen=True)
class Story:
    """A game with all its steps. ``started`` is a time in UTC, such as 2026-11-30T20:40:58Z."""

    game: str
    started: str
    steps: tuple[GameStep, ...]

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """The turn that is being played after each step."""
        return tuple(_turn(step.table) for step in self.steps)

    @cached_property
    def dice(self) -> tuple[tuple[Dice | None, Busted | None], ...]:
        """The dice that lie on the table after each step, and the bust that they were."""
        found = []
        dice: Dice | None = None
        bust: Busted | None = None
        for step in self.steps:
            match step.event:
                case Rolled(dice=rolled):
                    dice, bust = rolled, None
                case Busted(dice=rolled):
                    dice, bust = rolled, step.event
            found.append((dice, bust))
        return tuple(found)

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1

    @property
    def last_turn(self) -> int:
        return self.turns[-1]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.steps[0].table.seats if seat is not None)

    def room(self, at: int) -> RoomView:
        """The table after this step, as who watches sees it."""
        return RoomView(self.steps[at].table, None, at)

    def start_of(self, turn: int) -> int:
        """The step after which this turn begins; a turn that there is not gives the nearest."""
        return min(bisect_left(self.turns, turn), self.last)

    @property
    def day(self) -> str:
        """The day and minute it began, in UTC."""
        return self.started[:16].replace("T", " ")


def make_story(game: str, started: str, steps: Iterable[GameStep]) -> Story:
    """A story of steps from outside: all texts in it pass the gate."""
    return Story(clean(game), clean(started), tuple(clean(step) for step in steps))


@dataclass(frozen=True, slots=True)
class Place:
    """The step that is looked at, and whether the game goes on by itself."""

    story: Story
    at: int = 0
    playing: bool = False
    speed: float = 1.0

    def moved(self, by: int) -> "Place":
        """So many steps on, or back if it is negative; at an end it stays there."""
        return self.put(self.at + by)

    def put(self, at: int) -> "Place":
        """At this step, or the nearest; the end stops the playing."""
        at = max(0, min(at, self.story.last))
        return replace(self, at=at, playing=self.playing and at < self.story.last)

    def turned(self, by: int) -> "Place":
        """At the beginning of the next turn, or of this one and then of those before it."""
        turn, story = self.turn, self.story
        if by > 0:
            return self.put(
                story.last if turn + by > story.last_turn else story.start_of(turn + by)
            )
        start = story.start_of(turn)
        return self.put(start if start < self.at else story.start_of(turn + by))

    def played(self, playing: bool) -> "Place":
        """Playing or not; from the end it begins anew."""
        at = 0 if playing and self.at == self.story.last else self.at
        return replace(self, at=at, playing=playing)

    def faster(self, by: int) -> "Place":
        """At another of the speeds."""
        index = bisect_left(SPEEDS, self.speed)
        return replace(self, speed=SPEEDS[max(0, min(index + by, len(SPEEDS) - 1))])

    @property
    def turn(self) -> int:
        return self.story.turns[self.at]

    @property
    def pause(self) -> float:
        """Seconds between two steps."""
        return 1 / self.speed


def _turn(table: Table) -> int:
    if table.turn is not None:
        return table.turn.number
    return table.result.turns if table.result is not None else 1
