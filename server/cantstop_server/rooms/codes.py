"""Room codes that are easy to say aloud: consonant, vowel, consonant, vowel, consonant."""

import secrets
from collections.abc import Container
from typing import Final

# No letters that sound or look alike: no C and Q beside K, no W and F beside V, no Y beside I.
_CONSONANTS: Final = "BDGHJKLMNPRSTVZ"
_VOWELS: Final = "AEIOU"


def new_code(taken: Container[str]) -> str:
    """A code that is not taken, such as ``BADOK``: 84,375 there are."""
    while True:
        code = "".join(secrets.choice(letters) for letters in _pattern())
        if code not in taken:
            return code


def normal_code(typed: str) -> str:
    """The code as rooms bear it, however it was typed."""
    return typed.strip().upper()


def _pattern() -> tuple[str, ...]:
    return (_CONSONANTS, _VOWELS, _CONSONANTS, _VOWELS, _CONSONANTS)
