"""How each seat of a game played, read from its course in one pass.

Only turns that ended by a stop or a bust are counted; one that a resignation broke off counts
nowhere. Everything is a whole number, so that sums over games are exact.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Final

from cantstop_server.rules.board import RUNNERS, ColumnSet, Steps, standing
from cantstop_server.rules.course import Action, Roll, apply, parse_course
from cantstop_server.rules.errors import BadCourse, RulesError
from cantstop_server.rules.game import Busted, Event, Game, Resigned, Stopped, new_game, reach
from cantstop_server.rules.odds import ROLLS, busting_rolls
from cantstop_server.rules.rule28 import STOP_COUNT, rule_of_28
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
    rolls: list[Game] = []
    for before, action, event in _steps(setup, course):
        if isinstance(action, Roll):
            rolls.append(before)
        match event:
            case Busted(seat) | Stopped(seat):
                _count_rolls(found[seat], rolls)
                _end_turn(found[seat], before, event)
                rolls = []
            case Resigned(seat) if seat == before.seat:
                rolls = []
    return found


def _steps(setup: Setup, course: str) -> Iterator[tuple[Game, Action, Event]]:
    game = new_game(setup)
    for action in parse_course(course):
        try:
            after, event = apply(game, action)
        except RulesError as error:
            raise BadCourse(str(error)) from error
        yield game, action, event
        game = after


def _count_rolls(tally: Tally, rolls: list[Game]) -> None:
    for game in rolls:
        busting = busting_rolls(reach(game).movable)
        tally.expected += busting
        tally.variance += busting * (ROLLS - busting)
        out = standing(game.runners).present
        tally.set_rolls[out] += 1
        if out.bit_count() == RUNNERS:
            count = rule_of_28(game.runners, game.markers[game.seat])
            if count >= STOP_COUNT:
                tally.rolls_past += 1
                tally.rolls_past_excess += count - STOP_COUNT
    tally.rolls += len(rolls)


def _end_turn(tally: Tally, before: Game, event: Busted | Stopped) -> None:
    markers = before.markers[before.seat]
    tally.turns += 1
    if isinstance(event, Busted):
        tally.busts += 1
        tally.steps_lost += _steps_made(before.runners, markers)
        tally.set_busts[standing(before.runners).present] += 1
        return
    tally.stops += 1
    tally.steps_kept += _steps_made(before.runners, markers)
    tally.claims.update(event.claimed)
    if event.won:
        tally.finishes += 1
        tally.finish_turns += tally.turns
    elif standing(before.runners).present.bit_count() == RUNNERS:
        count = rule_of_28(before.runners, markers)
        tally.full_stops += 1
        tally.full_stop_excess += count - STOP_COUNT
        tally.ripe_stops += count >= STOP_COUNT


def _steps_made(runners: Steps, markers: Steps) -> int:
    return sum(runner - marker for runner, marker in zip(runners, markers, strict=True) if runner)
