"""A board as the turn solver sees it: columns, grouped rolls, and a number for each runner state.

The board is a parameter, so that the solver can be checked on games small enough to solve. Here
columns are counted from 0: column ``i`` is the total ``i + 2``.

A *runner state* is which columns hold a runner and on which step. All states of at most three
runners have a number of their own that depends on the board alone, not on the markers, and so do
the transitions between states of three runners. A state that stands no higher than a marker is
simply not used in that position.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cantstop_server.rules.board import COLUMNS, LENGTHS

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

_ONE: Final = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_DOUBLE: Final = ((2, 0, 0), (0, 2, 0), (0, 0, 2))
_TWO: Final = ((1, 1, 0), (1, 0, 1), (0, 1, 1))
OPTION_TYPES: Final = (*_ONE, *_DOUBLE, *_TWO)
"""What a pairing may do to three runners: the steps that each of them makes."""

_SINGLE_OPTIONS: Final = ((0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,), (8,))
_STEP_PAIRS: Final = ((0, 1), (0, 2), (1, 2), (0, 4), (0, 5), (1, 3), (1, 5), (2, 3), (2, 4))
_OTHER_PAIRS: Final = ((0, 8), (1, 7), (2, 6), (4, 7))
_THREES: Final = ((0, 1, 2), (0, 1, 5), (0, 2, 4), (1, 2, 3))
OUTCOMES: Final = (*_SINGLE_OPTIONS, *_STEP_PAIRS, *_OTHER_PAIRS, *_THREES)
"""The sets of option types that a roll may give to three runners, whatever their columns."""

TOPPED_SETS: Final = 8
"""How many sets of the three runners may stand on their top step."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """A board and its tables; made by ``geometry``.

    ``pairs[x, y]`` numbers the pairings of totals; ``rolls`` lists, for each distinct set of three
    pairings, their numbers, and ``roll_weights`` its chance. ``offset1``, ``offset2``, ``offset3``
    with ``stride2[x, y]`` and ``stride3[x, y, z]`` (of the first column among the others) number
    the runner states: ``offset2[x, y] + x_step * stride2[x, y] + y_step * stride2[y, x]``.
    ``outcome_weights[t * 8 + s]`` are the chances of the ``OUTCOMES`` with runners in the columns
    of triple ``t``, of which the set ``s``, a bit for each, stands on top; ``bust_weights`` the
    chance of none.
    """

    sides: int
    lengths: Ints
    pairs: Ints
    pair_columns: Ints
    rolls: Ints
    roll_weights: Floats
    states: int
    offset1: Ints
    offset2: Ints
    stride2: Ints
    offset3: Ints
    stride3: Ints
    triples: Ints
    outcome_weights: Floats
    bust_weights: Floats

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return len(self.lengths)

    def state(self, runners: dict[int, int]) -> int:
        """The number of a runner state, given as steps by column."""
        placed = sorted(runners)
        steps = [runners[column] for column in placed]
        if not placed:
            return 0
        if len(placed) == 1:
            return int(self.offset1[placed[0]]) + steps[0]
        if len(placed) == 2:
            a, b = placed
            stride = int(self.stride2[a, b])
            return int(self.offset2[a, b]) + steps[0] * stride + steps[1] * int(self.stride2[b, a])
        a, b, c = placed
        strides = (self.stride3[a, b, c], self.stride3[b, a, c], self.stride3[c, a, b])
        moved = sum(step * int(stride) for step, stride in zip(steps, strides, strict=True))
        return int(self.offset3[a, b, c]) + moved


def standard() -> Geometry:
    """The board of the game: six-sided dice, columns of 3 5 7 9 11 13 11 9 7 5 3 steps."""
    return geometry(6, tuple(LENGTHS[column] for column in COLUMNS))


def reduced_lengths(sides: int, shortest: int) -> tuple[int, ...]:
    """Columns for dice with fewer faces: each 2 longer than the next one further out."""
    return tuple(shortest + 2 * (sides - 1 - abs(i - sides + 1)) for i in range(2 * sides - 1))


@lru_cache(maxsize=16)
def geometry(sides: int, lengths: tuple[int, ...]) -> Geometry:
    """The tables for four dice of so many faces and columns of these lengths."""
    count = 2 * sides - 1
    if len(lengths) != count:
        raise ValueError(f"dice of {sides} faces have {count} columns, not {len(lengths)}")
    pairs = np.zeros((count, count), np.int32)
    pair_columns = [(x, y) for x in range(count) for y in range(x, count)]
    for number, (x, y) in enumerate(pair_columns):
        pairs[x, y] = pairs[y, x] = number
    rolls = _rolls(sides, pairs)
    offsets = _Offsets(lengths)
    triples = list(combinations(range(count), 3))
    weights, busts = _outcomes(triples, pair_columns, rolls)
    return Geometry(
        sides=sides,
        lengths=np.array(lengths, np.int32),
        pairs=pairs,
        pair_columns=np.array(pair_columns, np.int32),
        rolls=np.array([_padded(roll) for roll in rolls], np.int32),
        roll_weights=np.array(list(rolls.values())),
        states=offsets.states,
        offset1=offsets.offset1,
        offset2=offsets.offset2,
        stride2=offsets.stride2,
        offset3=offsets.offset3,
        stride3=offsets.stride3,
        triples=np.array(triples, np.int32).reshape(-1, 3),
        outcome_weights=weights,
        bust_weights=busts,
    )


def _rolls(sides: int, pairs: Ints) -> dict[tuple[int, ...], float]:
    """The chance of each distinct set of pairings."""
    rolls: dict[tuple[int, ...], float] = {}
    for d1, d2, d3, d4 in product(range(sides), repeat=4):
        totals = ((d1 + d2, d3 + d4), (d1 + d3, d2 + d4), (d1 + d4, d2 + d3))
        key = tuple(sorted({int(pairs[a, b]) for a, b in totals}))
        rolls[key] = rolls.get(key, 0.0) + 1.0
    return {key: count / sides**4 for key, count in sorted(rolls.items())}


def _padded(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return (numbers + numbers[-1:] * 2)[:3]


class _Offsets:
    """Numbers for the runner states: 0 is none, then one runner, two, and three."""

    def __init__(self, lengths: tuple[int, ...]) -> None:
        count = len(lengths)
        sizes = [length + 1 for length in lengths]
        self.offset1 = np.zeros(count, np.int32)
        self.offset2 = np.zeros((count,) * 2, np.int32)
        self.stride2 = np.zeros((count,) * 2, np.int32)
        self.offset3 = np.zeros((count,) * 3, np.int32)
        self.stride3 = np.zeros((count,) * 3, np.int32)
        self.states = 1
        for a in range(count):
            self.offset1[a] = self.states
            self.states += sizes[a]
        for a, b in combinations(range(count), 2):
            self.offset2[a, b] = self.offset2[b, a] = self.states
            self.stride2[a, b], self.stride2[b, a] = sizes[b], 1
            self.states += sizes[a] * sizes[b]
        for a, b, c in combinations(range(count), 3):
            for x, y, z in ((a, b, c), (b, a, c), (c, a, b)):
                stride = {a: sizes[b] * sizes[c], b: sizes[c], c: 1}[x]
                self.stride3[x, y, z] = self.stride3[x, z, y] = stride
                self.offset3[x, y, z] = self.offset3[x, z, y] = self.states
            self.states += sizes[a] * sizes[b] * sizes[c]


def _outcomes(
    triples: list[tuple[int, int, int]],
    pair_columns: list[tuple[int, int]],
    rolls: dict[tuple[int, ...], float],
) -> tuple[Floats, Floats]:
    """The chances of the outcomes, for each triple of columns and each set of topped runners."""
    weights = np.zeros((len(triples) * TOPPED_SETS, len(OUTCOMES)))
    busts = np.zeros(len(weights))
    for row in range(len(weights)):
        triple, topped = triples[row // TOPPED_SETS], row % TOPPED_SETS
        options = [_option(triple, topped, x, y) for x, y in pair_columns]
        for roll, weight in rolls.items():
            outcome = tuple(sorted({options[pair] for pair in roll} - {-1}))
            if outcome:
                weights[row, OUTCOMES.index(outcome)] += weight
            else:
                busts[row] += weight
    return weights, busts


def _option(triple: tuple[int, int, int], topped: int, x: int, y: int) -> int:
    """Which of the option types a pairing gives to three runners; -1 is none.

    Two steps in a column with one left are one: the solver cuts them off at the top.
    """
    steps = [0, 0, 0]
    for column in (x, y):
        if column in triple and not topped >> triple.index(column) & 1:
            steps[triple.index(column)] += 1
    return OPTION_TYPES.index((steps[0], steps[1], steps[2])) if any(steps) else -1
