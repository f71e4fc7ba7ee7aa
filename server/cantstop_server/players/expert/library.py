"""The networks that come with the program, and turns solved with them."""

from functools import lru_cache
from importlib.resources import files
from io import BytesIO

import numpy as np

from cantstop_server.players.expert.geometry import standard
from cantstop_server.players.expert.network import Network
from cantstop_server.players.expert.position import View
from cantstop_server.players.expert.solution import NumpySolver, Solution
from cantstop_server.rules.setup import DEFAULT_TARGET


def network_name(seats: int, target: int) -> str:
    """The name of the network for a game: with two seats the usual target has one of its own."""
    return "seats2_targets" if seats == 2 and target != DEFAULT_TARGET else f"seats{seats}"


@lru_cache(maxsize=8)
def network(name: str) -> Network:
    """A network that comes with the program."""
    path = files("cantstop_server.players").joinpath("weights", f"{name}.npz")
    with np.load(BytesIO(path.read_bytes())) as values:
        return Network.load(standard(), values)


# A turn asks half a dozen questions about one solution, and a server has several games under way;
# a solution is 0.8 MB. The bound holds for the whole process.
@lru_cache(maxsize=48)
def solve(view: View) -> Solution:
    """The turn of the seat whose view it is, solved on ``numpy`` alone."""
    name = network_name(len(view.others) + 1, view.need + view.owner.count(0))
    return NumpySolver(network(name)).solve(view)
