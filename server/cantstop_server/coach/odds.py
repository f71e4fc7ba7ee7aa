"""The numbers people ask for: chances, progress, where to stop, and how good the Rule of 28 is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

import numpy as np

from cantstop_server.players.expert.geometry import Floats, Geometry, Ints, standard
from cantstop_server.players.expert.library import solve_with_edge
from cantstop_server.players.expert.position import View
from cantstop_server.players.expert.turn import Turn, runner_states, solve
from cantstop_server.rules.board import COLUMNS, LENGTHS, NO_STEPS, RUNNERS, column_set
from cantstop_server.rules.legal import Dice, Option, Reach, legal_options
from cantstop_server.rules.odds import ROLLS, bust_chance
from cantstop_server.rules.rule28 import STEP_VALUES, STOP_COUNT, rule_of_28

Shares: TypeAlias = tuple[float, float, float]


class BadPosition(ValueError):
    """Runners and markers that cannot stand so; the text says why."""


class TripleOdds(NamedTuple):
    """Three runners below the top with nothing claimed.

    ``steps`` is the mean number of steps a roll makes, a bust making none, with the option that
    makes the most, and ``points`` what they are worth by the Rule of 28 with the option that is
    worth most. With ``stop_at`` points made in the turn, or more, one more roll loses more on
    average than it gains.
    """

    columns: tuple[int, ...]
    bust: Fraction
    steps: Fraction
    points: Fraction

    @property
    def stop_at(self) -> Fraction:
        """The points from which on to stop."""
        return self.points / self.bust


@dataclass(frozen=True, slots=True)
class PositionOdds:
    """A position's figures. Values are progress in points of the Rule of 28 per step.

    ``stop`` and ``roll`` are what is kept on average by stopping now, None with no runner out, and
    by rolling with the best play after it.
    """

    bust: Fraction
    steps: Fraction
    count: int
    stop: float | None
    roll: float


class Agreement(NamedTuple):
    """How often, from three runners on their first steps, the Rule of 28 stops so near to where
    another would. The 165 triples weigh the same, courses by their chance without busts."""

    same: float
    within_one: float
    within_two: float


def column_chance(column: int) -> Fraction:
    """The chance that a roll can make a step in a column."""
    return 1 - bust_chance(column_set((column,)))


def triples() -> Iterator[TripleOdds]:
    """All 165 triples of columns."""
    for columns in combinations(COLUMNS, RUNNERS):
        movable = column_set(columns)
        able = Reach(movable, movable, 0, 0)
        points = sum(_points_of(option) * n for option, n in _best_options(able).items())
        yield TripleOdds(
            columns, bust_chance(movable), expected_steps(able), Fraction(points, ROLLS)
        )


def expected_steps(able: Reach) -> Fraction:
    """The mean number of steps of a roll, with the option that makes the most."""
    total = 0
    for dice, count in _distinct_rolls().items():
        options = legal_options(dice, able)
        total += count * max((len(option) for option in options), default=0)
    return Fraction(total, ROLLS)


def position_odds(
    runners: Mapping[int, int], markers: Mapping[int, int], claimed: frozenset[int]
) -> PositionOdds:
    """The figures for runners and markers by column. Raises ``BadPosition``."""
    _check(runners, markers, claimed)
    able = _reach(runners, markers, claimed)
    turn = _progress_turn(markers, claimed)
    state = standard().state({column - 2: step for column, step in runners.items()})
    row = tuple(runners.get(column, 0) for column in range(13))
    start = tuple(markers.get(column, 0) for column in range(13))
    return PositionOdds(
        bust=bust_chance(able.movable),
        steps=expected_steps(able),
        count=rule_of_28(row, start),
        stop=float(turn.stops[state]) if runners else None,
        roll=float(turn.rolls[state]),
    )


def agreement_with_progress() -> Agreement:
    """The Rule of 28 against what keeps the most progress of a single turn on average."""
    return _agreement(_progress_turn({}, frozenset()))


def agreement_with_expert() -> Agreement:
    """The Rule of 28 against the strong player, in the first turn of a game for two."""
    empty = (0,) * len(COLUMNS)
    view = View(empty, (empty,), (-1,) * len(COLUMNS), 3, 3)
    return _agreement(solve_with_edge(view).turn)


def _check(runners: Mapping[int, int], markers: Mapping[int, int], claimed: frozenset[int]) -> None:
    for column in (*runners, *markers, *claimed):
        if column not in COLUMNS:
            raise BadPosition(f"there is no column {column}: they are 2 to 12")
    if len(runners) > RUNNERS:
        raise BadPosition(f"there are {RUNNERS} runners, not {len(runners)}")
    for column, step in markers.items():
        if not 0 <= step < LENGTHS[column]:
            raise BadPosition(f"a marker in column {column} is on step 0 to {LENGTHS[column] - 1}")
    for column, step in runners.items():
        if column in claimed:
            raise BadPosition(f"column {column} is claimed: no runner can be there")
        low = markers.get(column, 0) + 1
        if not low <= step <= LENGTHS[column]:
            raise BadPosition(f"a runner in column {column} is on step {low} to {LENGTHS[column]}")


def _reach(
    runners: Mapping[int, int], markers: Mapping[int, int], claimed: frozenset[int]
) -> Reach:
    free = RUNNERS - len(runners)
    topped = {column for column, step in runners.items() if step == LENGTHS[column]}
    within = set(COLUMNS) - claimed if free else set(runners)
    standing = {column: runners.get(column, markers.get(column, 0)) for column in COLUMNS}
    last = column_set(c for c in COLUMNS if standing[c] == LENGTHS[c] - 1)
    return Reach(column_set(within - topped), column_set(runners), last, free)


def _progress_turn(markers: Mapping[int, int], claimed: frozenset[int]) -> Turn:
    """A turn played for the most points of progress kept, nothing else counting."""
    geometry = standard()
    own = np.array([markers.get(column, 0) for column in COLUMNS], np.int32)
    opened = np.array([column not in claimed for column in COLUMNS])
    return solve(geometry, own, opened, _points(geometry, own), 0.0)


def _points(geometry: Geometry, own: Ints) -> Floats:
    """The points of progress in each runner state."""
    points = np.zeros(geometry.states)
    worth = np.array([STEP_VALUES[column] for column in COLUMNS])
    for runners in range(1, RUNNERS + 1):
        stage = runner_states(geometry, runners)
        points[stage.states] = ((stage.steps - own[stage.columns]) * worth[stage.columns]).sum(0)
    return points


def _agreement(turn: Turn) -> Agreement:
    """Follow both from each triple until both have stopped, or two rolls beyond the first."""
    shares = [0.0, 0.0, 0.0]
    for columns in combinations(COLUMNS, RUNNERS):
        found = _Courses(turn, columns).shares((1,) * RUNNERS, None)
        shares = [total + share for total, share in zip(shares, found, strict=True)]
    same, one, two = (share / 165 for share in shares)
    return Agreement(same, same + one, same + one + two)


class _Courses:
    """The courses of three runners, each roll taking the option that makes the most points."""

    def __init__(self, turn: Turn, columns: tuple[int, ...]) -> None:
        self._turn = turn
        self._columns = columns
        self._known: dict[tuple[tuple[int, ...], tuple[bool, int] | None], Shares] = {}

    def shares(self, steps: tuple[int, ...], first: tuple[bool, int] | None) -> Shares:
        """The chance that both stop 0, 1 and 2 rolls apart, from these steps on.

        ``first`` is who has stopped, the rule or not, and how many rolls ago.
        """
        rule, other = self._stops(steps)
        if first is None:
            if rule and other:
                return (1.0, 0.0, 0.0)
            if not rule and not other:
                return self._following(steps, None)
            first = (rule, 0)
        elif other if first[0] else rule:
            return (0.0, 1.0, 0.0) if first[1] == 1 else (0.0, 0.0, 1.0)
        if first[1] == 2:
            return (0.0, 0.0, 0.0)
        return self._following(steps, (first[0], first[1] + 1))

    def _following(self, steps: tuple[int, ...], first: tuple[bool, int] | None) -> Shares:
        if (steps, first) not in self._known:
            self._known[steps, first] = self._mean(steps, first)
        return self._known[steps, first]

    def _mean(self, steps: tuple[int, ...], first: tuple[bool, int] | None) -> Shares:
        totals = (0.0, 0.0, 0.0)
        weight = 0
        for after, count in self._rolls(steps).items():
            found = self.shares(after, first)
            totals = (
                totals[0] + count * found[0],
                totals[1] + count * found[1],
                totals[2] + count * found[2],
            )
            weight += count
        return (totals[0] / weight, totals[1] / weight, totals[2] / weight)

    def _stops(self, steps: tuple[int, ...]) -> tuple[bool, bool]:
        placed = dict(zip(self._columns, steps, strict=True))
        state = standard().state({column - 2: step for column, step in placed.items()})
        row = tuple(placed.get(column, 0) for column in range(13))
        full = all(step == LENGTHS[column] for column, step in placed.items())
        return (
            full or rule_of_28(row, NO_STEPS) >= STOP_COUNT,
            full or bool(self._turn.stops[state] >= self._turn.rolls[state]),
        )

    def _rolls(self, steps: tuple[int, ...]) -> dict[tuple[int, ...], int]:
        """Where the rolls that do not bust lead, and how many of the 1,296 lead there."""
        able = column_set(
            c for c, step in zip(self._columns, steps, strict=True) if step < LENGTHS[c]
        )
        last = column_set(
            c for c, step in zip(self._columns, steps, strict=True) if step == LENGTHS[c] - 1
        )
        found: dict[tuple[int, ...], int] = {}
        for option, count in _best_options(Reach(able, column_set(self._columns), last, 0)).items():
            after = tuple(
                step + option.count(c) for c, step in zip(self._columns, steps, strict=True)
            )
            found[after] = found.get(after, 0) + count
        return found


@lru_cache(maxsize=4096)
def _best_options(able: Reach) -> dict[Option, int]:
    """The options that make the most points, with the number of rolls that give each."""
    found: dict[Option, int] = {}
    for roll, count in _distinct_rolls().items():
        options = legal_options(roll, able)
        if options:
            best = max(options, key=_points_of)
            found[best] = found.get(best, 0) + count
    return found


def _points_of(option: Option) -> int:
    return sum(STEP_VALUES[column] for column in option)


@lru_cache(maxsize=1)
def _distinct_rolls() -> dict[Dice, int]:
    """The rolls without regard to order, with their number of the 1,296."""
    found: dict[Dice, int] = {}
    for dice in product(range(1, 7), repeat=4):
        key: Dice = tuple(sorted(dice))  # type: ignore[assignment]
        found[key] = found.get(key, 0) + 1
    return found
