"""Room passwords, kept only as salted hashes."""

import hashlib
import hmac
import secrets
from typing import Final

_SALT_BYTES: Final = 16
# A few milliseconds, spent on a thread: a guess costs something.
_COST: Final = {"n": 2**10, "r": 8, "p": 1}


def hash_password(password: str) -> bytes:
    """Salt and hash of a password."""
    salt = secrets.token_bytes(_SALT_BYTES)
    return salt + hashlib.scrypt(password.encode(), salt=salt, **_COST)


def fits(password: str, hashed: bytes) -> bool:
    """Whether this is the password."""
    salt, expected = hashed[:_SALT_BYTES], hashed[_SALT_BYTES:]
    return hmac.compare_digest(hashlib.scrypt(password.encode(), salt=salt, **_COST), expected)
