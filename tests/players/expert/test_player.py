"""The strong player and its levels."""

import math
import os
import random
import subprocess
import sys
from importlib.resources import files
from itertools import islice

import pytest
from positions import SETUPS, position, random_game

from cantstop_server.players.expert.library import (
    EDGE,
    edge_in,
    known_view,
    network,
    solve,
    solve_with_edge,
)
from cantstop_server.players.expert.player import LEVELS, ExpertPlayer
from cantstop_server.players.expert.position import View, view_of
from cantstop_server.players.expert.solution import NumpySolver, Solution, key_of
from cantstop_server.players.registry import EXPERT_LEVELS, THINKING_KINDS, make_player
from cantstop_server.rules.game import Game, Phase, new_game, stop_wins
from cantstop_server.rules.setup import Setup, make_setup
from cantstop_server.simulate import play_game, seeded_dice

ANSWERS = """
from cantstop_server.players.registry import make_player
from cantstop_server.rules.setup import make_setup
from cantstop_server.simulate import play_game, seeded_dice
print(play_game(make_setup(2), (make_player("expert"), make_player("random")), seeded_dice(7)))
"""

LIGHT = """
import sys
import cantstop_server.net.server
print("numpy" in sys.modules)
"""


def solve_anew(view: View) -> Solution:
    """The solution, without what is kept of earlier ones."""
    known, name = known_view(view)
    return NumpySolver(network(name), edge_in(view)).solve(known)


