"""The player that stops by Michael Keller's Rule of 28 and scores its options."""

from dataclasses import dataclass
from typing import Final

from cantstop_server.rules.board import LENGTHS
from cantstop_server.rules.game import Game, stop_wins, topped_columns
from cantstop_server.rules.legal import Option
from cantstop_server.rules.odds import busting_rolls
from cantstop_server.rules.rule28 import STOP_COUNT, rule_of_28


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts for each step of an option, in columns: 1.0 is the worth of a whole column.

    ``share`` is for the share of its column that a step covers, 1/length; ``top`` for a step that
    reaches the top; ``reuse`` for a step of a runner that is already out, the second step of a
    double included; ``own_marker`` for the share of the column that the player's own marker has
    covered; ``middle`` for column 7, falling evenly to nothing at 2 and 12. ``opponent`` is taken
    away in a column where an opponent's marker has covered the share ``far``, 0..1, or more.
    """

    share: float = 1.0
    top: float = 1.0
    reuse: float = 0.2
    own_marker: float = 2.0
    middle: float = 0.3
    opponent: float = 0.1
    far: float = 0.75


DEFAULT_WEIGHTS: Final = Weights()
"""Found by play of the player against itself, one weight changed at a time and the seats taking
turns to begin: to halve or double any of them brings no gain that 8,000 games, whose error is half
a percent, could tell from chance."""

_UNIT: Final = 45_045
"""Scores count in this fraction of a column, as whole numbers, so that a tie is never broken by
rounding. It is the least common multiple of the columns' lengths."""


class KellerPlayer:
    """Plays as the well-known web page on the Rule of 28 describes its opponent."""

    kind: Final = "keller"

    def __init__(self, weights: Weights = DEFAULT_WEIGHTS) -> None:
        self._worth, self._penalty = option_tables(weights)

    def choose(self, game: Game) -> int:
        """The option with the highest score; among equals the first."""
        if len(game.options) == 1:
            return 0
        scores = [self.score(game, option) for option in game.options]
        return scores.index(max(scores))

    def score(self, game: Game, option: Option) -> int:
        """What an option is worth to the seat to move; only comparisons mean something."""
        own = game.markers[game.seat]
        total = previous = 0
        for column in option:
            marker = own[column]
            step = (game.runners[column] or marker) + (2 if column == previous else 1)
            total += self._worth[column][marker][step]
            for seat, markers in enumerate(game.markers):
                if seat != game.seat:
                    total -= self._penalty[column][markers[column]]
            previous = column
        return total

    def stop(self, game: Game) -> bool:
        """Whether to stop: to win, to keep a runner on a top step, or at a count of 28.

        A top step is kept unless the next roll cannot bust at all. Below the top the player waits
        for its third runner, at any count, as long as a column is left for one.
        """
        if topped_columns(game):
            return stop_wins(game) or busting_rolls(game.reach.movable) > 0
        if rule_of_28(game.runners, game.markers[game.seat]) < STOP_COUNT:
            return False
        able = game.reach
        columns_for_another_runner = able.movable & ~able.running
        return not columns_for_another_runner


def option_tables(
    weights: Weights,
) -> tuple[tuple[tuple[tuple[int, ...], ...], ...], tuple[tuple[int, ...], ...]]:
    """What a step is worth, and what an opponent's marker takes away from it.

    The first is indexed by column, by the step of the own marker there and by the step reached;
    the second by column and by the step of the opponent's marker.
    """
    worth = tuple(
        tuple(
            tuple(_worth(weights, column, marker, step) for step in range(length + 1))
            for marker in range(length)
        )
        for column, length in enumerate(LENGTHS)
    )
    penalty = tuple(
        tuple(_penalty(weights, column, marker) for marker in range(length))
        for column, length in enumerate(LENGTHS)
    )
    return worth, penalty


def _worth(weights: Weights, column: int, marker: int, step: int) -> int:
    """What a step onto ``step`` is worth with the own marker on ``marker``."""
    length = LENGTHS[column]
    worth = weights.share / length
    worth += weights.own_marker * marker / length
    worth += weights.middle * (1 - abs(7 - column) / 5)
    if step == length:
        worth += weights.top
    if step > marker + 1:  # The step above the marker is the one that places the runner.
        worth += weights.reuse
    return round(_UNIT * worth)


def _penalty(weights: Weights, column: int, marker: int) -> int:
    """What an opponent's marker on this step takes away from a step in its column."""
    return round(_UNIT * weights.opponent) if marker >= weights.far * LENGTHS[column] else 0
