"""Michael Keller's Rule of 28 (1986, revised 1998): a count of how far a turn has come."""

from functools import lru_cache
from typing import Final

from cantstop_server.rules.board import RUNNERS, Steps, columns_in, standing

STOP_COUNT: Final = 28
"""The rule's advice: with three runners out, stop at this count or more."""

STEP_VALUES: Final = (0, 0, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6)
"""What a step is worth, indexed by column."""

ODD_COLUMNS_EXTRA: Final = 2
EVEN_COLUMNS_EXTRA: Final = -2
ONE_SIDE_EXTRA: Final = 4


def rule_of_28(runners: Steps, markers: Steps) -> int:
    """The count for runners that started from these markers.

    The first step of a newly placed runner counts double, so ``k`` steps count
    ``(k + 1) * value``. With three runners out, columns that are all odd add 2, all even take
    2 away, and columns all 7 or below, or all 7 or above, add 4.
    """
    return count_of(columns_in(standing(runners).present), runners, markers)


def count_of(placed: tuple[int, ...], runners: Steps, markers: Steps) -> int:
    """The same where the columns that hold a runner are known, in rising order."""
    count = 0
    for column in placed:
        count += (runners[column] - markers[column] + 1) * STEP_VALUES[column]
    if len(placed) == RUNNERS:
        count += shape_extra(placed)
    return count


@lru_cache(maxsize=165)
def shape_extra(columns: tuple[int, ...]) -> int:
    """The adjustment for the three columns that hold the runners, in rising order."""
    extra = 0
    odd = sum(column & 1 for column in columns)
    if odd == len(columns):
        extra += ODD_COLUMNS_EXTRA
    elif odd == 0:
        extra += EVEN_COLUMNS_EXTRA
    if columns[-1] <= 7 or columns[0] >= 7:
        extra += ONE_SIDE_EXTRA
    return extra
