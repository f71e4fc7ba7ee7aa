"""From an archived game to its record (docs/record.md)."""

import json
from collections.abc import Iterator
from typing import Final

from cantstop_server.record.letters import SEATS, time_text
from cantstop_server.record.proof import proof_lines
from cantstop_server.record.turns import turn_lines
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat

FIRST_LINE: Final = "Can't Stop game record"
VERSION: Final = 1


def record_text(game: ArchivedGame) -> str:
    """The record of a game, ending in a line feed.

    Raises ``RulesError`` or ``Impossible`` for a game that cannot have been played.
    """
    turns = turn_lines(game.setup, game.course, game.turn_ends)
    proof = [] if game.proof is None else ["", "Proof:", *proof_lines(game.proof)]
    lines = [*_header(game), *(["", *turns] if turns else []), *proof]
    return "\n".join(lines) + "\n"


def _header(game: ArchivedGame) -> Iterator[str]:
    setup = game.setup
    yield f"{FIRST_LINE} {VERSION}"
    yield f"Game: {game.id}"
    yield f"Started: {time_text(game.started_at)}"
    yield f"Ended: {time_text(game.ended_at)}"
    yield f"Target: {setup.target}"
    yield f"Dead markers: {'kept' if setup.keep_dead_markers else 'removed'}"
    yield f"Rated: {'yes' if game.rated else 'no'}"
    for letter, seat in zip(SEATS, game.seats, strict=False):
        yield f"Seat {letter}: {_seat(seat)}"
    yield f"First: {SEATS[setup.first]}"
    yield f"Result: {_result(game)}"
    yield f"Turns: {game.turns}"
    claimed = (f"{c} {seat.columns}" for c, seat in zip(SEATS, game.seats, strict=False))
    yield f"Claimed: {', '.join(claimed)}"
    resigned = [c for c, seat in zip(SEATS, game.seats, strict=False) if seat.resigned]
    if resigned:
        yield f"Resigned: {', '.join(resigned)}"


def _seat(seat: ArchivedSeat) -> str:
    name = _quoted(seat.name)
    if seat.bot is not None:
        return f"{name} computer {seat.bot}"
    registered = seat.registered
    known = "" if registered in (None, seat.name) else f" {_quoted(str(registered))}"
    return f"{name} person{known}"


def _result(game: ArchivedGame) -> str:
    if game.status == "abandoned":
        return "abandoned"
    return "nobody wins" if game.winner is None else f"{SEATS[game.winner]} wins"


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
