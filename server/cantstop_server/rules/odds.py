"""Exact chances over the 6**4 = 1,296 equally likely rolls of four dice."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Final

from cantstop_server.rules.board import ALL_COLUMNS, ColumnSet, column_set

ROLLS: Final = 6**4
"""How many equally likely rolls four dice have."""

_FIRST_COLUMN: Final = 2
_SETS: Final = 1 << 11


def busting_rolls(movable: ColumnSet) -> int:
    """How many of the 1,296 rolls give no option when just these columns can take a step.

    A roll gives an option as soon as one of its six sums of two dice is such a column: one
    playable total is enough for a pairing to be legal.
    """
    return _busting_rolls_by_set()[(movable & ALL_COLUMNS) >> _FIRST_COLUMN]


def bust_chance(movable: ColumnSet) -> Fraction:
    """The chance, 0..1 and exact, that the next roll busts when these columns can take a step."""
    return Fraction(busting_rolls(movable), ROLLS)


@cache
def _busting_rolls_by_set() -> tuple[int, ...]:
    """Busting rolls for each of the 2,048 column sets.

    The rolls are counted by the set of their totals; a column set busts on every roll whose
    totals lie wholly outside it, so each entry is a sum over the subsets of its complement,
    accumulated one column at a time.
    """
    counts = [0] * _SETS
    for dice in product(range(1, 7), repeat=4):
        totals = column_set(a + b for a, b in combinations(dice, 2))
        counts[totals >> _FIRST_COLUMN] += 1
    for column in range(11):
        for subset in range(_SETS):
            if subset >> column & 1:
                counts[subset] += counts[subset ^ 1 << column]
    return tuple(counts[_SETS - 1 ^ columns] for columns in range(_SETS))