def asked(seed: int, setup: Setup, count: int, *, resigning: float = 0.0) -> list[Game]:
    """Positions of a random game in which a player is asked something, at most one a turn."""
    by_turn = {
        ply.after.turn: ply.after
        for ply in random_game(seed, setup, resigning=resigning)
        if ply.after.phase in (Phase.CHOOSE, Phase.ROLL_OR_STOP)
    }
    turns = sorted(by_turn)
    return [by_turn[turn] for turn in islice(turns, 0, None, max(1, len(turns) // count))]


def answer(player: ExpertPlayer, game: Game) -> int | bool:
    return player.choose(game) if game.phase is Phase.CHOOSE else player.stop(game)


@pytest.mark.parametrize("setup", SETUPS[::2], ids=str)
def test_an_answer_is_always_allowed(setup: Setup) -> None:
    player = make_player("expert")
    for game in asked(1, setup, 12, resigning=0.003):
        if game.phase is Phase.CHOOSE:
            assert player.choose(game) in range(len(game.options))
        else:
            assert player.stop(game) in (True, False)


@pytest.mark.parametrize("kind", ["expert", "expert-3"])
def test_a_decision_is_a_function_of_the_position_alone(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = asked(2, make_setup(2), 12)
    before = random.getstate()

    def no_dice(size: int) -> bytes:
        raise AssertionError(f"a player asked for {size} random bytes")

    monkeypatch.setattr(os, "urandom", no_dice)
    player = make_player(kind)
    assert isinstance(player, ExpertPlayer)
    in_order = [answer(player, game) for game in games]
    later = [game._replace(turn=game.turn + 5, ply=game.ply + 50) for game in games]
    level = 3 if kind == "expert-3" else None
    anew = ExpertPlayer(solve_anew, level)
    backwards = [answer(anew, game) for game in reversed(later)]
    assert in_order == backwards[::-1]
    assert random.getstate() == before


def test_answers_are_the_same_in_every_process() -> None:
    played = {
        subprocess.run(
            [sys.executable, "-c", ANSWERS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(played) == 1


def test_it_takes_the_best_option_and_stops_when_that_is_better() -> None:
    player = make_player("expert")
    for game in asked(3, make_setup(2), 15):
        solution = solve_with_edge(key_of(game))
        if game.phase is Phase.CHOOSE:
            values = solution.options(game)
            assert values[player.choose(game)] == max(values)
        elif not stop_wins(game):
            better = solution.stop(game.runners) >= solution.roll(game.runners)
            assert player.stop(game) == better


def test_a_turn_is_solved_once() -> None:
    views: list[View] = []

    def counting(view: View) -> Solution:
        if not views or views[-1] != view:
            views.append(view)
        return solve(view)

    end = play_game(
        make_setup(2), (ExpertPlayer(counting), make_player("cautious")), seeded_dice(5)
    ).game
    assert len(views) <= end.turn // 2 + 1


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_beats_chance(seats: int) -> None:
    players = (make_player("expert"), *(make_player("random") for _ in range(seats - 1)))
    games = [
        play_game(make_setup(seats, first=seed % seats), players, seeded_dice(seed)).game
        for seed in range(3)
    ]
    assert sum(game.winner == 0 for game in games) >= 2


def test_a_stop_that_wins_is_taken_by_every_level() -> None:
    game = position({}, {}, runners={7: 13, 2: 3, 6: 1}, owners={12: 0})
    for kind in sorted(THINKING_KINDS):
        assert make_player(kind).stop(game)


def test_lower_levels_err_more() -> None:
    games = asked(4, make_setup(2), 40)
    best = [answer(ExpertPlayer(solve), game) for game in games]

    def errors(level: int) -> int:
        player = ExpertPlayer(solve, level)
        return sum(answer(player, g) != right for g, right in zip(games, best, strict=True))

    assert errors(1) > errors(9)
    assert len(LEVELS) == len(EXPERT_LEVELS)
    assert sorted(LEVELS.values(), reverse=True) == list(LEVELS.values())


def test_solitaire_has_a_network_of_its_own() -> None:
    for seats in (1, 2, 3, 4):
        _, name = known_view(key_of(new_game(make_setup(seats))))
        assert network(name).seats == min(seats, 2)


def log_odds(chance: float) -> float:
    return math.log(chance / (1 - chance))


def test_it_takes_a_single_opponent_to_be_weaker() -> None:
    for seats in (1, 2, 3):
        for game in asked(8, make_setup(seats), 6):
            view = key_of(game)
            gained = log_odds(solve_with_edge(view).bust) - log_odds(solve(view).bust)
            assert gained == pytest.approx(EDGE if seats == 2 else 0.0, abs=1e-3)


def test_it_risks_less_than_among_equals() -> None:
    games = [game for game in asked(9, make_setup(2), 60) if game.phase is Phase.ROLL_OR_STOP]
    equal, with_edge = ExpertPlayer(solve), make_player("expert")
    stops = [(equal.stop(game), with_edge.stop(game)) for game in games]
    assert sum(cautious for _, cautious in stops) >= sum(bold for bold, _ in stops)
    assert len(stops) > 10


def test_with_more_seats_the_strongest_other_one_stands_for_all() -> None:
    game = position({7: 3}, {6: 2}, {8: 1}, owners={12: 2, 2: 1, 3: 2}, setup=make_setup(3))
    view, name = known_view(key_of(game))
    assert name == "duel"
    assert view.others == (tuple(1 if column == 8 else 0 for column in range(2, 13)),)
    assert [view.owner[column - 2] for column in (2, 3, 12)] == [1, 1, 1]
    assert view.other_need == 1


def test_the_weights_are_small_enough_for_the_wheel() -> None:
    folder = files("cantstop_server.players").joinpath("weights")
    sizes = [len(path.read_bytes()) for path in folder.iterdir()]
    assert 0 < sum(sizes) <= 2_000_000


def test_chances_to_win_lie_between_none_and_certainty() -> None:
    for game in asked(6, make_setup(3), 8):
        solution = solve(key_of(game))
        assert 0 <= solution.bust <= solution.turn.value <= 1
        assert 0 <= solution.value(game) <= 1


def test_the_columns_of_a_seat_that_has_left_stay_closed() -> None:
    game = position({7: 3}, {6: 2}, {8: 1}, owners={12: 1, 2: 2}, setup=make_setup(3))
    view = view_of(game._replace(resigned=frozenset({1})), 0)
    assert len(view.others) == 1
    assert view.owner[10] == 1
    assert view.owner[0] == 1


def test_a_server_starts_without_loading_what_it_computes_with() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", LIGHT], check=True, capture_output=True, text=True
    )
    assert loaded.stdout.strip() == "False"
