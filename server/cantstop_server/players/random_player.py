"""A player without a plan, for practice and as a floor to measure others against."""

from typing import Final

from cantstop_server.players.spread import spread_number
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
        return spread_number(game) % len(game.options)

    def stop(self, game: Game) -> bool:
        """True for one position in ``ROLLS_TO_A_STOP``, whatever is at stake."""
        return spread_number(game) % ROLLS_TO_A_STOP == 0
