"""The strong player."""

from collections.abc import Callable
from typing import Final

from cantstop_server.players.expert.position import View
from cantstop_server.players.expert.solution import Solution, key_of
from cantstop_server.rules.game import Game, stop_wins

Solve = Callable[[View], Solution]


class ExpertPlayer:
    """Takes the decision with the best chance to win."""

    def __init__(self, solve: Solve, kind: str = "expert") -> None:
        self._solve = solve
        self._kind = kind

    @property
    def kind(self) -> str:
        """The player's name in the registry."""
        return self._kind

    def choose(self, game: Game) -> int:
        """The option with the best chance; among equals the first."""
        if len(game.options) == 1:
            return 0
        values = self._solve(key_of(game)).options(game)
        return values.index(max(values))

    def stop(self, game: Game) -> bool:
        """Whether stopping has at least the chance of rolling."""
        if stop_wins(game):
            return True
        solution = self._solve(key_of(game))
        return solution.stop(game.runners) >= solution.roll(game.runners)
