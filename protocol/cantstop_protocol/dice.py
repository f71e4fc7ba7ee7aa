"""How the dice of a game come about, so that everybody can check them. Pure.

A roll is HMAC-SHA256 over a text that names what each seat has contributed, the roll's number and
all that was played before it: nothing that the server could choose once it knows the rest.
``docs/dice.md`` specifies each byte for other languages and says what this proves. Seats count
from 0, rolls from 1.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import count
from typing import Final, NamedTuple

from cantstop_protocol.table import Dice

SECRET_BYTES: Final = 32
"""How long seeds, nonces and links are."""

CHAIN_LINKS: Final = 4096
"""How many links a chain has, and so the number of the last roll that can be witnessed."""

UNBIASED_BELOW: Final = 252
"""Bytes from here on are passed over: the others fall on six faces equally often."""

NOTHING: Final = "-"
"""What stands in a text for what is not there."""

_FACES: Final = bytes(byte % 6 + 1 for byte in range(256))
_UNFAIR: Final = bytes(range(UNBIASED_BELOW, 256))
_DRAW_ROUNDS: Final = 10
_STRIDE: Final = 64


class Terms(NamedTuple):
    """What is settled before the first roll of a game, and by nobody alone.

    ``nonces`` are by seat, None for a seat that has contributed nothing. ``chains`` are the tips
    of the server's chain and of those by seat; empty where rolls are not witnessed.
    """

    nonces: tuple[bytes | None, ...]
    chains: tuple[bytes | None, ...] = ()


class Word(NamedTuple):
    """What a witness has said to a roll: the seat, and the link of that seat's chain."""

    seat: int
    link: bytes


@lru_cache(maxsize=512)
def commitment(seed: bytes) -> bytes:
    """What the server promises before it knows the nonces: SHA-256 of the seed."""
    return hashlib.sha256(seed).digest()


def committed_roll(seed: bytes, terms: Terms, number: int, course: str) -> Dice:
    """The roll with this number, by the seed alone.

    ``course`` is what was played before it; empty for the rolls for the first seat.
    """
    return _roll(seed, _due("committed", terms, number, course))


def witnessed_roll(server_link: bytes, terms: Terms, number: int, course: str, word: Word) -> Dice:
    """The roll with this number, by the server's link for it and a witness's."""
    due = _due("witnessed", terms, number, course)
    return _roll(server_link, f"{due}witness {word.seat} {word.link.hex()}\n")


def dice_from(blocks: Iterable[bytes]) -> Dice:
    """Four dice from blocks of random bytes, more than enough: no face is likelier than another."""
    faces = b""
    for block in blocks:
        faces += block.translate(_FACES, _UNFAIR)
        if len(faces) >= 4:
            break
    return faces[0], faces[1], faces[2], faces[3]


def digits(dice: Dice) -> str:
    """The dice as they stand in a course."""
    return "{}{}{}{}".format(*dice)


def seal(seed: bytes, game: str, terms: Terms, ending: str) -> bytes:
    """What closes a game, so that its last choice and its result cannot be changed unnoticed."""
    text = f"cantstop seal 1\ngame {game}\n{_terms(terms)}{ending}"
    return hmac.digest(seed, text.encode(), "sha256")


def draw_first(seats: int, roll: Callable[[], Dice]) -> tuple[int, list[tuple[int, Dice]]]:
    """Who begins, and who rolled what for it: the highest sum of four dice, equals roll again.

    After ten rounds without a decision the lowest of the equal seats begins.
    """
    rolled: list[tuple[int, Dice]] = []
    equals = list(range(seats))
    for _ in range(_DRAW_ROUNDS):
        if len(equals) == 1:
            break
        round_ = [(seat, roll()) for seat in equals]
        rolled.extend(round_)
        highest = max(sum(dice) for _, dice in round_)
        equals = [seat for seat, dice in round_ if sum(dice) == highest]
    return equals[0], rolled


class Chain:
    """A hash chain: each link is the SHA-256 of the next, and the tip, link 0, that of the first.

    Who knows the tip can check a link and learns nothing of those after it. Only every so-manieth
    link is kept.
    """

    def __init__(self, root: bytes) -> None:
        """``root`` is the last link."""
        self._kept = [root]
        for _ in range(CHAIN_LINKS // _STRIDE):
            self._kept.append(hashed(self._kept[-1], _STRIDE))

    @property
    def tip(self) -> bytes:
        return self.link(0)

    def link(self, number: int) -> bytes:
        """The link for the roll with this number, 0 to ``CHAIN_LINKS``."""
        strides, steps = divmod(CHAIN_LINKS - number, _STRIDE)
        return hashed(self._kept[strides], steps)


def server_root(seed: bytes) -> bytes:
    """The last link of the server's chain: whoever knows the promise's seed knows the chain."""
    return hmac.digest(seed, b"cantstop chain 1\n", "sha256")


def hashed(value: bytes, times: int) -> bytes:
    """SHA-256 of the value, so often."""
    for _ in range(times):
        value = hashlib.sha256(value).digest()
    return value


def _roll(key: bytes, text: str) -> Dice:
    return dice_from(_blocks(key, text))


def _blocks(key: bytes, text: str) -> Iterator[bytes]:
    for block in count():
        yield hmac.digest(key, f"{text}block {block}\n".encode(), "sha256")


def _due(kind: str, terms: Terms, number: int, course: str) -> str:
    """Which roll it is, by which everything about it is settled."""
    return (
        f"cantstop dice 1\nkind {kind}\n{_terms(terms)}roll {number}\ncourse {course or NOTHING}\n"
    )


@lru_cache(maxsize=512)
def _terms(terms: Terms) -> str:
    # The same for all rolls of a game.
    text = f"nonces {_listed(terms.nonces)}\n"
    return f"{text}chains {_listed(terms.chains)}\n" if terms.chains else text


def _listed(values: Iterable[bytes | None]) -> str:
    return " ".join(NOTHING if value is None else value.hex() for value in values)
