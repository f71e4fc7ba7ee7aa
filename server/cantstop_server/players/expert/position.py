"""A position between turns as the strong player sees it."""

from typing import Final, NamedTuple

from cantstop_server.rules.board import COLUMNS, NO_SEAT, Steps
from cantstop_server.rules.game import Game, score

NO_OTHER: Final = 99
"""How many claims the best other seat lacks if there is none."""


class View(NamedTuple):
    """A position from the view of one seat, columns from 0.

    ``others`` are the markers of the other seats still in the game, the next to move first.
    ``owner`` says who claimed each column: -1 nobody, 0 the seat itself, 1 the next one and so on;
    what a seat that has left claimed counts as the next one's. ``need`` and ``other_need`` are
    how many claims the seat and the best other seat lack.
    """

    own: tuple[int, ...]
    others: tuple[tuple[int, ...], ...]
    owner: tuple[int, ...]
    need: int
    other_need: int


def rival_view(view: View, lengths: tuple[int, ...]) -> View:
    """The same position with the strongest other seat alone, for a network that knows two seats.

    That is the seat with the most columns, claimed ones and the shares that its markers have
    covered. What the others have claimed counts as its own.
    """
    if len(view.others) < 2:
        return view

    def columns(other: int) -> float:
        covered = zip(view.others[other], lengths, strict=True)
        return view.owner.count(other + 1) + sum(step / length for step, length in covered)

    rival = max(range(len(view.others)), key=columns)
    owner = tuple(min(owner, 1) for owner in view.owner)
    return view._replace(others=(view.others[rival],), owner=owner)


def view_of(game: Game, seat: int) -> View:
    """The position as the given seat sees it; runners and dice are left out."""
    seats = game.setup.seats
    order = [(seat + i) % seats for i in range(seats)]
    left = [other for other in order if other == seat or other not in game.resigned]
    relative = {other: left.index(other) if other in left else 1 for other in order}
    owner = tuple(
        NO_SEAT if game.owners[column] == NO_SEAT else relative[game.owners[column]]
        for column in COLUMNS
    )
    lacking = [game.setup.target - score(game, other) for other in left]
    return View(
        own=_open_steps(game.markers[seat], owner),
        others=tuple(_open_steps(game.markers[other], owner) for other in left[1:]),
        owner=owner,
        need=lacking[0],
        other_need=min(lacking[1:], default=NO_OTHER),
    )


def _open_steps(markers: Steps, owner: tuple[int, ...]) -> tuple[int, ...]:
    """Markers by column, without the dead ones."""
    return tuple(0 if owner[i] != NO_SEAT else markers[column] for i, column in enumerate(COLUMNS))
