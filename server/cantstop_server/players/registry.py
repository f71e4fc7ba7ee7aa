"""The kinds of computer player, by name."""

from collections.abc import Callable
from typing import Final

from cantstop_server.players.cautious import CautiousPlayer
from cantstop_server.players.generalised import glenn_player, rule28_player
from cantstop_server.players.keller import KellerPlayer
from cantstop_server.players.player import Player
from cantstop_server.players.random_player import RandomPlayer


class UnknownKind(ValueError):
    """A kind of computer player that does not exist; the text lists those that do."""


_MAKERS: Final[dict[str, Callable[[], Player]]] = {
    KellerPlayer.kind: KellerPlayer,
    "glenn": glenn_player,
    "rule28": rule28_player,
    CautiousPlayer.kind: CautiousPlayer,
    RandomPlayer.kind: RandomPlayer,
}

KINDS: Final[tuple[str, ...]] = tuple(_MAKERS)
"""The kinds in the order in which they are offered; the first is the default."""


def make_player(kind: str) -> Player:
    """A player of this kind, one of ``KINDS``. Raises ``UnknownKind``."""
    maker = _MAKERS.get(kind)
    if maker is None:
        raise UnknownKind(f"no computer player {kind!r}: choose one of {', '.join(KINDS)}")
    return maker()
