"""The player that stops by the Rule of 28."""

from dataclasses import fields, replace

import pytest
from positions import position, random_game

from cantstop_server.players.keller import DEFAULT_WEIGHTS, KellerPlayer, Weights
from cantstop_server.rules.game import Game, Phase, roll, stop_wins
from cantstop_server.rules.odds import busting_rolls
from cantstop_server.rules.rule28 import rule_of_28
from cantstop_server.rules.setup import make_setup
from cantstop_server.simulate import play_game, seeded_dice

WEIGHTS = tuple(field.name for field in fields(Weights))
NO_WEIGHTS = Weights(share=0, top=0, reuse=0, own_marker=0, middle=0, opponent=0, far=0.6)


def stops(game: Game) -> bool:
    return KellerPlayer().stop(game)


def count(game: Game) -> int:
    return rule_of_28(game.runners, game.markers[game.seat])


def choice(game: Game, weights: Weights, *dice: int) -> tuple[int, ...]:
    """The option that these weights take after a roll."""
    d1, d2, d3, d4 = dice
    pending, _ = roll(game, (d1, d2, d3, d4))
    return pending.options[KellerPlayer(weights).choose(pending)]


def test_it_stops_at_a_count_of_28_with_three_runners_out_and_not_below() -> None:
    low = position(runners={5: 2, 6: 4, 8: 3})
    high = position(runners={5: 2, 6: 5, 8: 3})
    assert (count(low), stops(low)) == (27, False)
    assert (count(high), stops(high)) == (29, True)
    exact = position(runners={4: 3, 7: 1, 8: 4})
    assert (count(exact), stops(exact)) == (28, True)


def test_it_rolls_at_any_count_while_a_third_runner_is_still_to_come() -> None:
    game = position(runners={2: 2, 12: 2})
    assert count(game) == 36
    assert not stops(game)


def test_it_does_not_wait_for_a_third_runner_when_no_column_is_left_for_one() -> None:
    closed = {column: column % 3 for column in range(2, 11)}
    setup = make_setup(3, 4)
    low = position({11: 1}, runners={11: 2, 12: 1}, owners=closed, setup=setup)
    high = position(runners={11: 2, 12: 2}, owners=closed, setup=setup)
    assert (low.reach.free, count(low), stops(low)) == (1, 22, False)
    assert (high.reach.free, count(high), stops(high)) == (1, 33, True)


def test_it_stops_when_stopping_wins_even_where_a_roll_is_free() -> None:
    game = position(runners={7: 13}, owners={2: 0, 12: 0})
    free = position(runners={7: 13}, setup=make_setup(2, 1))
    assert stop_wins(game)
    assert stops(game)
    assert busting_rolls(free.reach.movable) == 0
    assert stops(free)


def test_it_keeps_a_runner_on_a_top_step_when_the_next_roll_may_bust() -> None:
    game = position({7: 12}, runners={7: 13, 6: 1, 8: 1})
    assert count(game) < 28
    assert stops(game)


def test_a_free_runner_is_not_a_proof_of_safety_on_a_top_step() -> None:
    game = position(runners={2: 3})
    assert game.reach.free == 2
    assert busting_rolls(game.reach.movable) == 1
    assert stops(game)


def test_it_rolls_on_from_a_top_step_when_the_next_roll_cannot_bust() -> None:
    game = position({7: 12}, runners={7: 13})
    assert busting_rolls(game.reach.movable) == 0
    assert not stops(game)


def test_it_stops_with_every_runner_on_a_top_step() -> None:
    setup = make_setup(2, 5)
    assert stops(position(runners={2: 3, 3: 5, 12: 3}, setup=setup))


def test_a_roll_with_one_option_takes_it() -> None:
    assert choice(position(), DEFAULT_WEIGHTS, 3, 3, 3, 3) == (6, 6)


def test_ties_go_to_the_first_option() -> None:
    assert choice(position(), NO_WEIGHTS, 1, 1, 6, 6) == (2, 12)
    assert choice(position(), NO_WEIGHTS, 6, 1, 6, 1) == (2, 12)
    mirrored = position(runners={6: 1, 8: 1})
    pending, _ = roll(mirrored, (1, 1, 4, 5))
    scores = [KellerPlayer().score(pending, option) for option in ((5,), (9,))]
    assert scores[0] == scores[1]


def test_share_prefers_the_shorter_columns() -> None:
    game = position(runners={2: 1, 3: 1})
    assert choice(game, NO_WEIGHTS, 1, 4, 5, 6) == (5,)
    assert choice(game, replace(NO_WEIGHTS, share=1), 1, 4, 5, 6) == (11,)


def test_middle_prefers_the_middle_columns() -> None:
    assert choice(position(), replace(NO_WEIGHTS, middle=1), 1, 1, 6, 6) == (7, 7)


def test_top_prefers_a_step_that_reaches_the_top() -> None:
    game = position({7: 12})
    assert choice(game, NO_WEIGHTS, 1, 1, 6, 6) == (2, 12)
    assert choice(game, replace(NO_WEIGHTS, top=1), 1, 1, 6, 6) == (7,)


def test_reuse_prefers_a_runner_that_is_already_out() -> None:
    game = position(runners={9: 1})
    assert choice(game, NO_WEIGHTS, 2, 4, 5, 6) == (6, 11)
    assert choice(game, replace(NO_WEIGHTS, reuse=1), 2, 4, 5, 6) == (8, 9)


def test_the_second_step_of_a_double_reuses_its_runner() -> None:
    assert choice(position(), replace(NO_WEIGHTS, reuse=1), 1, 1, 6, 6) == (7, 7)


def test_own_marker_prefers_columns_where_the_own_marker_is_high() -> None:
    weights = replace(NO_WEIGHTS, own_marker=1)
    assert choice(position({7: 6}), weights, 1, 1, 6, 6) == (7, 7)
    assert choice(position({}, {7: 6}), weights, 1, 1, 6, 6) == (2, 12)


def test_opponent_shuns_columns_where_an_opponents_marker_is_far_advanced() -> None:
    game = position({}, {2: 2})
    assert choice(game, replace(NO_WEIGHTS, opponent=1), 1, 1, 6, 6) == (7, 7)
    assert choice(position({2: 2}), replace(NO_WEIGHTS, opponent=1), 1, 1, 6, 6) == (2, 12)


def test_far_says_how_far_advanced_an_opponents_marker_must_be() -> None:
    game = position({}, {2: 2})
    weights = replace(NO_WEIGHTS, opponent=1)
    assert choice(game, replace(weights, far=2 / 3), 1, 1, 6, 6) == (7, 7)
    assert choice(game, replace(weights, far=0.7), 1, 1, 6, 6) == (2, 12)


@pytest.mark.parametrize("weight", WEIGHTS)
def test_every_documented_weight_has_an_effect_on_some_decision_of_the_default(
    weight: str,
) -> None:
    default = KellerPlayer()
    without = KellerPlayer(replace(DEFAULT_WEIGHTS, **{weight: 0.0}))
    asked = (
        ply.after
        for seed in range(60)
        for ply in random_game(seed, make_setup(2))
        if ply.after.phase is Phase.CHOOSE
    )
    assert any(default.choose(game) != without.choose(game) for game in asked)


def test_it_needs_about_nine_turns_alone() -> None:
    player = KellerPlayer()
    dice = seeded_dice(11)
    turns = [play_game(make_setup(1), (player,), dice).game.turn for _ in range(300)]
    assert sum(turns) / len(turns) < 10
