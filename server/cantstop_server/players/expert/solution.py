"""A turn solved for the seat to move, and what it says about every decision of that turn."""

from dataclasses import dataclass

import numpy as np

from cantstop_server.players.expert.geometry import Geometry
from cantstop_server.players.expert.network import Network
from cantstop_server.players.expert.position import View, view_of
from cantstop_server.players.expert.turn import Turn, solve
from cantstop_server.rules.board import COLUMNS, Steps
from cantstop_server.rules.game import Game, advance


@dataclass(frozen=True, slots=True)
class Solution:
    """A solved turn. Chances to win are those of the seat whose turn it is, 0..1."""

    geometry: Geometry
    turn: Turn
    bust: float
    """The chance to win after a bust."""

    def state(self, runners: Steps) -> int:
        """The number of a runner state given by the rules' columns."""
        placed = {i: runners[column] for i, column in enumerate(COLUMNS) if runners[column]}
        return self.geometry.state(placed)

    def stop(self, runners: Steps) -> float:
        """The chance to win by stopping."""
        return float(self.turn.stops[self.state(runners)])

    def roll(self, runners: Steps) -> float:
        """The chance to win by rolling."""
        return float(self.turn.rolls[self.state(runners)])

    def options(self, game: Game) -> list[float]:
        """The chance to win with each of the pending options."""
        return [self.turn.best(self.state(advance(game, option))) for option in game.options]

    def value(self, game: Game) -> float:
        """The chance to win as the game stands, for the seat to move."""
        if game.options:
            return max(self.options(game))
        state = self.state(game.runners)
        return self.turn.best(state) if state else self.turn.value


class NumpySolver:
    """Solves turns on ``numpy`` alone, for a seat that does better than the network says by an
    ``edge`` in log odds."""

    def __init__(self, network: Network, edge: float = 0.0) -> None:
        self._network = network.with_edge(edge)

    def solve(self, view: View) -> Solution:
        """The turn of the seat whose view it is."""
        network = self._network
        bust = network.chance(view)
        own = np.array(view.own, np.int32)
        opened = np.array(view.owner) < 0
        turn = solve(network.geometry, own, opened, network.stops(view), bust)
        return Solution(network.geometry, turn, bust)


def key_of(game: Game) -> View:
    """What a solution depends on: the table as the seat to move found it."""
    return view_of(game, game.seat)
