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

    With more than two seats the strongest other one stands for all: measured, that is far better
    than networks for three and four seats that were trained as long.
    """
    return rival_view(view, _LENGTHS), DUEL if view.others else SOLITAIRE


def solve(view: View) -> Solution:
    """The turn of the seat whose view it is, solved on ``numpy`` alone."""
    return _solve(*known_view(view))


# A turn asks half a dozen questions about one solution, and a server has several games under way;
# a solution is 0.8 MB. The bound holds for the whole process.
@lru_cache(maxsize=48)
def _solve(view: View, name: str) -> Solution:
    return NumpySolver(network(name)).solve(view)
