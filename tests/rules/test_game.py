"""The game from action to action: turns, claims, busts, wins and refusals."""

from typing import Any

import pytest
from positions import position, steps

from cantstop_server.rules.board import NO_SEAT, NO_STEPS, columns_in
from cantstop_server.rules.errors import IllegalDice, NotAllowed
from cantstop_server.rules.game import (
    Advanced,
    Busted,
    Game,
    Phase,
    Rolled,
    Stopped,
    advance,
    choose,
    claimed_columns,
    new_game,
    resign,
    roll,
    score,
    stop,
    stop_wins,
    topped_columns,
)
from cantstop_server.rules.setup import make_setup


def taken(game: Game, dice: tuple[int, int, int, int], option: tuple[int, ...]) -> Game:
    """The position after a roll and the choice of this option."""
    game, _ = roll(game, dice)
    return choose(game, game.options.index(option))[0]


def test_a_game_starts_with_an_empty_board_and_the_first_seat_to_roll() -> None:
    game = new_game(make_setup(3, first=2))
    assert game.markers == (NO_STEPS,) * 3
    assert claimed_columns(game) == 0
    assert (game.seat, game.phase, game.turn, game.ply) == (2, Phase.ROLL, 1, 0)


def test_a_roll_leaves_its_dice_and_options_pending() -> None:
    game, event = roll(new_game(make_setup(2)), (3, 4, 5, 6))
    assert event == Rolled(0, (3, 4, 5, 6), ((7, 11), (8, 10), (9, 9)))
    assert (game.dice, game.options) == ((3, 4, 5, 6), event.options)
    assert game.phase is Phase.CHOOSE


def test_a_choice_advances_runners_and_clears_the_dice() -> None:
    pending, _ = roll(position({9: 4}), (3, 4, 5, 6))
    game, event = choose(pending, 2)
    assert event == Advanced(0, (9, 9), steps({9: 6}))
    assert game.runners == advance(pending, (9, 9)) == event.runners
    assert (game.phase, game.dice, game.options) == (Phase.ROLL_OR_STOP, None, ())


def test_a_new_runner_starts_one_step_above_the_own_marker_not_anothers() -> None:
    game = position({7: 3}, {7: 9, 8: 2}, seat=0)
    assert advance(game, (7, 8)) == steps({7: 4, 8: 1})


def test_a_stop_moves_the_markers_to_the_runners_and_passes_the_dice() -> None:
    game, event = stop(position({6: 2, 7: 1}, {6: 5}, runners={6: 5, 8: 1}))
    assert game.markers == (steps({6: 5, 7: 1, 8: 1}), steps({6: 5}))
    assert event == Stopped(0, steps({6: 5, 8: 1}), (), False)
    assert (game.seat, game.phase, game.runners, game.turn) == (1, Phase.ROLL, NO_STEPS, 2)


def test_a_bust_takes_the_runners_off_and_leaves_the_markers() -> None:
    before = position({2: 1, 3: 1}, runners={2: 2, 3: 2, 12: 1})
    after, event = roll(before, (5, 5, 4, 4))
    assert event == Busted(0, (5, 5, 4, 4), before.runners)
    assert after.markers == before.markers
    assert (after.seat, after.runners, after.phase) == (1, NO_STEPS, Phase.ROLL)


def test_a_bust_stays_visible_with_its_dice_and_what_was_lost() -> None:
    _, event = roll(position(runners={2: 3, 12: 1, 3: 4}), (5, 5, 4, 4))
    assert isinstance(event, Busted)
    assert (event.seat, event.dice, event.lost) == (0, (5, 5, 4, 4), steps({2: 3, 12: 1, 3: 4}))


def test_a_first_roll_busts_once_the_columns_it_gives_are_claimed() -> None:
    _, event = roll(position(owners={2: 1}), (1, 1, 1, 1))
    assert event == Busted(0, (1, 1, 1, 1), NO_STEPS)


def test_after_a_bust_the_next_player_starts_clean_and_must_roll() -> None:
    game, _ = roll(position(runners={2: 1, 3: 1, 12: 1}), (5, 5, 4, 4))
    with pytest.raises(NotAllowed, match="before you have moved"):
        stop(game)
    with pytest.raises(NotAllowed, match="no dice on the table"):
        choose(game, 0)
    assert game.reach.free == 3


def test_stopping_before_a_move_is_refused() -> None:
    with pytest.raises(NotAllowed, match="you cannot stop before you have moved: roll first"):
        stop(new_game(make_setup(2)))


def test_the_same_choice_twice_counts_once() -> None:
    game = taken(position(), (3, 4, 5, 6), (9, 9))
    with pytest.raises(NotAllowed, match="there are no dice on the table"):
        choose(game, 2)
    assert game.runners == steps({9: 2})


def test_nothing_but_a_choice_is_accepted_while_dice_are_pending() -> None:
    game, _ = roll(new_game(make_setup(2)), (3, 4, 5, 6))
    with pytest.raises(NotAllowed, match="choose one of the options first"):
        roll(game, (1, 1, 1, 1))
    with pytest.raises(NotAllowed, match="choose one of the options first"):
        stop(game)


@pytest.mark.parametrize("index", [-1, 3, 99])
def test_an_option_that_does_not_exist_is_refused(index: int) -> None:
    game, _ = roll(new_game(make_setup(2)), (3, 4, 5, 6))
    with pytest.raises(NotAllowed, match=f"no option {index + 1}: choose 1 to 3"):
        choose(game, index)


