"""What is agreed before a game: seats, target, dead markers, and who begins."""

from typing import Final, NamedTuple

from cantstop_server.rules.board import COLUMNS
from cantstop_server.rules.errors import InvalidSetup

MAX_SEATS: Final = 4
MAX_TARGET: Final = 5
DEFAULT_TARGET: Final = 3


class Setup(NamedTuple):
    """The options of one game. Made by ``make_setup``, which checks them.

    ``seats`` 1..4, 1 is solitaire; ``target`` columns to claim, 1..5; ``first`` is the seat that
    begins, 0..seats-1; ``keep_dead_markers`` leaves others' markers in claimed columns on the
    board (the play is the same).
    """

    seats: int
    target: int = DEFAULT_TARGET
    keep_dead_markers: bool = False
    first: int = 0


def make_setup(
    seats: int, target: int = DEFAULT_TARGET, *, keep_dead_markers: bool = False, first: int = 0
) -> Setup:
    """A checked setup.

    Raises ``InvalidSetup`` for values out of range, and for a target that might be reached by
    nobody: ``seats * (target - 1)`` claimed columns must still leave one.
    """
    if not 1 <= seats <= MAX_SEATS:
        raise InvalidSetup(f"a game has 1 to {MAX_SEATS} seats, not {seats}")
    if not 1 <= target <= MAX_TARGET:
        raise InvalidSetup(f"the target is 1 to {MAX_TARGET} columns, not {target}")
    if seats * (target - 1) >= len(COLUMNS):
        highest = 1 + (len(COLUMNS) - 1) // seats
        raise InvalidSetup(
            f"with {seats} seats the target is at most {highest} columns, not {target}:"
            " otherwise every column could be claimed without a winner"
        )
    if not 0 <= first < seats:
        raise InvalidSetup(f"the first seat is 0 to {seats - 1}, not {first}")
    return Setup(seats, target, keep_dead_markers, first)
