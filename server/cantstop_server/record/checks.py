"""What must be so of any record: names and identifiers in range, and the end that the rules see."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from cantstop_protocol.text import BadText, clean_name
from cantstop_server.record.errors import Impossible
from cantstop_server.record.letters import SEATS
from cantstop_server.rules.game import Game, Phase, score
from cantstop_server.storage.types import ArchivedGame

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_KIND: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


class Contradiction(NamedTuple):
    """``about`` is what the record and the rules do not agree on."""

    about: str
    reason: str


def check_id(text: str) -> str:
    """A game's identifier. Raises ``Impossible``."""
    if not _ID.fullmatch(text):
        raise Impossible(f"an identifier is 1 to 40 letters and digits, not {text!r:.60}")
    return text


def check_kind(text: str) -> str:
    """A kind of computer player, known here or not. Raises ``Impossible``."""
    if not _KIND.fullmatch(text):
        raise Impossible(f"there is no kind of computer player {text!r:.60}")
    return text


def check_name(text: str) -> str:
    """A name as it may be shown. Raises ``Impossible``."""
    try:
        same = clean_name(text) == text
    except BadText as error:
        raise Impossible(f"{text!r:.60}: {error}") from error
    if not same:
        raise Impossible(f"{text!r:.60} is no name in its normal form (NFKC)")
    return text


def contradictions(game: ArchivedGame, end: Game) -> Iterator[Contradiction]:
    """Where a record and the end of its course do not agree."""
    over = end.phase is Phase.OVER
    if over is not (game.status == "finished"):
        is_so = "has ended" if over else "has not ended"
        yield Contradiction("result", f"by its turns the game {is_so}: it is not {game.status}")
    elif game.winner != end.winner:
        won = "nobody has won" if end.winner is None else f"{SEATS[end.winner]} has won"
        yield Contradiction("result", f"by its turns {won}")
    if game.turns != end.turn:
        yield Contradiction("turns", f"it went to turn {end.turn}, not {game.turns}")
    for index, seat in enumerate(game.seats):
        claimed, resigned = score(end, index), index in end.resigned
        if seat.columns != claimed:
            yield Contradiction(
                "claimed", f"{SEATS[index]} has claimed {claimed} columns, not {seat.columns}"
            )
        if seat.resigned is not resigned:
            has = "has" if resigned else "has not"
            yield Contradiction("resigned", f"{SEATS[index]} {has} resigned")
