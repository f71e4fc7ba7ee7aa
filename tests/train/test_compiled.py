"""The compiled solver and who plays on it, where there is a compiler."""

from collections.abc import Iterator

import numpy as np
import pytest
from positions import random_game

pytest.importorskip("numba")

from cantstop_server.arena.contender import contender
from cantstop_server.players.expert.library import known_view, network, solve
from cantstop_server.players.expert.solution import key_of
from cantstop_server.players.expert.turn import NOTHING
from cantstop_server.players.registry import make_player
from cantstop_server.rules.board import NO_STEPS
from cantstop_server.rules.game import Game, Phase, choose, new_game, roll, stop
from cantstop_server.rules.setup import Setup, make_setup
from cantstop_server.simulate import seeded_dice
from cantstop_server.train.player import CompiledSolver


def glenn_game(seed: int, setup: Setup) -> Iterator[Game]:
    """What is asked in a game that ``glenn`` plays in every seat."""
    player, dice = make_player("glenn"), seeded_dice(seed)
    game = new_game(setup)
    while game.winner is None:
        if game.phase is Phase.CHOOSE:
            yield game
            game, _ = choose(game, player.choose(game))
            continue
        if game.phase is Phase.ROLL_OR_STOP:
            yield game
            if player.stop(game):
                game, _ = stop(game)
                continue
        game, _ = roll(game, dice())


@pytest.mark.parametrize("setup", [make_setup(1), make_setup(2), make_setup(3)], ids=str)
def test_it_solves_every_turn_as_the_other_one_does(setup: Setup) -> None:
    _, name = known_view(key_of(new_game(setup)))
    compiled = CompiledSolver(network(name))
    games = {ply.before.turn: ply.before for ply in random_game(1, setup)}
    for game in list(games.values())[::12]:
        view, _ = known_view(key_of(game))
        expected, found = solve(view), compiled.solve(view)
        assert found.roll(NO_STEPS) == pytest.approx(expected.turn.value, abs=1e-5)
        assert found.bust == pytest.approx(expected.bust, abs=1e-5)
        used = expected.turn.rolls > NOTHING
        assert np.allclose(found.turn.rolls[used], expected.turn.rolls[used], atol=1e-5)
        used[0] = False
        assert np.allclose(found.turn.stops[used], expected.turn.stops[used], atol=1e-5)


@pytest.mark.parametrize("setup", [make_setup(1), make_setup(2), make_setup(3)], ids=str)
def test_the_arena_plays_it_as_rooms_do(setup: Setup) -> None:
    shipped, compiled = make_player("expert"), contender("expert")
    asked = 0
    for game in glenn_game(2, setup):
        asked += 1
        if game.phase is Phase.CHOOSE:
            assert compiled.choose(game) == shipped.choose(game)
        else:
            assert compiled.stop(game) == shipped.stop(game)
    assert asked > 20
