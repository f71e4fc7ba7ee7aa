"""The networks that come with the program, and turns solved with them."""

from functools import lru_cache
from importlib.resources import files
from io import BytesIO
from typing import Final

import numpy as np

from cantstop_server.players.expert.geometry import standard
from cantstop_server.players.expert.network import Network
from cantstop_server.players.expert.position import View, rival_view
from cantstop_server.players.expert.solution import NumpySolver, Solution
from cantstop_server.rules.board import COLUMNS, LENGTHS

_LENGTHS: Final = tuple(LENGTHS[column] for column in COLUMNS)

EDGE: Final = 1.4
"""By how much, in log odds to win, the strong player does better than the network says, which knows
play between equals. Against the published players it is 0.9 to 1.6 in positions of every kind; see
docs/strength.md. Where it is ahead it risks less for it, and it wins more games against them."""

SOLITAIRE: Final = "solitaire"
DUEL: Final = "duel"
"""The networks: one for solitaire, and one for two seats, which serves for more as well."""


@lru_cache(maxsize=8)
def network(name: str) -> Network:
    """A network that comes with the program."""
    path = files("cantstop_server.players").joinpath("weights", f"{name}.npz")
    with np.load(BytesIO(path.read_bytes())) as values:
        return Network.load(standard(), values)


def known_view(view: View) -> tuple[View, str]:
    """The view that a network can judge, and the network's name.

    With more than two seats the strongest other one stands for all. That won more games than
    short attempts at networks for three and four seats: see docs/strength.md.
    """
    return rival_view(view, _LENGTHS), DUEL if view.others else SOLITAIRE


def edge_in(view: View) -> float:
    """The ``EDGE`` in a game of two seats, and none with more seats or alone."""
    return EDGE if len(view.others) == 1 else 0.0


def solve(view: View) -> Solution:
    """The turn of the seat whose view it is, solved on ``numpy`` alone, between equals."""
    return _solve(*known_view(view), 0.0)


def solve_with_edge(view: View) -> Solution:
    """The same for the strong player, which takes the others to be weaker."""
    return _solve(*known_view(view), edge_in(view))


# A turn asks half a dozen questions about one solution, and a server has several games under way;
# a solution is 0.8 MB. The bound holds for the whole process.
@lru_cache(maxsize=48)
def _solve(view: View, name: str, edge: float) -> Solution:
    return NumpySolver(network(name), edge).solve(view)
