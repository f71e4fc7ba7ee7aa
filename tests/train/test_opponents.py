"""The published players as compiled code has them, where there is a compiler."""

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("numba")

from cantstop_server.players.expert.geometry import standard
from cantstop_server.players.registry import make_player
from cantstop_server.rules.board import COLUMNS
from cantstop_server.rules.game import Game, Phase, choose, new_game, roll, score, stop
from cantstop_server.rules.setup import make_setup
from cantstop_server.simulate import seeded_dice
from cantstop_server.train.opponents import OPPONENTS, Opponent, heuristics, stops_now
from cantstop_server.train.opponents import choose as choose_compiled
from cantstop_server.train.selfplay import seed_chance
from cantstop_server.train.solver import tables
from cantstop_server.train.turns import MOST_OPTIONS, list_options

ASKED = 40
"""How often an opponent is asked the same, to see between which options it is torn."""


def positions(kind: str, seed: int) -> Iterator[tuple[Game, int | bool]]:
    """What a player was asked in a game against itself, and its answers."""
    player, dice = make_player(kind), seeded_dice(seed)
    game = new_game(make_setup(2))
    while game.winner is None:
        if game.phase is Phase.CHOOSE:
            option = player.choose(game)
            yield game, option
            game, _ = choose(game, option)
        elif game.phase is Phase.ROLL_OR_STOP and player.stop(game):
            yield game, True
            game, _ = stop(game)
        else:
            if game.phase is Phase.ROLL_OR_STOP:
                yield game, False
            game, _ = roll(game, dice())


def by_column(values: tuple[int, ...]) -> "np.typing.NDArray[np.int64]":
    return np.array([values[column] for column in COLUMNS], np.int64)


def runners(game: Game) -> tuple["np.typing.NDArray[np.int64]", "np.typing.NDArray[np.int64]", int]:
    placed = [column for column in COLUMNS if game.runners[column]]
    columns, steps = np.zeros(3, np.int64), np.zeros(3, np.int64)
    columns[: len(placed)] = [column - 2 for column in placed]
    steps[: len(placed)] = [game.runners[column] for column in placed]
    return columns, steps, len(placed)


def decode(option: int) -> tuple[int, ...]:
    lower, other = option // 16 + 2, option % 16
    return (lower, other + 1) if other else (lower,)


@pytest.mark.parametrize("who", OPPONENTS, ids=lambda who: who.name)
def test_it_decides_as_the_player_does(who: Opponent) -> None:
    t, rules = tables(standard()), heuristics()
    seed_chance(1)
    single = 0
    for seed in range(6):
        for game, answer in positions(who.name.lower(), seed):
            own, other = (by_column(game.markers[seat]) for seat in (game.seat, 1 - game.seat))
            opened = by_column(game.owners) < 0
            columns, steps, n = runners(game)
            if game.phase is Phase.ROLL_OR_STOP:
                lacking = game.setup.target - score(game, game.seat)
                given = stops_now(rules, who, t, own, opened, lacking, columns, steps, n)
                assert given == answer
                continue
            assert game.dice is not None
            dice, options = np.array(game.dice) - 1, np.zeros(MOST_OPTIONS, np.int64)
            count = list_options(t, own, opened, columns, steps, n, dice, options)
            assert tuple(map(decode, options[:count].tolist())) == game.options
            taken = {
                decode(
                    choose_compiled(rules, who, t, own, other, columns, steps, n, options, count)
                )
                for _ in range(ASKED)
            }
            assert game.options[answer] in taken
            single += count > 1 and len(taken) == 1
    assert single > 50
