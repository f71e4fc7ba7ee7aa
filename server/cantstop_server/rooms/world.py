"""The world as it is: chance from the operating system, the clock, fresh ids."""

import secrets
from datetime import UTC, datetime

from cantstop_protocol.dice import SECRET_BYTES
from cantstop_server.rooms.outcome import World
from cantstop_server.rules.legal import Dice

_ID_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_ID_LENGTH = 10
_FAIR_BYTES = 252
"""The values of a byte below this are each remainder of 6 equally often."""


def real_world() -> World:
    """Chance from the operating system's cryptographic source, uniform without modulo bias."""
    return World(roll_dice, lambda: datetime.now(UTC), new_game_id, new_secret)


def roll_dice() -> Dice:
    """Four dice, each 1..6 and uniform: a byte that would fold over unevenly is passed over."""
    while True:
        fair = [1 + byte % 6 for byte in secrets.token_bytes(8) if byte < _FAIR_BYTES]
        if len(fair) >= 4:
            return (fair[0], fair[1], fair[2], fair[3])


def new_secret() -> bytes:
    """What nobody can guess."""
    return secrets.token_bytes(SECRET_BYTES)


def new_game_id() -> str:
    """A game's lasting id, ten letters and digits of which none look alike."""
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(_ID_LENGTH))
