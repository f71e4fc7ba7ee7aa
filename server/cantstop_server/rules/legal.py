"""What a roll allows: pairings of the dice, and the options they give."""

from functools import cache, lru_cache
from typing import Final, NamedTuple, TypeAlias

from cantstop_server.rules.board import ColumnSet, column_set
from cantstop_server.rules.errors import IllegalDice

Dice: TypeAlias = tuple[int, int, int, int]
"""Four dice in the order they were rolled, each 1..6."""

Option: TypeAlias = tuple[int, ...]
"""The columns that advance, in rising order, one step each; ``(9, 9)`` is two steps in column 9."""

_DIE_FACES: Final = frozenset(range(1, 7))


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
    """The distinct options of a roll in rising order; none at all is a bust.

    Raises ``IllegalDice`` for anything but four dice.
    """
    pairs, rolled, doubled = _totals(dice)
    can_move, running, last_step, free = reach
    movable = can_move & rolled
    if not movable:
        return ()
    rivals = movable & ~running if free == 1 else 0
    return _options(pairs, movable, last_step & movable & doubled, rivals)


@cache
def _totals(dice: Dice) -> tuple[tuple[tuple[int, int], ...], ColumnSet, ColumnSet]:
    """The distinct pairings of a roll, the set of all their totals, and that of their doubles."""
    if len(dice) != 4 or not _DIE_FACES.issuperset(dice):
        raise IllegalDice(f"a roll is four dice of 1 to 6, not {dice!r}")
    pairs = tuple(sorted(set(pairings(dice))))
    totals = column_set(total for pair in pairs for total in pair)
    return pairs, totals, column_set(a for a, b in pairs if a == b)


# The columns that the dice do not name are left out, and so is the order of the dice: a game asks
# few distinct questions.
@lru_cache(maxsize=1 << 14)
def _options(
    pairs: tuple[tuple[int, int], ...],
    movable: ColumnSet,
    last_step: ColumnSet,
    rivals: ColumnSet,
) -> tuple[Option, ...]:
    """The options of all pairings; ``last_step`` need not have columns but for doubles, and
    ``rivals`` are columns that would each need the last runner."""
    found: set[Option] = set()
    for a, b in pairs:
        found.update(_pairing_options(a, b, movable, last_step, rivals))
    return tuple(sorted(found))


def _pairing_options(
    a: int, b: int, movable: ColumnSet, last_step: ColumnSet, rivals: ColumnSet
) -> tuple[Option, ...]:
    """The options of one pairing: both steps if both can be made, else each that can."""
    a_moves = movable >> a & 1
    b_moves = movable >> b & 1
    if a_moves and b_moves:
        if a == b:
            return ((a,),) if last_step >> a & 1 else ((a, a),)
        both_need_the_last_runner = rivals >> a & rivals >> b & 1
        return ((a,), (b,)) if both_need_the_last_runner else ((a, b),)
    if a_moves:
        return ((a,),)
    if b_moves:
        return ((b,),)
    return ()
