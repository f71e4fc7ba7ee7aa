"""The board: eleven columns of unequal length, and sets of columns as bit masks.

Values for each column (markers, runners, owners) are tuples of 13 entries indexed by the column's
number, so that ``markers[7]`` is the step in column 7. Entries 0 and 1 belong to no column.

A set of columns is an integer with bit ``1 << column`` set for each column in it.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final, NamedTuple, TypeAlias

COLUMNS: Final = tuple(range(2, 13))
"""The columns, named by the totals of two dice."""

LENGTHS: Final = (0, 0, *(13 - 2 * abs(7 - column) for column in COLUMNS))
"""Steps in each column, indexed by column: 3 5 7 9 11 13 11 9 7 5 3 for columns 2 to 12."""

RUNNERS: Final = 3
"""How many runners a turn has."""

NO_SEAT: Final = -1
"""The owner of a column that nobody has claimed."""

Steps: TypeAlias = tuple[int, ...]
"""A step for each column, indexed by column; 0 is no marker or no runner."""

ColumnSet: TypeAlias = int
"""A bit mask of columns."""

NO_STEPS: Final[Steps] = (0,) * 13
NO_OWNERS: Final[Steps] = (NO_SEAT,) * 13
ALL_COLUMNS: Final[ColumnSet] = sum(1 << column for column in COLUMNS)


def column_set(columns: Iterable[int]) -> ColumnSet:
    """The set of the given columns, each 2..12."""
    mask = 0
    for column in columns:
        mask |= 1 << column
    return mask


@cache
def columns_in(mask: ColumnSet) -> tuple[int, ...]:
    """The columns of a set, in rising order."""
    return tuple(column for column in COLUMNS if mask >> column & 1)


class Standing(NamedTuple):
    """Where a row of markers or runners stands: the columns that hold one at all, those where it
    is on the top step, and those where it is one step below the top."""

    present: ColumnSet
    topped: ColumnSet
    last_step: ColumnSet


# One position asks about its rows several times: for the rules, the player and the screen.
@lru_cache(maxsize=1 << 10)
def standing(steps: Steps) -> Standing:
    """The sets of columns that a row of steps gives."""
    present = topped = last_step = 0
    for column, step in enumerate(steps):
        if step:
            present |= 1 << column
            if step == LENGTHS[column]:
                topped |= 1 << column
            elif step == LENGTHS[column] - 1:
                last_step |= 1 << column
    return Standing(present, topped, last_step)


@lru_cache(maxsize=1 << 10)
def claimed_in(owners: Steps) -> ColumnSet:
    """The columns that have an owner."""
    return column_set(column for column in COLUMNS if owners[column] != NO_SEAT)
