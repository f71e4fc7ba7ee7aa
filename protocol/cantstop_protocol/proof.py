"""The evidence for a game's dice: its text, and whether a game agrees with it. Pure.

No rules of the game are needed: which rolls there were stands in the course.
"""

import hmac
import json
import re
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple, cast

from cantstop_protocol.dice import (
    CHAIN_LINKS,
    NOTHING,
    SECRET_BYTES,
    Chain,
    Terms,
    Word,
    commitment,
    committed_roll,
    digits,
    draw_first,
    hashed,
    seal,
    server_root,
    witnessed_roll,
)
from cantstop_protocol.table import Dice

VERSION: Final = 1

_TOKEN: Final = re.compile(r"([1-6]{4})|[a-f]|\.|-[1-4]")
_HEX: Final = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")


class BadProof(ValueError):
    """A text that is no proof; says what is wrong with it."""


class Witnessing(NamedTuple):
    """How a roll was witnessed: the server's link for it, and the witness's word."""

    server: bytes
    word: Word


class Proof(NamedTuple):
    """The evidence for one game.

    ``nonces`` are by seat. ``draw`` are the rolls for the first seat, in order. In a witnessed
    game ``chains`` are the tips of the server's chain and of those by seat, and ``rolls`` has an
    entry for each roll of the course, None where nobody could witness it.
    """

    kind: Literal["committed", "witnessed"]
    commitment: bytes
    seed: bytes
    nonces: tuple[bytes | None, ...]
    draw: tuple[Dice, ...]
    seal: bytes
    chains: tuple[bytes | None, ...] = ()
    rolls: tuple[Witnessing | None, ...] = ()


class Played(NamedTuple):
    """A game as it was played: what the proof has to agree with."""

    game: str
    seats: int
    target: int
    dead_markers: str
    first: int
    course: str
    abandoned: bool
    winner: int | None
    turns: int


class Verdict(NamedTuple):
    """Whether the dice hold. ``fault`` says why not, and ``roll`` is the first that does not.

    ``rolls`` counts those that were looked at, the draw's included; ``witnessed`` those that a
    witness had a hand in; ``missing`` are the seats that contributed nothing.
    """

    rolls: int = 0
    witnessed: int = 0
    missing: tuple[int, ...] = ()
    fault: str = ""
    roll: int | None = None

    @property
    def holds(self) -> bool:
        return not self.fault


class _Fault(Exception):
    def __init__(self, roll: int, text: str) -> None:
        super().__init__(text)
        self.roll = roll


def proof_text(proof: Proof) -> str:
    """The proof as one line of JSON."""
    values: dict[str, Any] = {
        "kind": proof.kind,
        "version": VERSION,
        "commitment": proof.commitment.hex(),
        "seed": proof.seed.hex(),
        "nonces": [_hex(nonce) for nonce in proof.nonces],
        "draw": [digits(dice) for dice in proof.draw],
        "seal": proof.seal.hex(),
    }
    if proof.kind == "witnessed":
        values["chains"] = [_hex(tip) for tip in proof.chains]
        values["rolls"] = [_roll_values(roll) for roll in proof.rolls]
    return json.dumps(values, separators=(",", ":"))


def read_proof(text: str) -> Proof:
    """The proof in a text. Raises ``BadProof``."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadProof(f"no JSON: {error}") from error
    if not isinstance(values, dict) or values.get("version") != VERSION:
        raise BadProof(f"no proof of version {VERSION}, which is the one that is known here")
    kind = values.get("kind")
    if kind not in ("committed", "witnessed"):
        raise BadProof(f"unknown kind of dice {kind!r:.40}")
    witnessed = kind == "witnessed"
    return Proof(
        kind=kind,
        commitment=_bytes(values, "commitment"),
        seed=_bytes(values, "seed"),
        nonces=_optional_bytes(values, "nonces"),
        draw=tuple(map(_dice, _list(values, "draw"))),
        seal=_bytes(values, "seal"),
        chains=_optional_bytes(values, "chains") if witnessed else (),
        rolls=tuple(map(_read_roll, _list(values, "rolls"))) if witnessed else (),
    )


def terms_of(proof: Proof) -> Terms:
    """What was settled before the game's first roll."""
    return Terms(proof.nonces, proof.chains)


def ending(played: Played, draw: tuple[Dice, ...]) -> str:
    """What the seal is made over, besides the terms."""
    winner = NOTHING if played.winner is None else played.winner
    return (
        f"setup {played.seats} {played.target} {played.dead_markers} {played.first}\n"
        f"draw {' '.join(map(digits, draw)) or NOTHING}\n"
        f"course {played.course or NOTHING}\n"
        f"result {'abandoned' if played.abandoned else 'finished'} {winner} {played.turns}\n"
    )


def check(played: Played, proof: Proof) -> Verdict:
    """Whether each roll of the game follows from the proof, and whether its seal fits."""
    missing = tuple(seat for seat, nonce in enumerate(proof.nonces) if nonce is None)
    looked_at = witnessed = 0
    try:
        _check_promise(played, proof)
        for roll in _checked(played, proof):
            looked_at += 1
            witnessed += roll is not None
        if not hmac.compare_digest(
            seal(proof.seed, played.game, terms_of(proof), ending(played, proof.draw)), proof.seal
        ):
            raise _Fault(
                looked_at,
                "the seal does not fit: the last choice, the result or the seal was changed",
            )
    except _Fault as fault:
        return Verdict(looked_at, witnessed, missing, str(fault), fault.roll)
    return Verdict(looked_at, witnessed, missing)


