"""A seat that leaves in mid-game."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import SETUPS, position, random_game, steps

from cantstop_server.rules.board import NO_STEPS
from cantstop_server.rules.errors import NotAllowed
from cantstop_server.rules.game import (
    Phase,
    Resigned,
    claimed_columns,
    new_game,
    resign,
    roll,
    stop,
)
from cantstop_server.rules.setup import Setup, make_setup


def test_the_seat_to_move_leaves_and_the_next_gets_a_fresh_turn() -> None:
    game, _ = roll(position({7: 1}, {7: 2}, {}, runners={7: 3}), (1, 2, 3, 4))
    after, event = resign(game, 0)
    assert event == Resigned(0, None)
    assert (after.seat, after.phase, after.turn) == (1, Phase.ROLL, game.turn + 1)
    assert (after.runners, after.dice, after.options) == (NO_STEPS, None, ())
    assert after.reach.free == 3


def test_another_seat_leaves_and_dice_and_runners_are_untouched() -> None:
    game, _ = roll(position({7: 1}, {7: 2}, {}, runners={7: 3}), (1, 2, 3, 4))
    after, _ = resign(game, 2)
    assert after == game._replace(resigned=frozenset({2}), ply=game.ply + 1)


def test_a_seat_that_left_has_no_more_turns() -> None:
    game = position({}, {}, {}, runners={7: 1})
    game, _ = resign(game, 1)
    game, _ = stop(game)
    assert game.seat == 2


def test_its_markers_leave_the_open_columns_and_its_claims_stay_dead() -> None:
    game = position({2: 3, 6: 4}, {6: 1}, {}, owners={2: 0}, seat=1)
    after, _ = resign(game, 0)
    assert after.markers == (steps({2: 3}), steps({6: 1}), NO_STEPS)
    assert claimed_columns(after) == claimed_columns(game) == 1 << 2


def test_the_last_seat_standing_wins() -> None:
    game = new_game(make_setup(3))
    game, _ = resign(game, 1)
    game, event = resign(game, 0)
    assert event == Resigned(0, 2)
    assert (game.phase, game.winner) == (Phase.OVER, 2)


def test_a_solitaire_game_that_is_given_up_has_no_winner() -> None:
    game, event = resign(new_game(make_setup(1)), 0)
    assert event == Resigned(0, None)
    assert (game.phase, game.winner) == (Phase.OVER, None)


@pytest.mark.parametrize("seat", [-1, 3, 9])
def test_a_seat_that_does_not_exist_cannot_leave(seat: int) -> None:
    with pytest.raises(NotAllowed, match=f"seat {seat + 1} is not in the game"):
        resign(new_game(make_setup(3)), seat)


def test_a_seat_cannot_leave_twice() -> None:
    game, _ = resign(new_game(make_setup(3)), 2)
    with pytest.raises(NotAllowed, match="seat 3 is not in the game"):
        resign(game, 2)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(SETUPS))
def test_a_seat_that_left_never_moves_again_and_never_wins(seed: int, setup: Setup) -> None:
    for ply in random_game(seed, setup, resigning=0.03):
        if ply.after.phase is not Phase.OVER:
            assert ply.after.seat not in ply.after.resigned
        assert ply.after.winner not in ply.after.resigned
