"""The options of a game and what they refuse."""

from itertools import product

import pytest

from cantstop_server.rules.errors import InvalidSetup
from cantstop_server.rules.setup import Setup, make_setup


@pytest.mark.parametrize(("seats", "target"), list(product(range(1, 5), range(1, 6))))
def test_a_target_that_nobody_may_reach_is_refused(seats: int, target: int) -> None:
    if seats * (target - 1) < 11:
        assert make_setup(seats, target) == Setup(seats, target, False, 0)
    else:
        with pytest.raises(InvalidSetup, match=f"with {seats} seats the target is at most"):
            make_setup(seats, target)


def test_four_seats_take_at_most_three_columns_and_three_at_most_four() -> None:
    assert make_setup(4, 3).target == 3
    assert make_setup(3, 4).target == 4
    with pytest.raises(InvalidSetup, match="with 4 seats the target is at most 3 columns, not 4"):
        make_setup(4, 4)
    with pytest.raises(InvalidSetup, match="with 3 seats the target is at most 4 columns, not 5"):
        make_setup(3, 5)


@pytest.mark.parametrize("seats", [-1, 0, 5, 100])
def test_a_number_of_seats_out_of_range_is_refused(seats: int) -> None:
    with pytest.raises(InvalidSetup, match=f"1 to 4 seats, not {seats}"):
        make_setup(seats)


@pytest.mark.parametrize("target", [-1, 0, 6, 100])
def test_a_target_out_of_range_is_refused(target: int) -> None:
    with pytest.raises(InvalidSetup, match=f"1 to 5 columns, not {target}"):
        make_setup(2, target)


@pytest.mark.parametrize("first", [-1, 2])
def test_a_first_seat_that_is_not_in_the_game_is_refused(first: int) -> None:
    with pytest.raises(InvalidSetup, match=f"first seat is 0 to 1, not {first}"):
        make_setup(2, first=first)


def test_the_defaults_are_three_columns_and_dead_markers_removed() -> None:
    assert make_setup(2) == Setup(seats=2, target=3, keep_dead_markers=False, first=0)
