"""Can't Stop on boards small enough to solve, by the plainest means: an oracle for the solver.

Nothing here is shared with the solver. Columns are counted from 0, column ``i`` is the total
``i + 2``; runners are a sorted tuple of (column, step).
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from cantstop_server.players.expert.geometry import Geometry

Runners: TypeAlias = tuple[tuple[int, int], ...]
Steps: TypeAlias = tuple[int, ...]

CLAIMED = -1
"""The place of the markers in a column that the seat itself has claimed."""
LOST = -2
"""The same for a column that another seat has claimed."""


class Board(NamedTuple):
    """Dice with so many faces, columns of these lengths, so many claims to win."""

    sides: int
    lengths: Steps
    target: int


@lru_cache(maxsize=8)
def rolls(sides: int) -> tuple[tuple[tuple[int, int, int, int], float], ...]:
    """The rolls without regard to order, with their chances; faces from 0."""
    counts = Counter(tuple(sorted(dice)) for dice in product(range(sides), repeat=4))
    return tuple((dice, count / sides**4) for dice, count in counts.items())  # type: ignore[misc]


def outcomes(board: Board, own: Steps, runners: Runners, dice: tuple[int, ...]) -> set[Runners]:
    """Where the options of a roll lead, one ruling after the other. ``own`` below 0 is closed."""
    d1, d2, d3, d4 = dice
    found: set[Runners] = set()
    for a, b in ((d1 + d2, d3 + d4), (d1 + d3, d2 + d4), (d1 + d4, d2 + d3)):
        first, second = _step(board, own, runners, a), _step(board, own, runners, b)
        both = _step(board, own, first, b) if first is not None else None
        if both is None and second is not None:
            both = _step(board, own, second, a)
        if both is not None:
            found.add(both)
        else:
            found.update(alone for alone in (first, second) if alone is not None)
    return found


def _step(board: Board, own: Steps, runners: Runners, column: int) -> Runners | None:
    """The runners after one step in a column, None if it cannot be made."""
    steps = dict(runners)
    if own[column] < 0 or (column not in steps and len(steps) == 3):
        return None
    steps[column] = steps.get(column, own[column]) + 1
    return tuple(sorted(steps.items())) if steps[column] <= board.lengths[column] else None


def turn_values(
    board: Board, own: Steps, stop: Callable[[Runners], float], bust: float
) -> dict[Runners, tuple[float, float]]:
    """The values of stopping and of rolling in each runner state of a turn, more is better."""
    values: dict[Runners, tuple[float, float]] = {}

    def best(runners: Runners) -> float:
        if runners not in values:
            values[runners] = (stop(runners), roll(runners))
        return max(values[runners])

    def roll(runners: Runners) -> float:
        value = 0.0
        for dice, chance in rolls(board.sides):
            options = outcomes(board, own, runners, dice)
            value += chance * max((best(after) for after in options), default=bust)
        return value

    values[()] = (float("-inf"), roll(()))
    return values


def kept(board: Board, own: Steps, runners: Runners) -> Steps:
    """The seat's places after a stop."""
    steps = dict(runners)
    return tuple(
        CLAIMED if steps.get(i) == length else steps.get(i, own[i])
        for i, length in enumerate(board.lengths)
    )


class Solitaire:
    """The least expected number of turns from each position, exactly.

    ``start_value`` is the value of a turn before its first roll, given the own markers, what each
    stop is worth, and what a bust is worth: ``brute_start`` or the solver under test.
    """

    def __init__(self, board: Board, start_value: "StartValue") -> None:
        self.board = board
        self._start_value = start_value
        self._known: dict[Steps, float] = {}

    def turns(self, own: Steps) -> float:
        """The expected turns with the best play."""
        if own.count(CLAIMED) >= self.board.target:
            return 0.0
        own = min(own, own[::-1])
        if own not in self._known:
            self._known[own] = self._solve(own)
        return self._known[own]

    def _solve(self, own: Steps) -> float:
        """A bust leaves the position as it was, so its value is where a line through two guesses
        meets itself; the function is made of few such lines."""

        def after(runners: Runners) -> float:
            return -self.turns(kept(self.board, own, runners))

        def one_turn(value: float) -> float:
            return self._start_value(self.board, own, after, value) - 1

        low = -3.0
        found = one_turn(low)
        while abs(found - low) > 1e-12:
            slope = (one_turn(low + 1e-3) - found) / 1e-3
            low = low + (found - low) / (1 - slope)
            found = one_turn(low)
        return -low


