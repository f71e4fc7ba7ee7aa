"""Ratings for two to four players: the model of Plackett and Luce, as Weng and Lin (2011) have it.

A rating is a guess of a player's strength, ``mu``, and how sure it is, ``sigma``. The winner is
placed first, the others by the columns they have claimed, and who has resigned last; equals share
a place.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

SURE: Final = 3
"""A player is listed by ``mu`` less so many ``sigma``: as good as that almost certainly."""


class Rating(NamedTuple):
    """How strong a player seems to be; the values are those of a newcomer."""

    mu: float = 25.0
    sigma: float = 25.0 / 3

    @property
    def shown(self) -> float:
        """The number that players are listed by."""
        return self.mu - SURE * self.sigma


def places(winner: int | None, seats: Sequence[tuple[int, bool]]) -> list[int]:
    """Each seat's place, 0 the best, from its claimed columns and whether it has resigned."""
    scores = [
        (seat == winner, not resigned, 0 if resigned else columns)
        for seat, (columns, resigned) in enumerate(seats)
    ]
    return [sum(other > score for other in scores) for score in scores]


def rate(ratings: Sequence[Rating], placed: Sequence[int]) -> list[Rating]:
    """The ratings after a game in which the players came in at these places."""
    model = _model()
    teams = [[model.create_rating([mu, sigma])] for mu, sigma in ratings]
    return [
        Rating(rated.mu, rated.sigma)
        for (rated,) in model.rate(teams, ranks=list(map(float, placed)))
    ]


@cache
def _model() -> "PlackettLuce":
    # Imported here since it is slow to import, and few programs need it.
    from openskill.models import PlackettLuce

    return PlackettLuce()
