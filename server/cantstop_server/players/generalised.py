"""Glenn and Aloi's generalised heuristic (2009), with two published sets of parameters.

James Glenn and Christian Aloi, "A Generalized Heuristic for Can't Stop", FLAIRS 2009. The Rule of
28 is one point in its space; their best point was found by a genetic search.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cantstop_server.players.spread import spread_number
from cantstop_server.rules.board import RUNNERS, Steps, columns_in, standing
from cantstop_server.rules.game import Game, advance, stop_wins


@dataclass(frozen=True, slots=True)
class Parameters:
    """One heuristic. ``progress`` and ``choice`` are for columns 2 to 7, and mirrored.

    ``odd``, ``even``, ``high`` and ``low`` are added to the progress when three runners are out
    and their columns are all odd, all even, all 7 or more, all 7 or less. ``marker`` is taken from
    an option for each runner used. The player stops at a progress of ``threshold``.
    """

    progress: tuple[int, ...]
    choice: tuple[int, ...]
    odd: int
    even: int
    high: int
    low: int
    marker: int
    threshold: int


GLENN_ALOI: Final = Parameters(
    progress=(7, 7, 3, 2, 2, 1),
    choice=(7, 0, 2, 0, 4, 3),
    odd=7,
    even=1,
    high=6,
    low=5,
    marker=6,
    threshold=29,
)

RULE_OF_28: Final = Parameters(
    progress=(6, 5, 4, 3, 2, 1),
    choice=(6, 5, 4, 3, 2, 1),
    odd=2,
    even=-2,
    high=4,
    low=4,
    marker=6,
    threshold=28,
)


class GeneralisedPlayer:
    """Plays by the generalised heuristic."""

    def __init__(self, kind: str, parameters: Parameters) -> None:
        self._kind = kind
        self._parameters = parameters
        self._progress = _by_column(parameters.progress)
        self._choice = _by_column(parameters.choice)
        self._adjustment = lru_cache(maxsize=256)(self._adjust)

    @property
    def kind(self) -> str:
        """The player's name in the registry."""
        return self._kind

    def choose(self, game: Game) -> int:
        """The option with the highest score.

        Ties are frequent and are broken evenly, as the published figures have it: to take the
        first of the equals makes the Rule of 28 a tenth of a turn better in solitaire.
        """
        if len(game.options) == 1:
            return 0
        scores = [self._score(game, advance(game, option)) for option in game.options]
        best = max(scores)
        equals = [index for index, score in enumerate(scores) if score == best]
        return equals[spread_number(game) % len(equals)] if len(equals) > 1 else equals[0]

    def stop(self, game: Game) -> bool:
        """Whether to stop: to win, or at the threshold once no runner can be placed any more."""
        if stop_wins(game):
            return True
        able = game.reach
        if able.movable & ~able.running:
            return False
        placed = columns_in(able.running)
        progress = _weighed(game, game.runners, placed, self._progress)
        return progress + self._adjustment(placed) >= self._parameters.threshold

    def _score(self, game: Game, runners: Steps) -> int:
        placed = columns_in(standing(runners).present)
        score = _weighed(game, runners, placed, self._choice)
        return score - self._adjustment(placed) - self._parameters.marker * len(placed)

    def _adjust(self, placed: tuple[int, ...]) -> int:
        """What the three columns add together; nothing before the third runner is out."""
        if len(placed) < RUNNERS:
            return 0
        given = self._parameters
        odd = sum(column & 1 for column in placed)
        parity = given.odd if odd == RUNNERS else given.even if odd == 0 else 0
        side = given.high if placed[0] >= 7 else given.low if placed[-1] <= 7 else 0
        return parity + side


def glenn_player() -> GeneralisedPlayer:
    """The best published point."""
    return GeneralisedPlayer("glenn", GLENN_ALOI)


def rule28_player() -> GeneralisedPlayer:
    """The Rule of 28 in the terms of the heuristic."""
    return GeneralisedPlayer("rule28", RULE_OF_28)


def _by_column(values: tuple[int, ...]) -> tuple[int, ...]:
    return (0, 0, *values, *values[-2::-1])


def _weighed(game: Game, runners: Steps, placed: tuple[int, ...], values: tuple[int, ...]) -> int:
    markers = game.markers[game.seat]
    return sum((runners[column] - markers[column] + 1) * values[column] for column in placed)
