"""Whole games between computer players in one process, for benchmarks, tests and study.

Never for a room: the dice here come from a seed and can be foretold.
"""

from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cantstop_server.players.player import Player
from cantstop_server.rules.game import Game, Phase, choose, new_game, roll, stop
from cantstop_server.rules.legal import Dice
from cantstop_server.rules.setup import Setup

RollDice: TypeAlias = Callable[[], Dice]
"""Gives the next roll."""

_ALL_ROLLS: Final[tuple[Dice, ...]] = tuple(product(range(1, 7), repeat=4))  # type: ignore[arg-type]


class Played(NamedTuple):
    """A game that was played to its end.

    ``rolls`` counts the rolls, busts included; ``decisions`` what the players were asked: each
    choice among the options of a roll, a single option included, and each stop or roll.
    """

    game: Game
    rolls: int
    decisions: int


def seeded_dice(seed: int) -> RollDice:
    """Dice that give the same rolls for the same seed."""
    random = Random(seed).random
    return lambda: _ALL_ROLLS[int(random() * len(_ALL_ROLLS))]


def play_game(setup: Setup, players: Sequence[Player], roll_dice: RollDice) -> Played:
    """Play a game to its end, one player for each seat."""
    if len(players) != setup.seats:
        raise ValueError(f"{setup.seats} seats need as many players, not {len(players)}")
    game = new_game(setup)
    rolls = decisions = 0
    while game.winner is None:
        player = players[game.seat]
        if game.options:
            decisions += 1
            game, _ = choose(game, player.choose(game))
            continue
        if game.phase is Phase.ROLL_OR_STOP:
            decisions += 1
            if player.stop(game):
                game, _ = stop(game)
                continue
        rolls += 1
        game, _ = roll(game, roll_dice())
    return Played(game, rolls, decisions)
