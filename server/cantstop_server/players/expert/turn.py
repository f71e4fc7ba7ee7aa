"""The exact solution of a turn, given what it is worth to stop in each runner state.

Runners only go up, so the value of rolling follows from the states with fewer steps left, from the
top of the columns backwards. A turn has four stages, by the number of runners out, and each is
solved after the next one. Within a stage all states with the same number of steps left are solved
together.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_server.players.expert.geometry import (
    OPTION_TYPES,
    OUTCOMES,
    TOPPED_SETS,
    Geometry,
    Ints,
)

NOTHING: Final = -1e30
"""The value of what cannot be done: less than any value."""

CLOSED: Final = 99
"""A marker above every step: no runner may stand in such a column."""


class Turn(NamedTuple):
    """A solved turn, by the number of the runner state: the values of stopping and of rolling.

    State 0, no runner out, is the start of the turn, where rolling is the only thing to do.
    """

    stops: NDArray[np.floating]
    rolls: NDArray[np.floating]

    @property
    def value(self) -> float:
        """What the turn is worth before its first roll."""
        return float(self.rolls[0])

    def best(self, state: int) -> float:
        """What a runner state is worth: the better of stopping and rolling."""
        return float(max(self.stops[state], self.rolls[state]))


def solve(
    geometry: Geometry,
    own: Ints,
    opened: NDArray[np.bool_],
    stops: NDArray[np.floating],
    bust: float,
) -> Turn:
    """Solve the turn of a seat with markers ``own`` in the ``opened`` columns.

    ``stops`` is by runner state and more is better; ``bust`` is what a bust is worth. The result
    has the precision of ``stops``. ``stops[0]`` is not looked at.
    """
    floor = np.where(opened, own, CLOSED).astype(np.int32)
    stops = stops.copy()
    stops[0] = NOTHING
    best, rolls = stops.copy(), np.full_like(stops, NOTHING)
    _solve_three(geometry, floor, bust, stops, rolls, best)
    for runners in (2, 1, 0):
        _solve_fewer(geometry, runners, floor, bust, stops, rolls, best)
    return Turn(stops, rolls)


@dataclass(frozen=True, eq=False)
class RunnerStates:
    """Runner states with one number of runners, those with the fewest steps left first.

    ``columns`` and ``steps`` are by runner and state; ``left`` counts the steps to the tops.
    """

    columns: Ints
    steps: Ints
    states: Ints
    left: Ints

    def above(self, floor: Ints) -> Ints:
        """Which of the states stand above the markers ``floor``, ``CLOSED`` in closed columns."""
        standing = np.ones(len(self.states), np.bool_)
        for columns, steps in zip(self.columns, self.steps, strict=True):
            standing &= steps > floor[columns]
        return np.flatnonzero(standing).astype(np.int32)


@dataclass(frozen=True, eq=False)
class _Three:
    stage: RunnerStates
    following: Ints
    """Where each of ``OPTION_TYPES`` leads, by type and state."""
    weights: NDArray[np.floating]
    busts: NDArray[np.floating]


@lru_cache(maxsize=64)
def runner_states(geometry: Geometry, runners: int) -> RunnerStates:
    """All states with so many runners."""
    columns: list[Ints] = []
    steps: list[Ints] = []
    for placed in combinations(range(geometry.columns), runners):
        ranges = [np.arange(1, geometry.lengths[column] + 1) for column in placed]
        grid = [axis.ravel() for axis in np.meshgrid(*ranges, indexing="ij")]
        steps.append(np.array(grid, np.int32).reshape(runners, -1 if runners else 1))
        columns.append(np.repeat(np.array(placed, np.int32)[:, None], steps[-1].shape[1], axis=1))
    if not columns:
        empty = np.zeros((runners, 0), np.int32)
        return RunnerStates(empty, empty, np.zeros(0, np.int32), np.zeros(0, np.int32))
    c, s = np.concatenate(columns, axis=1), np.concatenate(steps, axis=1)
    left = (geometry.lengths[c] - s).sum(axis=0).astype(np.int32)
    order = np.argsort(left, kind="stable")
    c, s = np.ascontiguousarray(c[:, order]), np.ascontiguousarray(s[:, order])
    return RunnerStates(c, s, numbers(geometry, c, s), left[order])


@lru_cache(maxsize=64)
def runner_states_with(geometry: Geometry, runners: int, topped: int) -> RunnerStates:
    """The states with so many runners, of which so many stand on top."""
    every = runner_states(geometry, runners)
    on_top = (every.steps == geometry.lengths[every.columns]).sum(axis=0)
    these = np.flatnonzero(on_top == topped)
    return RunnerStates(
        every.columns[:, these], every.steps[:, these], every.states[these], every.left[these]
    )


def numbers(geometry: Geometry, columns: Ints, steps: Ints) -> Ints:
    """The numbers of runner states, given by runner; the runners in any order."""
    g, c, s = geometry, columns, steps
    if len(c) == 1:
        return np.asarray(g.offset1[c[0]] + s[0], np.int32)
    if len(c) == 2:
        at = g.offset2[c[0], c[1]] + s[0] * g.stride2[c[0], c[1]]
        return np.asarray(at + s[1] * g.stride2[c[1], c[0]], np.int32)
    if len(c) == 3:
        at = g.offset3[c[0], c[1], c[2]] + s[0] * g.stride3[c[0], c[1], c[2]]
        at = at + s[1] * g.stride3[c[1], c[0], c[2]] + s[2] * g.stride3[c[2], c[0], c[1]]
        return np.asarray(at, np.int32)
    return np.zeros(c.shape[1], np.int32)


@lru_cache(maxsize=16)
def _three(geometry: Geometry, dtype: str) -> _Three:
    stage = runner_states(geometry, 3)
    tops = geometry.lengths[stage.columns]
    following = [
        numbers(geometry, stage.columns, np.minimum(stage.steps + np.array(move)[:, None], tops))
        for move in OPTION_TYPES
    ]
    topped = np.array([1, 2, 4]) @ (stage.steps == tops)
    places = {tuple(triple): i for i, triple in enumerate(geometry.triples.tolist())}
    triple = np.array([places[tuple(c)] for c in stage.columns.T.tolist()], np.int32)
    keys = triple * TOPPED_SETS + topped
    return _Three(
        stage,
        np.array(following, np.int32).reshape(len(OPTION_TYPES), -1),
        np.ascontiguousarray(geometry.outcome_weights[keys].T.astype(dtype)),
        geometry.bust_weights[keys].astype(dtype),
    )


def _levels(stage: RunnerStates, floor: Ints) -> list[Ints]:
    """The states above the markers, in groups with as many steps left, fewest first."""
    used = stage.above(floor)
    cuts = np.flatnonzero(np.diff(stage.left[used])) + 1
    return [level for level in np.split(used, cuts) if len(level)]


def _solve_three(
    geometry: Geometry,
    floor: Ints,
    bust: float,
    stops: NDArray[np.floating],
    rolls: NDArray[np.floating],
    best: NDArray[np.floating],
) -> None:
    three = _three(geometry, stops.dtype.name)
    for level in _levels(three.stage, floor):
        at = three.stage.states[level]
        options = best[three.following[:, level]]
        top = np.empty((len(OUTCOMES), len(level)), stops.dtype)
        for row, outcome in enumerate(OUTCOMES):
            np.maximum(options[outcome[0]], options[outcome[-1]], out=top[row])
            for option in outcome[1:-1]:
                np.maximum(top[row], options[option], out=top[row])
        value = np.einsum("kn,kn->n", three.weights[:, level], top)
        value += three.busts[level] * stops.dtype.type(bust)
        rolls[at] = value
        best[at] = np.maximum(value, stops[at])


def _solve_fewer(
    geometry: Geometry,
    runners: int,
    floor: Ints,
    bust: float,
    stops: NDArray[np.floating],
    rolls: NDArray[np.floating],
    best: NDArray[np.floating],
) -> None:
    """The states with two, one or no runner out: a pairing may place more."""
    levels = _levels(runner_states(geometry, runners), floor)
    if not levels:
        return
    fewer = _Fewer(geometry, runners, floor, np.concatenate(levels), best)
    weights = geometry.roll_weights.astype(stops.dtype)
    start = 0
    for level in levels:
        values = fewer.values(slice(start, start + len(level)), best)
        start += len(level)
        rolled = values[geometry.rolls[:, 0]]
        for other in (1, 2):
            np.maximum(rolled, values[geometry.rolls[:, other]], out=rolled)
        value = weights @ np.where(rolled > NOTHING, rolled, stops.dtype.type(bust))
        at = runner_states(geometry, runners).states[level]
        rolls[at] = value
        best[at] = np.maximum(value, stops[at]) if runners else value


class _Fewer:
    """What each pairing is worth in the states of a stage with fewer than three runners.

    What places a runner leads to a stage that is solved, and is looked up for all states at once.
    """

    def __init__(
        self,
        geometry: Geometry,
        runners: int,
        floor: Ints,
        used: Ints,
        best: NDArray[np.floating],
    ) -> None:
        stage = runner_states(geometry, runners)
        self._geometry = geometry
        self._columns = stage.columns[:, used]
        self._steps = stage.steps[:, used]
        self._tops = geometry.lengths[self._columns]
        self._open = np.flatnonzero(floor != CLOSED).tolist()
        self._closed = np.flatnonzero(floor == CLOSED).tolist()
        self._known = np.full((len(geometry.pair_columns), len(used)), NOTHING, best.dtype)
        self._look_up(floor, best)

    def _look_up(self, floor: Ints, best: NDArray[np.floating]) -> None:
        geometry, runners, count = self._geometry, len(self._columns), self._known.shape[1]
        apart = [np.all(self._columns != y, axis=0) for y in range(geometry.columns)]
        place = np.full((geometry.columns, count), NOTHING, best.dtype)

        def placed(states: NDArray[np.bool_], steps: Ints, *new: tuple[int, int]) -> Ints:
            fresh = [np.full(steps.shape[1], column, np.int32) for column, _ in new]
            fresh_steps = [np.full(steps.shape[1], step, np.int32) for _, step in new]
            columns = np.array([*self._columns[:, states], *fresh], np.int32)
            return numbers(geometry, columns, np.array([*steps, *fresh_steps], np.int32))

        for y in self._open:
            here = apart[y]
            place[y, here] = best[placed(here, self._steps[:, here], (y, floor[y] + 1))]
            twice = min(floor[y] + 2, geometry.lengths[y])
            self._known[geometry.pairs[y, y], here] = best[
                placed(here, self._steps[:, here], (y, twice))
            ]
        for x, y in combinations(range(geometry.columns), 2):
            values = self._known[geometry.pairs[x, y]]
            np.maximum(place[x], place[y], out=values)
            if runners < 2 and x in self._open and y in self._open:
                here = apart[x] & apart[y]
                new = ((x, floor[x] + 1), (y, floor[y] + 1))
                values[here] = best[placed(here, self._steps[:, here], *new)]
        for runner in range(runners):
            for y in self._open:
                here = apart[y]
                steps = self._steps[:, here].copy()
                steps[runner] = np.minimum(steps[runner] + 1, self._tops[runner, here])
                rows = geometry.pairs[self._columns[runner, here], y]
                self._known[rows, np.flatnonzero(here)] = best[
                    placed(here, steps, (y, floor[y] + 1))
                ]

    def values(self, level: slice, best: NDArray[np.floating]) -> NDArray[np.floating]:
        """The values by pairing and state; what moves only runners that are out is looked up
        now."""
        geometry = self._geometry
        columns, steps, tops = self._columns[:, level], self._steps[:, level], self._tops[:, level]
        values = self._known[:, level].copy()
        every = np.arange(values.shape[1])
        one = np.ones(len(every), np.int32)
        free = steps < tops

        def after(moves: Ints) -> NDArray[np.floating]:
            moved = best[numbers(geometry, columns, np.minimum(steps + moves, tops))]
            return np.where(np.any((moves > 0) & free, axis=0), moved, NOTHING)

        for runner in range(len(columns)):
            moves = np.zeros_like(steps)
            moves[runner] = one
            values[geometry.pairs[columns[runner], columns[runner]], every] = after(2 * moves)
            alone = after(moves)
            for y in self._closed:
                values[geometry.pairs[columns[runner], y], every] = alone
        if len(columns) == 2:
            values[geometry.pairs[columns[0], columns[1]], every] = after(np.ones_like(steps))
        return values
