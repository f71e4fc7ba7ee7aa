"""Whether a database is sound: its pages, its games by the rules, and all that was counted."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, func, literal, select

from cantstop_server.rules.course import final_state
from cantstop_server.rules.errors import RulesError
from cantstop_server.rules.game import Phase, score
from cantstop_server.rules.setup import make_setup
from cantstop_server.storage import archive
from cantstop_server.storage.entries import expected_entries
from cantstop_server.storage.models import games, history
from cantstop_server.storage.recount import recomputed
from cantstop_server.storage.types import ArchivedGame

MOST_TOLD: Final = 20
"""How many faults of one kind are told one by one."""

_CHUNK: Final = 500

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found: how many games were replayed, and every fault as a line of text."""

    games: int
    faults: tuple[str, ...]


def examine(
    connection: Connection, damage: Callable[[Connection], list[str]], progress: Progress | None
) -> Examination:
    """Look at everything. ``damage`` finds what only this kind of database can have."""
    faults = damage(connection)
    if faults:
        # What is built on damaged pages would only be told many times over.
        return Examination(0, _told(faults))
    total, wrong = 0, []
    whole = connection.scalar(select(func.count()).select_from(games)) or 0
    for game in _games(connection):
        total += 1
        fault = game_fault(game)
        wrong += [f"game {game.id}: {fault}"] if fault else []
        if progress is not None:
            progress(total, whole)
    faults = [*_told(wrong), *_told(recomputed(connection))]
    return Examination(total, (*faults, *_told(_entry_faults(connection))))


def game_fault(game: ArchivedGame) -> str:
    """What is wrong with an archived game by the rules; empty if it is as the rules have it."""
    try:
        make_setup(*game.setup[:2], first=game.setup.first)
        end = final_state(game.setup, game.course)
    except RulesError as error:
        return str(error)
    if len(game.seats) != game.setup.seats:
        return f"it has {len(game.seats)} players at {game.setup.seats} seats"
    if game.status == "finished" and end.phase is not Phase.OVER:
        return "it is finished, but its course is not at an end"
    if game.status == "finished" and end.winner != game.winner:
        return f"seat {game.winner} is said to have won, by the rules it is {end.winner}"
    if game.status != "finished" and game.winner is not None:
        return "it was abandoned, and has a winner"
    if end.turn != game.turns:
        return f"it is said to have {game.turns} turns, by the rules it has {end.turn}"
    for index, seat in enumerate(game.seats):
        if seat.columns != score(end, index) or seat.resigned != (index in end.resigned):
            return f"the columns or the resignation of seat {index} are not what its course gives"
    return ""


def _games(connection: Connection) -> Iterator[ArchivedGame]:
    """Every game, in the order of identifiers."""
    last = ""
    while True:
        following = select(games.c.id).where(games.c.id > last).order_by(games.c.id).limit(_CHUNK)
        ids = list(connection.scalars(following))
        if not ids:
            return
        last = ids[-1]
        found = archive.games_of(connection, ids)
        yield from (found[game_id] for game_id in ids)


def _entry_faults(connection: Connection) -> list[str]:
    there, expected = select(*history.c), select(*expected_entries().subquery().c)
    return [
        f"game {row.game_id}: the index of history {what} for player {row.player_id}"
        for what, wrong in (
            ("has an entry too few", expected.except_(there)),
            ("has a wrong entry", there.except_(expected)),
        )
        for row in connection.execute(_some(wrong))
    ]


def _some(rows: Any) -> Select[Any]:
    found = rows.subquery()
    return select(found.c.game_id, found.c.player_id, literal(1)).limit(MOST_TOLD + 1)


def _told(faults: Sequence[str]) -> tuple[str, ...]:
    more = len(faults) - MOST_TOLD
    return (*faults[:MOST_TOLD], *([f"… and {more} more like these"] if more > 0 else []))
