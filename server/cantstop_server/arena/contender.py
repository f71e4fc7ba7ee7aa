"""Computer players for a match: the strong ones on compiled code if there is a compiler."""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cantstop_server.players.player import Player
from cantstop_server.players.registry import EXPERT_LEVELS, THINKING_KINDS, make_player

if TYPE_CHECKING:
    from cantstop_server.players.expert.network import Network

CHECKPOINT_PREFIX: Final = "expert@"
"""``expert@FILE`` is the strong player with the network in a file, a checkpoint of training."""


def contender(kind: str) -> Player:
    """A player that decides as the one in the registry does, if it can be, sooner.

    Raises ``UnknownKind``, and ``ValueError`` for a file that holds no network.
    """
    compiled = find_spec("numba") is not None
    if kind.startswith(CHECKPOINT_PREFIX):
        return _checkpoint(Path(kind.removeprefix(CHECKPOINT_PREFIX)), compiled)
    if kind not in THINKING_KINDS or not compiled:
        return make_player(kind)
    from cantstop_server.players.expert.player import ExpertPlayer
    from cantstop_server.train.player import compiled_solve

    level = EXPERT_LEVELS.index(kind) + 1 if kind in EXPERT_LEVELS else None
    return ExpertPlayer(compiled_solve(), level)


def read_network(path: Path) -> "Network":
    """The network of a file that training has written. Raises ``ValueError`` if there is none."""
    import numpy as np

    from cantstop_server.players.expert.geometry import standard
    from cantstop_server.players.expert.network import Network

    try:
        with np.load(path) as values:
            return Network.load(standard(), values)
    except (OSError, EOFError, KeyError, ValueError) as error:
        raise ValueError(f"{path} holds no network: {error}") from error


def _checkpoint(path: Path, compiled: bool) -> Player:
    from cantstop_server.players.expert.library import edge_in, known_view
    from cantstop_server.players.expert.player import ExpertPlayer
    from cantstop_server.players.expert.solution import NumpySolver

    network = read_network(path)
    if not compiled:
        # A turn asks about one solution half a dozen times.
        return ExpertPlayer(
            lru_cache(maxsize=4)(
                lambda view: NumpySolver(network, edge_in(view)).solve(known_view(view)[0])
            )
        )
    from cantstop_server.train.player import compiled_solve

    return ExpertPlayer(compiled_solve(network))
