"""How each seat of a game played, read from its course in one pass.

Only turns that ended by a stop or a bust are counted; one that a resignation broke off counts
nowhere. Everything is a whole number, so that sums over games are exact.
"""

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Final

from cantstop_server.rules.board import ColumnSet, columns_in
from cantstop_server.rules.course import Turn, turns
from cantstop_server.rules.game import Busted
from cantstop_server.rules.odds import ROLLS, busting_rolls
from cantstop_server.rules.rule28 import STOP_COUNT, count_of
from cantstop_server.rules.setup import Setup


@dataclass(slots=True)
class Tally:
    """What one seat did in one game.

    ``steps_kept`` and ``steps_lost`` are those of stops and of busts. ``finish_turns`` are the
    turns that a game took its winner, counted in ``finishes``; one won by resignation is none.

    ``expected`` is the sum of the exact bust chances of all rolls, in 1,296ths, and ``variance``
    that of each chance times its complement, in 1,296ths of 1,296ths.

    With all three runners out, and unless it wins, each stop counts in ``full_stops`` and its
    Rule of 28 count less 28 in ``full_stop_excess``, below 0 for an early one. ``ripe_stops``
    are those at 28 or more; ``rolls_past`` are the rolls at 28 or more, and ``rolls_past_excess``
    the sum of their counts less 28.
    """

    turns: int = 0
    stops: int = 0
    busts: int = 0
    rolls: int = 0
    steps_kept: int = 0
    steps_lost: int = 0
    finishes: int = 0
    finish_turns: int = 0
    expected: int = 0
    variance: int = 0
    full_stops: int = 0
    full_stop_excess: int = 0
    ripe_stops: int = 0
    rolls_past: int = 0
    rolls_past_excess: int = 0
    claims: Counter[int] = field(default_factory=Counter)
    """Columns claimed, by column."""
    set_rolls: Counter[ColumnSet] = field(default_factory=Counter)
    """Rolls, by the set of columns that held a runner before them."""
    set_busts: Counter[ColumnSet] = field(default_factory=Counter)
    """Busts, by the same."""


COUNTS: Final = tuple(entry.name for entry in fields(Tally))[:-3]
"""The fields of a tally that are one number."""


def tallies(setup: Setup, course: str) -> tuple[Tally, ...]:
    """What each seat did. Raises ``BadCourse`` where the course is none."""
    found = tuple(Tally() for _ in range(setup.seats))
    for turn in turns(setup, course):
        tally = found[turn.end.seat]
        _count_rolls(tally, turn)
        _count_end(tally, turn)
    return found


def _count_rolls(tally: Tally, turn: Turn) -> None:
    set_rolls, markers = tally.set_rolls, turn.markers
    expected = variance = 0
    for runners, (movable, running, _, free) in turn.rolls:
        busting = busting_rolls(movable)
        expected += busting
        variance += busting * (ROLLS - busting)
        set_rolls[running] += 1
        if not free:
            past = count_of(columns_in(running), runners, markers) - STOP_COUNT
            if past >= 0:
                tally.rolls_past += 1
                tally.rolls_past_excess += past
    tally.rolls += len(turn.rolls)
    tally.expected += expected
    tally.variance += variance


def _count_end(tally: Tally, turn: Turn) -> None:
    markers, (runners, reach), end = turn.markers, turn.last, turn.end
    placed = columns_in(reach.running)
    steps = sum([runners[column] - markers[column] for column in placed])
    tally.turns += 1
    if isinstance(end, Busted):
        tally.busts += 1
        tally.steps_lost += steps
        tally.set_busts[reach.running] += 1
        return
    tally.stops += 1
    tally.steps_kept += steps
    for column in end.claimed:
        tally.claims[column] += 1
    if end.won:
        tally.finishes += 1
        tally.finish_turns += tally.turns
    elif not reach.free:
        past = count_of(placed, runners, markers) - STOP_COUNT
        tally.full_stops += 1
        tally.full_stop_excess += past
        tally.ripe_stops += past >= 0
