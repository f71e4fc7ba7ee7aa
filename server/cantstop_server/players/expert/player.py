"""The strong player, and how it is weakened for a fair fight."""

from collections.abc import Callable
from math import log
from statistics import NormalDist
from typing import Final

from cantstop_server.players.expert.position import View
from cantstop_server.players.expert.solution import Solution, key_of
from cantstop_server.players.spread import spread_number
from cantstop_server.rules.game import Game, stop_wins

Solve = Callable[[View], Solution]

LEVELS: Final = {1: 1.0, 2: 0.7, 3: 0.5, 4: 0.36, 5: 0.26, 6: 0.18, 7: 0.13, 8: 0.085, 9: 0.045}
"""How far each level misjudges what it compares: the standard error of the log odds to win."""

_ERRORS: Final = tuple(NormalDist().inv_cdf((i + 0.5) / 256) for i in range(256))
_LEAST_CHANCE: Final = 1e-6


class ExpertPlayer:
    """Takes the decision with the best chance to win.

    A ``level`` below the full strength, 1 to 9, misjudges each alternative by an error that looks
    random and is a function of the position. It never rolls when a stop wins.
    """

    def __init__(self, solve: Solve, level: int | None = None) -> None:
        self._solve = solve
        self._kind = "expert" if level is None else f"expert-{level}"
        self._error = 0.0 if level is None else LEVELS[level]

    @property
    def kind(self) -> str:
        """The player's name in the registry."""
        return self._kind

    def choose(self, game: Game) -> int:
        """The option with the best chance; among equals the first."""
        if len(game.options) == 1:
            return 0
        values = self._judged(game, self._solve(key_of(game)).options(game))
        return values.index(max(values))

    def stop(self, game: Game) -> bool:
        """Whether stopping has at least the chance of rolling."""
        if stop_wins(game):
            return True
        solution = self._solve(key_of(game))
        stop, roll = self._judged(game, [solution.stop(game.runners), solution.roll(game.runners)])
        return stop >= roll

    def _judged(self, game: Game, values: list[float]) -> list[float]:
        """The values as this level sees them."""
        if not self._error:
            return values
        bits = spread_number(game)
        return [
            _log_odds(value) + self._error * _ERRORS[bits >> 8 * (i % 8) & 255]
            for i, value in enumerate(values)
        ]


def _log_odds(value: float) -> float:
    value = min(max(value, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
    return log(value / (1 - value))
