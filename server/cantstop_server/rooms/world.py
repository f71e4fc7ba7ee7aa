"""The world as it is: chance from the operating system, the clock, fresh ids."""

import secrets
from datetime import UTC, datetime

from cantstop_protocol.dice import SECRET_BYTES
from cantstop_server.rooms.outcome import World
from cantstop_server.rules.legal import Dice

_ID_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_ID_LENGTH = 10


def real_world() -> World:
    """Chance from the operating system's cryptographic source, uniform without modulo bias."""
    return World(roll_dice, lambda: datetime.now(UTC), new_game_id, new_secret)


def roll_dice() -> Dice:
    """Four dice, each 1..6 and uniform: ``randbelow`` draws again rather than folding over."""
    return (_die(), _die(), _die(), _die())


def new_secret() -> bytes:
    """What nobody can guess."""
    return secrets.token_bytes(SECRET_BYTES)


def new_game_id() -> str:
    """A game's lasting id, ten letters and digits of which none look alike."""
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(_ID_LENGTH))


def _die() -> int:
    return 1 + secrets.randbelow(6)
