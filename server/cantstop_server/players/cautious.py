"""A player that keeps what it has: an easy opponent that plays sensibly."""

from typing import Final

from cantstop_server.rules.board import LENGTHS
from cantstop_server.rules.game import Game, advance, stop_wins, topped_columns
from cantstop_server.rules.odds import busting_rolls

MOVES: Final = 2
"""It stops once its runners have made this many steps more than there are runners out ..."""

RISK: Final = 1296 // 4
"""... or as soon as more than one roll in four would bust, of the 1,296."""


class CautiousPlayer:
    """Takes the step that covers the most of its column, and stops early."""

    kind: Final = "cautious"

    def choose(self, game: Game) -> int:
        """The option that brings its columns furthest; among equals the first."""
        gains = [self._gain(game, index) for index in range(len(game.options))]
        return gains.index(max(gains))

    def stop(self, game: Game) -> bool:
        """Whether to stop: never if no roll can bust, else to win, on a top step, or soon."""
        busting = busting_rolls(game.reach.movable)
        if stop_wins(game):
            return True
        if not busting:
            return False
        own = game.markers[game.seat]
        placed = [column for column, step in enumerate(game.runners) if step]
        steps = sum(game.runners[column] - own[column] for column in placed)
        return bool(topped_columns(game)) or busting > RISK or steps >= len(placed) + MOVES

    def _gain(self, game: Game, index: int) -> int:
        after = advance(game, game.options[index])
        own = game.markers[game.seat]
        return sum(
            # In parts of 45,045, the least common multiple of the lengths: ties stay ties.
            (step - own[column]) * (45_045 // LENGTHS[column])
            for column, step in enumerate(after)
            if step
        )
