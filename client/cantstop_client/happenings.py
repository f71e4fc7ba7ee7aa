"""What a session tells its listener: the messages of the server, and how the connection fares."""

from dataclasses import dataclass

from cantstop_protocol.messages import Message


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection is gone: what is shown may be old. The next attempt is in ``wait`` seconds."""

    reason: str
    wait: float


@dataclass(frozen=True, slots=True)
class Resumed:
    """The connection is back, and what is shown is current."""


@dataclass(frozen=True, slots=True)
class Ended:
    """It is over for good. ``clean``: nobody's mistake, such as a server that was shut down."""

    reason: str
    clean: bool


@dataclass(frozen=True, slots=True)
class DiceChecked:
    """What this client has found about the dice of a game. Not ``ok`` is a warning.

    ``game`` is empty before one.
    """

    game: str
    ok: bool
    text: str


Happening = Message | Lost | Resumed | Ended | DiceChecked
