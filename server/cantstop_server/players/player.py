"""What a computer player is asked."""

from typing import Protocol

from cantstop_server.rules.game import Game


class Player(Protocol):
    """Decides for the seat to move. Each answer is a function of the position alone.

    A player keeps nothing from one question to the next and never sees a source of dice, so one
    object may serve any number of seats and rooms at a time.
    """

    @property
    def kind(self) -> str:
        """The player's name in the registry."""

    def choose(self, game: Game) -> int:
        """The index, from 0, of an option in ``game.options``; asked in ``Phase.CHOOSE``."""

    def stop(self, game: Game) -> bool:
        """Whether to stop rather than roll again; asked in ``Phase.ROLL_OR_STOP``."""