@pytest.mark.parametrize("dice", [(), (1, 2, 3), (1, 2, 3, 4, 5), (0, 1, 2, 3), (1, 2, 3, 7)])
def test_a_roll_that_is_not_four_dice_is_refused(dice: Any) -> None:
    with pytest.raises(IllegalDice, match="four dice of 1 to 6"):
        roll(new_game(make_setup(2)), dice)


def test_a_double_one_step_below_the_top_goes_one_step_and_stays_on_the_top() -> None:
    game = taken(position({7: 12}), (1, 1, 6, 6), (7,))
    assert game.runners == steps({7: 13})
    assert topped_columns(game) == (7,)


def test_a_runner_on_its_top_step_is_not_claimed_until_the_stop() -> None:
    game = taken(position({2: 2}, {2: 1}), (1, 1, 3, 4), (2, 7))
    assert claimed_columns(game) == 0
    assert game.markers == (steps({2: 2}), steps({2: 1}))
    after, event = stop(game)
    assert event.claimed == (2,)
    assert after.owners[2] == 0
    assert score(after, 0) == 1


def test_a_bust_loses_a_runner_on_its_top_step_and_leaves_others_untouched() -> None:
    game = position({2: 2}, {2: 1}, runners={2: 3, 3: 1, 12: 1})
    after, event = roll(game, (1, 1, 4, 5))
    assert isinstance(event, Busted)
    assert claimed_columns(after) == 0
    assert after.markers == (steps({2: 2}), steps({2: 1}))


def test_dead_markers_are_removed_when_a_column_is_claimed() -> None:
    game = position({2: 2}, {2: 1, 7: 4}, {2: 2}, runners={2: 3, 7: 1})
    after, _ = stop(game)
    assert after.markers == (steps({2: 3, 7: 1}), steps({7: 4}), NO_STEPS)


def test_dead_markers_are_kept_where_they_are_when_agreed() -> None:
    setup = make_setup(3, keep_dead_markers=True)
    game = position({2: 2}, {2: 1, 7: 4}, {2: 2}, runners={2: 3}, setup=setup)
    after, _ = stop(game)
    assert after.markers == (steps({2: 3}), steps({2: 1, 7: 4}), steps({2: 2}))
    assert not after.reach.movable >> 2 & 1


def test_one_stop_claims_two_and_three_columns() -> None:
    game = position(runners={2: 3, 12: 3})
    after, event = stop(game)
    assert event == Stopped(0, steps({2: 3, 12: 3}), (2, 12), False)
    assert score(after, 0) == 2
    after, event = stop(position(runners={2: 3, 3: 5, 12: 3}))
    assert event == Stopped(0, steps({2: 3, 3: 5, 12: 3}), (2, 3, 12), True)
    assert after.winner == 0


def test_more_columns_than_the_target_win_as_well() -> None:
    game = position(runners={2: 3, 3: 5, 12: 3}, owners={7: 0, 8: 0})
    assert stop_wins(game)
    after, event = stop(game)
    assert event.won
    assert score(after, 0) == 5


def test_runners_that_would_win_still_have_to_stop_and_can_be_lost() -> None:
    game = position(runners={2: 3, 3: 5, 12: 3})
    assert stop_wins(game)
    assert game.phase is Phase.ROLL_OR_STOP
    after, event = roll(game, (3, 4, 3, 4))
    assert isinstance(event, Busted)
    assert after.winner is None
    assert claimed_columns(after) == 0


def test_a_stop_below_the_target_does_not_win() -> None:
    game = position(runners={2: 3}, owners={7: 0, 8: 1, 9: 1})
    assert not stop_wins(game)
    after, event = stop(game)
    assert not event.won
    assert after.phase is Phase.ROLL


def test_a_win_ends_the_game_at_once_and_nothing_is_accepted_after_it() -> None:
    game, _ = stop(position(runners={2: 3}, owners={7: 0, 8: 0}))
    assert (game.phase, game.winner, game.runners) == (Phase.OVER, 0, NO_STEPS)
    for action in (
        lambda: roll(game, (1, 2, 3, 4)),
        lambda: choose(game, 0),
        lambda: stop(game),
        lambda: resign(game, 1),
    ):
        with pytest.raises(NotAllowed, match="the game is over"):
            action()


def test_the_reach_is_what_the_columns_can_still_take() -> None:
    game = position({2: 2, 7: 12, 8: 10}, runners={7: 13, 3: 4}, owners={5: 1, 12: 0})
    able = game.reach
    assert columns_in(able.movable) == (2, 3, 4, 6, 8, 9, 10, 11)
    assert columns_in(able.running) == (3, 7)
    assert columns_in(able.last_step) == (2, 3, 8)
    assert able.free == 1


def test_with_three_runners_out_they_alone_are_within_reach() -> None:
    able = position({2: 2}, runners={7: 13, 3: 4, 4: 1}).reach
    assert columns_in(able.movable) == (3, 4)
    assert able.free == 0


def test_solitaire_counts_turns_with_busts_included() -> None:
    setup = make_setup(1, 1)
    game = position({2: 2}, runners={3: 1, 4: 1, 12: 1}, setup=setup)
    game, event = roll(game, (4, 4, 5, 5))
    assert isinstance(event, Busted)
    assert (game.seat, game.turn) == (0, 2)
    game, stopped = stop(taken(game, (1, 1, 3, 4), (2, 7)))
    assert stopped.won
    assert (game.winner, game.turn) == (0, 2)


def test_turns_pass_in_order_around_the_table() -> None:
    game = new_game(make_setup(3, first=1))
    seats = []
    for _ in range(4):
        seats.append(game.seat)
        game, _ = stop(taken(game, (3, 4, 5, 6), (9, 9)))
    assert seats == [1, 2, 0, 1]
    assert set(game.owners) == {NO_SEAT}
