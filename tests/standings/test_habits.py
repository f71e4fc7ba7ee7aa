"""Habits, compared with a count that is made action by action."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import SETUPS, Ply, random_game

from cantstop_server.rules.board import RUNNERS, column_set
from cantstop_server.rules.course import Roll, notation
from cantstop_server.rules.errors import BadCourse
from cantstop_server.rules.game import Busted, Game, Stopped
from cantstop_server.rules.odds import busting_rolls
from cantstop_server.rules.rule28 import rule_of_28
from cantstop_server.rules.setup import Setup, make_setup
from cantstop_server.standings.habits import COUNTS, tallies


def out(game: Game) -> int:
    return column_set(column for column, step in enumerate(game.runners) if step)


def counted(setup: Setup, played: list[Ply]) -> list[tuple[Counter[str], Counter[Any]]]:
    """By seat: the sums, and claims, rolls and busts by what they were of."""
    found = [(Counter[str](), Counter[Any]()) for _ in range(setup.seats)]
    for turn in {ply.before.turn for ply in played}:
        plies = [ply for ply in played if ply.before.turn == turn]
        before, _, end, _ = plies[-1]
        if not isinstance(end, Stopped | Busted):
            continue
        sums, sets = found[end.seat]
        markers = before.markers[end.seat]
        steps = sum(r - m for m, r in zip(markers, before.runners, strict=True) if r)
        count = rule_of_28(before.runners, markers)
        sums["turns"] += 1
        for game in [ply.before for ply in plies if isinstance(ply.action, Roll)]:
            busting = busting_rolls(game.reach.movable)
            past = rule_of_28(game.runners, markers) - 28
            sums["rolls"] += 1
            sums["expected"] += busting
            sums["variance"] += busting * (1296 - busting)
            sets["rolls", out(game)] += 1
            if out(game).bit_count() == RUNNERS and past >= 0:
                sums["rolls_past"] += 1
                sums["rolls_past_excess"] += past
        if isinstance(end, Busted):
            sums["busts"] += 1
            sums["steps_lost"] += steps
            sets["busts", out(before)] += 1
            continue
        sums["stops"] += 1
        sums["steps_kept"] += steps
        sets.update(("claims", column) for column in end.claimed)
        if end.won:
            sums["finishes"] += 1
            sums["finish_turns"] += sums["turns"]
        elif out(before).bit_count() == RUNNERS:
            sums["full_stops"] += 1
            sums["full_stop_excess"] += count - 28
            sums["ripe_stops"] += count >= 28
    return found


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(SETUPS), st.sampled_from((0.0, 0.01)))
def test_habits_are_what_a_count_action_by_action_gives(
    seed: int, setup: Setup, resigning: float
) -> None:
    played = list(random_game(seed, setup, resigning=resigning))
    found = tallies(setup, "".join(notation(ply.action) for ply in played))
    for tally, (sums, sets) in zip(found, counted(setup, played), strict=True):
        assert {name: getattr(tally, name) for name in COUNTS} == {n: sums[n] for n in COUNTS}
        kinds = {"claims": tally.claims, "rolls": tally.set_rolls, "busts": tally.set_busts}
        assert {(k, of): n for k, counts in kinds.items() for of, n in counts.items()} == sets


def test_a_turn_that_goes_on_is_not_counted() -> None:
    assert [tally.rolls for tally in tallies(make_setup(2), "3456a3456")] == [0, 0]


@pytest.mark.parametrize("course", ["1111z", "3456a..", "3456-13456"])
def test_only_a_course_has_habits(course: str) -> None:
    with pytest.raises(BadCourse):
        tallies(make_setup(2), course)
