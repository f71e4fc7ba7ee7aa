"""``stats``: the records of the database, as tables that fit 80 columns and as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from cantstop_protocol.standings import PlayerStats
from cantstop_protocol.text import cells, visible

if TYPE_CHECKING:
    # For the types alone: nothing of the server is loaded to show what it gave.
    from cantstop_client.local import PlayerRecord


def record_as_dict(record: "PlayerRecord") -> dict[str, Any]:
    """A record as plain values that JSON can hold."""
    return {
        "name": record.name,
        "kind": record.bot or "person",
        "games": record.games,
        "wins": record.wins,
        "losses": record.games - record.wins,
        "by_seats": {str(seats): _pair(pair) for seats, pair in sorted(record.by_seats.items())},
        "against": {kind: _pair(pair) for kind, pair in sorted(record.against.items())},
        "solitaire": {
            str(target): {"games": games, "best_turns": turns}
            for target, (games, turns) in sorted(record.solitaire.items())
        },
    }


def stats_as_dict(record: "PlayerRecord", stats: PlayerStats) -> dict[str, Any]:
    """All about a player as plain values that JSON can hold: the record, and more."""
    more: dict[str, Any] = msgspec.to_builtins(stats)
    for known in ("bot", "by_seats", "solitaire"):
        del more[known]
    return record_as_dict(record) | more


def stats_lines(records: Sequence["PlayerRecord"]) -> list[str]:
    """The records, a paragraph each."""
    if not records:
        return ["No finished game is on record yet: `cantstop play` starts one"]
    lines = []
    for record in records:
        kind = f" (computer player {record.bot})" if record.bot else ""
        lines.append(f"{visible(record.name)}{kind}: {_score((record.games, record.wins))}")
        lines += [
            f"  {f'{seats} seats':<18} {_score(pair)}"
            for seats, pair in sorted(record.by_seats.items())
            if seats > 1
        ]
        lines += [
            f"  {'against ' + visible(kind):<18} {_score(pair)}"
            for kind, pair in sorted(record.against.items())
        ]
    return lines + best_lines(records)


def best_lines(records: Sequence["PlayerRecord"]) -> list[str]:
    """The best solitaire scores, a table for each target, fewest turns first."""
    lines = []
    for target in sorted({target for record in records for target in record.solitaire}):
        columns = "1 column" if target == 1 else f"{target} columns"
        lines.append(f"Solitaire, {columns}, fewest turns:")
        ranked = sorted(
            (record.solitaire[target][1], record.name, record.solitaire[target][0])
            for record in records
            if target in record.solitaire
        )
        for turns, name, games in ranked:
            of = "1 game" if games == 1 else f"{games} games"
            lines.append(f"  {turns:>3}  {_padded(visible(name), 20)}  {of}")
    return lines


def _pair(pair: tuple[int, int]) -> dict[str, int]:
    games, wins = pair
    return {"games": games, "wins": wins}


def _score(pair: tuple[int, int]) -> str:
    games, wins = pair
    share = f" ({100 * wins / games:.0f} %)" if games else ""
    return f"{wins} of {games} won{share}"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))
