"""What holds in every position of every game, over random games of all shapes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import SETUPS, position, random_game

from cantstop_server.rules.board import COLUMNS, LENGTHS, NO_SEAT, RUNNERS
from cantstop_server.rules.errors import NotAllowed
from cantstop_server.rules.game import (
    Advanced,
    Busted,
    Game,
    Phase,
    Stopped,
    choose,
    move,
    new_game,
    resign,
    roll,
    score,
    stop,
)
from cantstop_server.rules.setup import Setup, make_setup

games = given(st.integers(0, 2**32), st.sampled_from(SETUPS))
some = settings(max_examples=40, deadline=None)


@some
@games
def test_no_marker_or_runner_passes_the_top_and_none_is_lost_below_its_marker(
    seed: int, setup: Setup
) -> None:
    for ply in random_game(seed, setup):
        game = ply.after
        for column in COLUMNS:
            runner = game.runners[column]
            assert 0 <= runner <= LENGTHS[column]
            assert runner == 0 or runner > game.markers[game.seat][column]
            for row in game.markers:
                assert 0 <= row[column] <= LENGTHS[column]
                if row[column] == LENGTHS[column]:
                    assert game.owners[column] != NO_SEAT
        assert sum(map(bool, game.runners)) <= RUNNERS


@some
@games
def test_a_bust_restores_the_start_of_the_turn_exactly(seed: int, setup: Setup) -> None:
    start = new_game(setup)
    for ply in random_game(seed, setup):
        if isinstance(ply.event, Busted):
            assert ply.after.markers == start.markers
            assert ply.after.owners == start.owners
            assert ply.event.lost == ply.before.runners
        if ply.after.turn != start.turn:
            start = ply.after


@some
@games
def test_markers_move_at_a_stop_and_at_no_other_time(seed: int, setup: Setup) -> None:
    for ply in random_game(seed, setup):
        if not isinstance(ply.event, Stopped):
            assert ply.after.markers == ply.before.markers
            assert ply.after.owners == ply.before.owners


@some
@games
def test_nobody_moves_in_a_claimed_column_and_it_never_changes_hands(
    seed: int, setup: Setup
) -> None:
    for ply in random_game(seed, setup):
        for column in COLUMNS:
            owner = ply.before.owners[column]
            if owner == NO_SEAT:
                continue
            assert ply.after.owners[column] == owner
            assert ply.after.runners[column] == 0
            assert [row[column] for row in ply.after.markers] == [
                row[column] for row in ply.before.markers
            ]
        if isinstance(ply.event, Advanced):
            assert all(ply.before.owners[column] == NO_SEAT for column in ply.event.columns)


@some
@games
def test_dead_markers_are_removed_or_kept_as_agreed(seed: int, setup: Setup) -> None:
    for ply in random_game(seed, setup):
        if not isinstance(ply.event, Stopped):
            continue
        for column in ply.event.claimed:
            for seat, row in enumerate(ply.after.markers):
                if seat == ply.event.seat:
                    assert row[column] == LENGTHS[column]
                elif setup.keep_dead_markers:
                    assert row[column] == ply.before.markers[seat][column]
                else:
                    assert row[column] == 0


@some
@games
def test_keeping_dead_markers_changes_nothing_in_the_play(seed: int, setup: Setup) -> None:
    events = [
        [ply.event for ply in random_game(seed, setup._replace(keep_dead_markers=kept))]
        for kept in (False, True)
    ]
    assert events[0] == events[1]


@some
@games
def test_a_game_ends_with_exactly_one_winner_and_accepts_nothing_more(
    seed: int, setup: Setup
) -> None:
    end = list(random_game(seed, setup))[-1].after
    assert end.phase is Phase.OVER
    reached = [seat for seat in range(setup.seats) if score(end, seat) >= setup.target]
    assert reached == [end.winner]
    assert_refuses_everything(end)


@some
@games
def test_a_game_with_resignations_ends_and_accepts_nothing_more(seed: int, setup: Setup) -> None:
    end = list(random_game(seed, setup, resigning=0.02))[-1].after
    assert end.phase is Phase.OVER
    assert_refuses_everything(end)


@some
@games
def test_dice_and_options_are_set_while_a_choice_is_pending_and_only_then(
    seed: int, setup: Setup
) -> None:
    for number, ply in enumerate(random_game(seed, setup, resigning=0.005), start=1):
        choosing = ply.after.phase is Phase.CHOOSE
        assert (ply.after.dice is not None) == bool(ply.after.options) == choosing
        assert ply.after.ply == number


def assert_refuses_everything(game: Game) -> None:
    for seat in range(game.setup.seats):
        with pytest.raises(NotAllowed, match="the game is over"):
            resign(game, seat)
    with pytest.raises(NotAllowed, match="the game is over"):
        roll(game, (1, 2, 3, 4))
    with pytest.raises(NotAllowed, match="the game is over"):
        choose(game, 0)
    with pytest.raises(NotAllowed, match="the game is over"):
        stop(game)


@some
@games
def test_several_moves_at_once_lead_where_they_lead_one_by_one(seed: int, setup: Setup) -> None:
    start, moves = new_game(setup), []
    spots = [(start.runners, start.reach)]
    for ply in random_game(seed, setup):
        if isinstance(ply.event, Advanced):
            assert ply.before.dice is not None
            moves.append((ply.before.dice, ply.before.options.index(ply.event.columns)))
            spots.append((ply.after.runners, ply.after.reach))
            assert move(start, moves) == (ply.after, spots)
        if ply.after.turn != start.turn:
            start, moves = ply.after, []
            spots = [(start.runners, start.reach)]


def test_moves_are_refused_as_rolls_and_choices_are() -> None:
    game = new_game(make_setup(2))
    pending, _ = roll(game, (3, 4, 5, 6))
    lost = position(runners={2: 1, 3: 1, 12: 1})
    for start, moves, message in (
        (pending, [((3, 4, 5, 6), 0)], "choose one of the options first"),
        (game, [((3, 4, 5, 6), 3)], "no option 4: choose 1 to 3"),
        (lost, [((4, 4, 4, 4), 0)], "nothing to choose"),
        (resign(game, 0)[0], [((3, 4, 5, 6), 0)], "the game is over"),
    ):
        with pytest.raises(NotAllowed, match=message):
            move(start, moves)