StartValue: TypeAlias = Callable[[Board, Steps, Callable[[Runners], float], float], float]


def brute_start(board: Board, own: Steps, stop: Callable[[Runners], float], bust: float) -> float:
    """The value of a turn before its first roll."""
    return turn_values(board, own, stop, bust)[()][1]


class Duel:
    """The chance of the seat to move to win, in each position of two seats, by value iteration."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.values: dict[tuple[Steps, Steps], float] = {}
        for total, position in sorted((-_progress(p), p) for p in self._positions()):
            assert total <= 0
            if position not in self.values:
                self._solve(*position)

    def after(self, own: Steps, other: Steps, runners: Runners) -> float:
        """The chance to win by stopping with these runners."""
        mine = kept(self.board, own, runners)
        if mine.count(CLAIMED) >= self.board.target:
            return 1.0
        theirs = tuple(LOST if m == CLAIMED else t for m, t in zip(mine, other, strict=True))
        return 1 - self.values[theirs, mine]

    def turn(self, own: Steps, other: Steps) -> dict[Runners, tuple[float, float]]:
        """The values of stopping and rolling in the turn of the seat to move."""
        bust = 1 - self.values[other, own]
        return turn_values(self.board, own, lambda r: self.after(own, other, r), bust)

    def _solve(self, own: Steps, other: Steps) -> None:
        pair = ((own, other), (other, own))
        self.values.update(dict.fromkeys(pair, 0.5))
        change = 1.0
        while change > 1e-13:
            change = 0.0
            for mine, theirs in pair:
                value = self.turn(mine, theirs)[()][1]
                change = max(change, abs(value - self.values[mine, theirs]))
                self.values[mine, theirs] = value

    def _positions(self) -> Iterator[tuple[Steps, Steps]]:
        columns = [
            [(a, b) for a in range(length) for b in range(length)]
            + [(CLAIMED, LOST), (LOST, CLAIMED)]
            for length in self.board.lengths
        ]
        for places in product(*columns):
            own, other = tuple(a for a, _ in places), tuple(b for _, b in places)
            if max(own.count(CLAIMED), other.count(CLAIMED)) < self.board.target:
                yield own, other


def _progress(position: tuple[Steps, Steps]) -> int:
    """Every stop increases this, whoever makes it; positions that follow come first."""
    return sum(1000 if CLAIMED in pair else sum(pair) for pair in zip(*position, strict=True))


def stop_array(
    geometry: Geometry, own: Steps, stop: Callable[[Runners], float]
) -> "np.typing.NDArray[np.float64]":
    """The values of stopping by the solver's numbers, for all runner states above ``own``."""
    values = np.full(geometry.states, -1e30)
    for runners in states_above(geometry, own):
        if runners:
            values[geometry.state(dict(runners))] = stop(runners)
    return values


def states_above(geometry: Geometry, own: Steps) -> Iterator[Runners]:
    """All states of at most three runners above the markers."""
    ranges = [
        [None, *range(step + 1, int(length) + 1)] if step >= 0 else [None]
        for step, length in zip(own, geometry.lengths, strict=True)
    ]
    for steps in product(*ranges):
        runners = tuple((i, step) for i, step in enumerate(steps) if step is not None)
        if len(runners) <= 3:
            yield runners
