"""The kinds of computer player, by name."""

from collections.abc import Callable
from functools import partial
from typing import Final

from cantstop_server.players.cautious import CautiousPlayer
from cantstop_server.players.generalised import glenn_player, rule28_player
from cantstop_server.players.keller import KellerPlayer
from cantstop_server.players.player import Player
from cantstop_server.players.random_player import RandomPlayer


class UnknownKind(ValueError):
    """A kind of computer player that does not exist; the text lists those that do."""


def _expert(level: int | None = None) -> Player:
    # Loaded when it is first asked for: what it computes with takes a while to load.
    from cantstop_server.players.expert.library import solve_with_edge
    from cantstop_server.players.expert.player import ExpertPlayer

    return ExpertPlayer(solve_with_edge, level)


EXPERT_LEVELS: Final = tuple(f"expert-{level}" for level in range(1, 10))
"""The strong player weakened, from the weakest to nearly its full strength."""

_MAKERS: Final[dict[str, Callable[[], Player]]] = {
    KellerPlayer.kind: KellerPlayer,
    "glenn": glenn_player,
    "rule28": rule28_player,
    CautiousPlayer.kind: CautiousPlayer,
    RandomPlayer.kind: RandomPlayer,
    "expert": _expert,
    **{kind: partial(_expert, level) for level, kind in enumerate(EXPERT_LEVELS, start=1)},
}

KINDS: Final[tuple[str, ...]] = tuple(_MAKERS)
"""The kinds in the order in which they are offered; the first is the default."""

THINKING_KINDS: Final = frozenset({"expert", *EXPERT_LEVELS})
"""The kinds that take so long over a decision that nobody else may have to wait for it."""


def make_player(kind: str) -> Player:
    """A player of this kind, one of ``KINDS``. Raises ``UnknownKind``."""
    maker = _MAKERS.get(kind)
    if maker is None:
        raise UnknownKind(f"no computer player {kind!r}: choose one of {', '.join(KINDS)}")
    return maker()