def rolls_before(course: str) -> Iterator[tuple[str, Dice]]:
    """Each roll of a course with what was played before it. Raises ``BadProof`` for no course."""
    position = 0
    while position < len(course):
        token = _TOKEN.match(course, position)
        if token is None:
            raise BadProof(f"no action at {course[position : position + 8]!r}")
        if token[1]:
            yield course[:position], _dice(token[1])
        position = token.end()


def _check_promise(played: Played, proof: Proof) -> None:
    if commitment(proof.seed) != proof.commitment:
        raise _Fault(1, "the seed is not the promised one: its SHA-256 is another")
    if len(proof.nonces) != played.seats:
        raise _Fault(1, f"{len(proof.nonces)} nonces for {played.seats} seats")
    if proof.kind == "witnessed":
        if len(proof.chains) != played.seats + 1:
            raise _Fault(1, f"{len(proof.chains)} chains for the server and {played.seats} seats")
        if proof.chains[0] != Chain(server_root(proof.seed)).tip:
            raise _Fault(1, "the server's chain does not belong to its seed")


def _checked(played: Played, proof: Proof) -> Iterator[Witnessing | None]:
    """Each roll that holds, and how it was witnessed. Raises ``_Fault`` at the first other."""
    terms = terms_of(proof)
    drawn = iter(proof.draw)
    number = 0

    def draw() -> Dice:
        nonlocal number
        number += 1
        dice = next(drawn, None)
        if dice is None:
            raise _Fault(number, "the draw for the first seat ends too early")
        _compare(number, dice, committed_roll(proof.seed, terms, number, ""))
        return dice

    if proof.draw:
        first, rolled = draw_first(played.seats, draw)
        if first != played.first or len(rolled) != len(proof.draw):
            raise _Fault(number, "another seat than the drawn one began")
        yield from (None for _ in rolled)
    links = _Links(proof.chains)
    rolls = iter(proof.rolls)
    try:
        for before, dice in rolls_before(played.course):
            number += 1
            roll = next(rolls, None)
            if roll is None:
                told = committed_roll(proof.seed, terms, number, before)
            else:
                links.follow(number, roll)
                told = witnessed_roll(roll.server, terms, number, before, roll.word)
            _compare(number, dice, told)
            yield roll
    except BadProof as error:
        raise _Fault(number + 1, str(error)) from error
    if proof.kind == "witnessed" and number != len(proof.draw) + len(proof.rolls):
        raise _Fault(number, "the proof is of another number of rolls")


class _Links:
    """How far each chain has been uncovered: a link must lead back to the one before it."""

    def __init__(self, chains: tuple[bytes | None, ...]) -> None:
        self._latest = [(0, tip) for tip in chains]

    def follow(self, number: int, roll: Witnessing) -> None:
        """Take the links of a roll. Raises ``_Fault`` for those of another chain or roll."""
        self._take(0, number, roll.server, "the server's link")
        self._take(roll.word.seat + 1, number, roll.word.link, "the witness's link")

    def _take(self, chain: int, number: int, link: bytes, whose: str) -> None:
        earlier, known = self._latest[chain] if chain < len(self._latest) else (0, None)
        if known is None or number > CHAIN_LINKS or hashed(link, number - earlier) != known:
            raise _Fault(number, f"{whose} is not that of its chain for this roll")
        self._latest[chain] = (number, link)


def _compare(number: int, recorded: Dice, follows: Dice) -> None:
    if recorded != follows:
        raise _Fault(
            number,
            f"it is {' '.join(map(str, recorded))}, but {' '.join(map(str, follows))} follows from"
            " the proof: a die was changed, or something before it",
        )


def _hex(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def _roll_values(roll: Witnessing | None) -> object:
    if roll is None:
        return "committed"
    return {
        "server": roll.server.hex(),
        "witness": roll.word.seat,
        "link": roll.word.link.hex(),
    }


def _read_roll(values: object) -> Witnessing | None:
    if values == "committed":
        return None
    if not isinstance(values, dict) or type(seat := values.get("witness")) is not int or seat < 0:
        raise BadProof(f"neither a witnessed roll nor 'committed': {values!r:.40}")
    return Witnessing(_bytes(values, "server"), Word(seat, _bytes(values, "link")))


def _list(values: dict[str, Any], key: str) -> list[Any]:
    found = values.get(key)
    if not isinstance(found, list):
        raise BadProof(f"{key} is no list")
    return found


def _bytes(values: dict[str, Any], key: str) -> bytes:
    return _read_hex(values.get(key), key)


def _optional_bytes(values: dict[str, Any], key: str) -> tuple[bytes | None, ...]:
    return tuple(None if one is None else _read_hex(one, key) for one in _list(values, key))


def _read_hex(value: object, key: str) -> bytes:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise BadProof(f"{key} is not {2 * SECRET_BYTES} hex digits")
    return bytes.fromhex(value)


def _dice(value: object) -> Dice:
    if not isinstance(value, str) or not re.fullmatch("[1-6]{4}", value):
        raise BadProof(f"no roll of four dice: {value!r:.40}")
    return cast("Dice", tuple(map(int, value)))
