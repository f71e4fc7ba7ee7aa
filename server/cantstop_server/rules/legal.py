"""What a roll allows: pairings of the dice, and the options they give."""

from functools import lru_cache
from typing import NamedTuple, TypeAlias

from cantstop_server.rules.board import ColumnSet

Dice: TypeAlias = tuple[int, int, int, int]
"""Four dice in the order they were rolled, each 1..6."""

Option: TypeAlias = tuple[int, ...]
"""The columns that advance, in rising order, one step each; ``(9, 9)`` is two steps in column 9."""


class Reach(NamedTuple):
    """What the columns can still take in this turn.

    ``movable`` are the columns that can take a step; ``running`` those that hold a runner;
    ``last_step`` those with just one step left below their top; ``free`` counts the runners not
    yet placed, 0..3.
    """

    movable: ColumnSet
    running: ColumnSet
    last_step: ColumnSet
    free: int


def pairings(dice: Dice) -> tuple[tuple[int, int], ...]:
    """The three ways to split four dice into two totals, the lower total first, repeats kept."""
    d1, d2, d3, d4 = dice
    totals = ((d1 + d2, d3 + d4), (d1 + d3, d2 + d4), (d1 + d4, d2 + d3))
    return tuple((a, b) if a <= b else (b, a) for a, b in totals)


def legal_options(dice: Dice, reach: Reach) -> tuple[Option, ...]:
    """The distinct options of a roll in rising order; none at all is a bust."""
    return _options_of_pairings(pairings(dice), reach)


# Few distinct questions come up in a game, and bots ask them again and again.
@lru_cache(maxsize=1 << 15)
def _options_of_pairings(totals: tuple[tuple[int, int], ...], reach: Reach) -> tuple[Option, ...]:
    found: set[Option] = set()
    for a, b in totals:
        found.update(_pairing_options(a, b, reach))
    return tuple(sorted(found))


def _pairing_options(a: int, b: int, reach: Reach) -> tuple[Option, ...]:
    """The options of one pairing: both steps if both can be made, else each that can."""
    a_moves = reach.movable >> a & 1
    b_moves = reach.movable >> b & 1
    if a_moves and b_moves:
        if a == b:
            return ((a,),) if reach.last_step >> a & 1 else ((a, a),)
        runners_needed = 2 - (reach.running >> a & 1) - (reach.running >> b & 1)
        return ((a, b),) if runners_needed <= reach.free else ((a,), (b,))
    if a_moves:
        return ((a,),)
    if b_moves:
        return ((b,),)
    return ()
