"""Computer players for a match: the strong ones on compiled code if there is a compiler."""

from importlib.util import find_spec

from cantstop_server.players.player import Player
from cantstop_server.players.registry import EXPERT_LEVELS, THINKING_KINDS, make_player


def contender(kind: str) -> Player:
    """A player of this kind that decides as the one in the registry does, if it can be, sooner.

    Raises ``UnknownKind``.
    """
    if kind not in THINKING_KINDS or find_spec("numba") is None:
        return make_player(kind)
    from cantstop_server.players.expert.player import ExpertPlayer
    from cantstop_server.train.player import compiled_solve

    level = EXPERT_LEVELS.index(kind) + 1 if kind in EXPERT_LEVELS else None
    return ExpertPlayer(compiled_solve(), level)
