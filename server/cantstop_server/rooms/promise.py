"""What a room keeps of its dice: values with secrets in them, which they never show."""

from typing import Literal

from msgspec import Struct


class _Secretive(Struct, frozen=True):
    """Base of what holds a secret: how it prints tells nothing."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Given(_Secretive, frozen=True, array_like=True):
    """What a person's client has contributed: a nonce, and the tip of its chain if it has one."""

    player: int
    nonce: bytes
    chain: bytes | None


class Offer(_Secretive, frozen=True):
    """The dice of the room's next game, and who has contributed to them."""

    seed: bytes
    given: tuple[Given, ...] = ()


class Asked(Struct, frozen=True):
    """A roll that waits for its witness: the seat that is asked, and those that did not answer."""

    witness: int
    passed: tuple[int, ...] = ()


class GameDice(_Secretive, frozen=True):
    """The dice of a game.

    ``nonces`` are by seat; ``draw`` are the rolls for the first seat, as in a course; ``rolls``
    counts all so far. Where rolls are witnessed, ``server_chain`` and ``chains``, by seat, are
    tips, ``links`` each seat's latest link, ``marks`` who witnessed each roll of the course, as a
    digit or ``-``, and ``misses`` how often each seat did not answer.
    """

    kind: Literal["committed", "witnessed"]
    seed: bytes
    nonces: tuple[bytes | None, ...]
    draw: tuple[str, ...] = ()
    rolls: int = 0
    server_chain: bytes | None = None
    chains: tuple[bytes | None, ...] = ()
    links: tuple[bytes | None, ...] = ()
    marks: str = ""
    misses: tuple[int, ...] = ()
    asked: Asked | None = None
