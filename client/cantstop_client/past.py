"""Lists of games of the past: as a table of any width, as JSON, as CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from cantstop_protocol.past import GameSeat, GameSummary
from cantstop_protocol.text import cells, visible

_NARROW: Final = 72
"""Below this width a game has its players on lines of their own."""

_MOST_SEATS: Final = 4
_USUAL_TARGET: Final = 3

CSV_COLUMNS: Final = (
    *("id", "status", "started_at", "ended_at", "turns", "seats", "target", "dead_markers"),
    "winner",
    *(
        f"{what}_{seat}"
        for seat in range(1, _MOST_SEATS + 1)
        for what in ("name", "kind", "columns", "resigned")
    ),
    "cursor",
)


def game_as_dict(game: GameSummary) -> dict[str, Any]:
    """A game as plain values that JSON can hold. ``winner`` is a name, None if nobody won."""
    return {
        "id": game.game,
        "status": game.status,
        "options": {
            "seats": len(game.seats),
            "target": game.target,
            "dead_markers": game.dead_markers,
        },
        "seats": [
            {
                "name": seat.name,
                "kind": seat.bot or "person",
                "columns": seat.columns,
                "resigned": seat.resigned,
            }
            for seat in game.seats
        ],
        "winner": _winner(game),
        "turns": game.turns,
        "started_at": _iso(game.started),
        "ended_at": _iso(game.ended),
        "cursor": game.cursor,
    }


def csv_lines(games: Iterable[GameSummary]) -> Iterator[str]:
    """The games as lines of CSV, a heading first; ``winner`` is a seat from 1."""
    yield _csv_line(CSV_COLUMNS)
    for game in games:
        seats: list[object] = []
        for seat in game.seats:
            seats += [seat.name, seat.bot or "person", seat.columns, int(seat.resigned)]
        yield _csv_line(
            [
                *(game.game, game.status, _iso(game.started), _iso(game.ended), game.turns),
                *(len(game.seats), game.target, game.dead_markers),
                None if game.winner is None else game.winner + 1,
                *seats,
                *[None] * (4 * (_MOST_SEATS - len(game.seats))),
                game.cursor,
            ]
        )


def games_lines(games: Sequence[GameSummary], width: int) -> list[str]:
    """The games, newest first, as a table of at most so many cells, 40 or more."""
    if not games:
        return ["No such game"]
    if width < _NARROW:
        return [line for game in games for line in _narrow(game, width)]
    wide = max(10, *(cells(visible(game.game)) for game in games))
    lines = [f"{'game':<{wide}}  {'ended (UTC)':<16}  turns  who won, and the columns of each"]
    for game in games:
        id = visible(game.game)
        start = f"{id}{' ' * (wide - cells(id))}  {_minute(game.ended):<16}  {game.turns:>5}  "
        lines += _hung(start, " " * cells(start), _parts(game), width)
    return lines


def _narrow(game: GameSummary, width: int) -> list[str]:
    turns = "1 turn" if game.turns == 1 else f"{game.turns} turns"
    first = f"{visible(game.game)}  {_minute(game.ended)}  {turns}"
    return [first, *_hung("  ", "  ", _parts(game), width)]


def _parts(game: GameSummary) -> list[str]:
    """How it ended, who played, and what was not as usual. Each part may have its own line."""
    parts = [_outcome(game)]
    parts += [f"{visible(seat.name)} {seat.columns}{_note(seat)}" for seat in game.seats]
    if game.target != _USUAL_TARGET:
        parts.append(f"target {game.target}")
    if game.dead_markers == "kept":
        parts.append("dead markers kept")
    return parts


def _outcome(game: GameSummary) -> str:
    winner = _winner(game)
    if winner is not None:
        return f"{visible(winner)} won"
    return "nobody won" if game.status == "finished" else game.status


def _note(seat: GameSeat) -> str:
    return " (gave up)" if seat.resigned else ""


def _winner(game: GameSummary) -> str | None:
    seat = game.winner
    return None if seat is None or seat not in range(len(game.seats)) else game.seats[seat].name


def _minute(time: float | None) -> str:
    moment = _moment(time)
    return "-" if moment is None else moment.strftime("%Y-%m-%d %H:%M")


def _iso(time: float | None) -> str | None:
    moment = _moment(time)
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def _moment(time: float | None) -> datetime | None:
    """None also for what a server may say that is no time at all."""
    try:
        return None if time is None else datetime.fromtimestamp(time, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _csv_line(values: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    return line.getvalue()


def _hung(start: str, indent: str, parts: Iterable[str], width: int) -> list[str]:
    """The parts after the start, those that do not fit on further lines, indented."""
    lines = [start]
    fresh = True
    for part in parts:
        addition = part if fresh else f", {part}"
        # A comma may still have to follow.
        if not fresh and cells(lines[-1] + addition) >= width:
            lines[-1] += ","
            lines.append(indent)
            addition = part
        lines[-1] += addition
        fresh = False
    return lines
