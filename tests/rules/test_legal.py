"""What a roll allows, against published cases and a definition written for the tests alone."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from positions import ALL_ROLLS, position, positions, vector_position, vector_rows

from cantstop_server.rules.game import Game, new_game
from cantstop_server.rules.legal import Dice, legal_options, pairings
from cantstop_server.rules.setup import make_setup

TOP = {2: 3, 3: 5, 4: 7, 5: 9, 6: 11, 7: 13, 8: 11, 9: 9, 10: 7, 11: 5, 12: 3}


class Table:
    """A turn played with fingers: runners are moved one step at a time, or refuse to move."""

    def __init__(self, game: Game) -> None:
        self.marker = {c: game.markers[game.seat][c] for c in TOP}
        self.runner = {c: game.runners[c] for c in TOP if game.runners[c] > 0}
        self.claimed = {c for c in TOP if game.owners[c] >= 0}

    def step(self, column: int) -> bool:
        if column in self.claimed:
            return False
        if column not in self.runner:
            if len(self.runner) == 3:
                return False
            self.runner[column] = self.marker[column]
        if self.runner[column] >= TOP[column]:
            return False
        self.runner[column] += 1
        return True


def options_by_hand(game: Game, dice: Dice) -> set[tuple[int, ...]]:
    """The options of a roll, by trying each pairing's steps one after the other."""
    found: set[tuple[int, ...]] = set()
    for i in (1, 2, 3):
        rest = [die for index, die in enumerate(dice) if index not in (0, i)]
        pair = (dice[0] + dice[i], sum(rest))
        both = Table(game)
        if both.step(pair[0]) and both.step(pair[1]):
            found.add(tuple(sorted(pair)))
        else:
            found.update((total,) for total in pair if Table(game).step(total))
    return found


def options(game: Game, *dice: int) -> list[tuple[int, ...]]:
    d1, d2, d3, d4 = dice
    return list(legal_options((d1, d2, d3, d4), game.reach))


@pytest.mark.parametrize("row", vector_rows(), ids=lambda row: row["name"])
def test_a_published_case_gives_its_options(row: Any) -> None:
    game = vector_position(row)
    assert options(game, *row["dice"]) == [tuple(option) for option in row["options"]]


@settings(max_examples=80, deadline=None)
@given(positions())
def test_every_roll_of_any_position_gives_the_options_found_by_hand(game: Game) -> None:
    able = game.reach
    for dice in ALL_ROLLS:
        assert set(legal_options(dice, able)) == options_by_hand(game, dice), dice


@settings(max_examples=30, deadline=None)
@given(positions())
def test_options_are_distinct_in_rising_order_and_at_most_six(game: Game) -> None:
    able = game.reach
    for dice in ALL_ROLLS:
        found = legal_options(dice, able)
        assert list(found) == sorted(set(found))
        assert all(list(option) == sorted(option) for option in found)
        assert len(found) <= 6


def test_an_empty_board_gives_1_to_3_options_in_these_numbers() -> None:
    able = new_game(make_setup(2)).reach
    counts = Counter(len(legal_options(dice, able)) for dice in ALL_ROLLS)
    assert counts == {1: 126, 2: 810, 3: 360}


def test_two_runners_out_gives_1_to_5_options_in_these_numbers() -> None:
    able = position(runners={6: 1, 8: 1}).reach
    counts = Counter(len(legal_options(dice, able)) for dice in ALL_ROLLS)
    assert counts == {1: 70, 2: 230, 3: 540, 4: 336, 5: 120}


def test_the_pairings_of_a_roll_are_three_with_repeats_kept() -> None:
    assert pairings((6, 1, 2, 4)) == ((6, 7), (5, 8), (3, 10))
    assert pairings((2, 2, 2, 2)) == ((4, 4),) * 3


def test_one_free_runner_and_two_new_totals_leave_the_choice_to_the_player() -> None:
    game = position(runners={7: 1, 8: 1})
    assert (3,) in options(game, 1, 2, 4, 5)
    assert (9,) in options(game, 1, 2, 4, 5)
    assert (3, 9) not in options(game, 1, 2, 4, 5)


def test_one_playable_total_is_enough_for_a_pairing() -> None:
    game = position(runners={2: 1, 7: 1, 12: 1})
    assert options(game, 1, 1, 2, 2) == [(2,)]


def test_the_last_free_runner_and_a_runner_that_is_out_move_together() -> None:
    game = position(runners={3: 1, 8: 1})
    assert (3, 9) in options(game, 1, 2, 4, 5)


def test_a_double_with_one_step_left_for_a_runner_is_one_step() -> None:
    game = position(runners={7: 12})
    assert options(game, 1, 1, 6, 6) == [(2, 12), (7,)]


def test_a_double_with_one_step_left_above_a_bare_marker_is_one_step() -> None:
    game = position({7: 12})
    assert options(game, 1, 1, 6, 6) == [(2, 12), (7,)]


def test_a_double_takes_two_steps_with_the_last_free_runner() -> None:
    game = position({7: 11}, runners={3: 1, 4: 1})
    assert (7, 7) in options(game, 1, 1, 6, 6)


def test_a_runner_on_the_top_step_takes_no_more_steps_and_counts_as_one_of_three() -> None:
    game = position(runners={7: 13, 3: 1, 4: 1})
    assert options(game, 1, 6, 1, 6) == []
    assert options(game, 1, 2, 3, 6) == [(3,), (4,)]


def test_repeated_dice_give_each_option_once() -> None:
    assert options(position(), 3, 3, 3, 3) == [(6, 6)]
    assert options(position(), 2, 2, 5, 5) == [(4, 10), (7, 7)]


def test_a_first_roll_can_bust_with_three_free_runners() -> None:
    assert options(position(owners={2: 1}), 1, 1, 1, 1) == []


def test_claimed_columns_are_dead_for_everybody() -> None:
    for owner in (0, 1):
        assert options(position(owners={8: owner}), 2, 6, 3, 5) == [(5, 11), (7, 9)]
