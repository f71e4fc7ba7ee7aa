"""The turn solver against the plainest computation there is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import ALL_ROLLS, positions
from small_games import (
    Board,
    Duel,
    Runners,
    Solitaire,
    Steps,
    brute_start,
    states_above,
    stop_array,
    turn_values,
)

from cantstop_server.players.expert.geometry import geometry, reduced_lengths, standard
from cantstop_server.players.expert.position import view_of
from cantstop_server.players.expert.turn import Turn, solve
from cantstop_server.rules.board import COLUMNS
from cantstop_server.rules.game import Game, advance
from cantstop_server.rules.legal import legal_options

OPTIMAL_SOLITAIRE = {
    (2, 1): 1.2979481898,
    (2, 2): 1.3472818615,
    (2, 3): 1.4001799880,
    (3, 1): 1.4802534193,
    (3, 2): 1.7224007847,
    (3, 3): 1.8904814558,
}
"""The least expected turns by the faces of the dice and the shortest column, to claim three."""


def solved(board: Board, own: Steps, stop: object, bust: float) -> Turn:
    table = geometry(board.sides, board.lengths)
    markers = np.array(own, np.int32)
    return solve(table, markers, markers >= 0, stop_array(table, own, stop), bust)  # type: ignore[arg-type]


def solver_start(board: Board, own: Steps, stop: object, bust: float) -> float:
    return solved(board, own, stop, bust).value


@pytest.mark.parametrize(("sides", "shortest"), [(2, 1), (2, 2), (2, 3)])
def test_solitaire_on_a_small_board_takes_the_known_number_of_turns(
    sides: int, shortest: int
) -> None:
    board = Board(sides, reduced_lengths(sides, shortest), 3)
    start = (0,) * len(board.lengths)
    turns = Solitaire(board, solver_start).turns(start)
    assert turns == pytest.approx(OPTIMAL_SOLITAIRE[sides, shortest], abs=1e-9)
    assert Solitaire(board, brute_start).turns(start) == pytest.approx(turns, abs=1e-9)


def test_solitaire_with_three_faced_dice_takes_the_known_number_of_turns() -> None:
    board = Board(3, reduced_lengths(3, 1), 3)
    turns = Solitaire(board, solver_start).turns((0,) * 5)
    assert turns == pytest.approx(OPTIMAL_SOLITAIRE[3, 1], abs=1e-9)


@pytest.mark.parametrize(
    "board",
    [Board(2, (1, 3, 1), 2), Board(2, (2, 3, 2), 2), Board(2, (2, 2, 2), 1)],
    ids=str,
)
def test_with_exact_values_the_solver_decides_as_value_iteration_state_by_state(
    board: Board,
) -> None:
    duel = Duel(board)
    compared = 0
    for own, other in duel.values:
        expected = duel.turn(own, other)
        turn = solved(
            board,
            own,
            lambda runners, own=own, other=other: duel.after(own, other, runners),
            1 - duel.values[other, own],
        )
        assert turn.value == pytest.approx(duel.values[own, other], abs=1e-9)
        table = geometry(board.sides, board.lengths)
        for runners, (stop, roll) in expected.items():
            state = table.state(dict(runners))
            assert turn.rolls[state] == pytest.approx(roll, abs=1e-9)
            if runners and abs(stop - roll) > 1e-9:
                assert (turn.stops[state] >= turn.rolls[state]) == (stop >= roll)
                compared += 1
    assert compared > 100


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_values_of_stopping_give_the_turn_that_brute_force_gives(data: st.DataObject) -> None:
    lengths = data.draw(st.tuples(*(st.integers(1, 3) for _ in range(5))))
    board = Board(3, lengths, 3)
    own = tuple(data.draw(st.integers(-1, length - 1)) for length in lengths)
    bust = data.draw(st.floats(0, 1))
    seed = data.draw(st.integers(0, 2**32))
    values = np.random.default_rng(seed).random(geometry(3, lengths).states)

    def stop(runners: Runners) -> float:
        return float(values[geometry(3, lengths).state(dict(runners))])

    turn = solved(board, own, stop, bust)
    for runners, (_, roll) in turn_values(board, own, stop, bust).items():
        state = geometry(3, lengths).state(dict(runners))
        assert turn.rolls[state] == pytest.approx(roll, abs=1e-9)


@settings(max_examples=10, deadline=None)
@given(game=positions(), seed=st.integers(0, 2**32))
def test_on_the_real_board_rolling_is_worth_what_the_rules_say(game: Game, seed: int) -> None:
    table = standard()
    view = view_of(game, game.seat)
    stops = np.random.default_rng(seed).random(table.states)
    opened = np.array(view.owner) < 0
    turn = solve(table, np.array(view.own, np.int32), opened, stops, 0.25)

    def state(runners: tuple[int, ...]) -> int:
        return table.state({i: runners[c] for i, c in enumerate(COLUMNS) if runners[c]})

    expected = 0.0
    for dice in ALL_ROLLS:
        options = legal_options(dice, game.reach)
        values = [turn.best(state(advance(game, option))) for option in options]
        expected += max(values, default=0.25) / len(ALL_ROLLS)
    assert turn.rolls[state(game.runners)] == pytest.approx(expected, abs=1e-9)


def test_every_runner_state_has_a_number_of_its_own() -> None:
    table = geometry(3, (1, 2, 3, 2, 1))
    numbers = [table.state(dict(runners)) for runners in states_above(table, (0,) * 5)]
    assert len(set(numbers)) == len(numbers)
    assert max(numbers) < table.states
