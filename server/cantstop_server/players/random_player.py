"""A player without a plan, for practice and as a floor to measure others against."""

from hashlib import blake2b
from typing import Final

from cantstop_server.rules.game import Game

ROLLS_TO_A_STOP: Final = 3
"""One question in this many is answered with a stop, so a turn makes three moves on average."""


class RandomPlayer:
    """Its answers look random and are a fixed function of the position.

    They come from a hash of the table, so it reads no source of chance, the same question always
    gets the same answer, and the dice cannot be guessed from its play.
    """

    kind: Final = "random"

    def choose(self, game: Game) -> int:
        """Each option is as likely as the next."""
        return _number(game) % len(game.options)

    def stop(self, game: Game) -> bool:
        """True for one position in ``ROLLS_TO_A_STOP``, whatever is at stake."""
        return _number(game) % ROLLS_TO_A_STOP == 0


def _number(game: Game) -> int:
    """64 evenly spread bits that depend on the table alone, not on the turn's or action's number.

    The built-in ``hash`` is no use for this: what it gives may differ between processes.
    """
    table = bytearray((game.setup.target, game.setup.seats, game.seat))
    for steps in game.markers:
        table.extend(steps)
    table.extend(owner + 1 for owner in game.owners)
    table.extend(game.runners)
    table.extend(game.dice or ())
    return int.from_bytes(blake2b(table, digest_size=8).digest(), "big")
