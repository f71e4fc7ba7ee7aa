"""Pages of history: the games that ended, newest first, however many there are.

A page is merged from stretches of the index, each already in order. So it takes a time that depends
on the page and the question, not on the number of games; the query plans are tested.
"""

import base64
import binascii
import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, islice
from typing import Final, NamedTuple

from sqlalchemy import Connection, Select, bindparam, exists, select, tuple_

from cantstop_server.storage import archive
from cantstop_server.storage.entries import ANYBODY, EVERYBODY, Outcome, variants
from cantstop_server.storage.errors import BadQuestion
from cantstop_server.storage.models import game_seats, history, players
from cantstop_server.storage.players import is_kind, is_named
from cantstop_server.storage.types import ArchivedGame

MAX_PAGE: Final = 1000
"""How many games one page may have."""


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """Which games are wanted. What is None does not matter.

    ``player`` and ``opponent`` are names, of people or of kinds of computer player; ``kind`` is a
    kind of computer player that had a seat. ``result`` is the player's, or ``abandoned`` or
    ``finished`` with or without one. A game counts from ``since`` on and before ``until``, by its
    end; both are aware.
    """

    player: str | None = None
    opponent: str | None = None
    kind: str | None = None
    seats: int | None = None
    target: int | None = None
    keep_dead_markers: bool | None = None
    result: Outcome | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Some games, newest first. ``next`` is the cursor of the page after it, None at the end."""

    games: tuple[ArchivedGame, ...]
    next: str | None


class Place(NamedTuple):
    """A game's place in the order of history."""

    ended_at: datetime
    game_id: str


class _Stretch(NamedTuple):
    """One contiguous part of the index. Without a variant it has all variants and outcomes."""

    player: int
    opponent: int
    variant: int | None = None
    outcome: str | None = None


def page(connection: Connection, query: HistoryQuery, limit: int, after: str | None) -> HistoryPage:
    """The games that fit, newest first, from after the cursor on.

    A ``limit`` of 0 or less gives none, one past ``MAX_PAGE`` gives that many. Raises
    ``BadQuestion`` for a cursor that is none, and a result that needs a player.
    """
    start = _start(query, after)
    if query.result in ("won", "lost") and query.player is None:
        raise BadQuestion(f"who {query.result}? that needs a player, too")
    wanted = max(0, min(limit, MAX_PAGE))
    if not wanted:
        return HistoryPage((), None)
    stretches, present = _stretches(connection, query)
    parts = []
    if stretches:
        filtered = stretches[0].variant is not None
        statement = _statement(start, query.since, present, wanted + 1, filtered=filtered)
        parts = [_places(connection, statement, stretch) for stretch in stretches]
    merged = (place for place, _ in groupby(heapq.merge(*parts, reverse=True)))
    places = list(islice(merged, wanted + 1))
    found = archive.games_of(connection, [place.game_id for place in places[:wanted]])
    games = tuple(found[place.game_id] for place in places[:wanted])
    return HistoryPage(games, cursor_after(games[-1]) if len(places) > wanted else None)


def cursor_after(game: ArchivedGame) -> str:
    """The cursor of the page that goes on after this game."""
    place = f"{game.ended_at.astimezone(UTC).isoformat()} {game.id}"
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def _place_of(cursor: str) -> Place:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        ended_at, _, game_id = text.partition(" ")
        time = datetime.fromisoformat(ended_at)
        place = Place(time.astimezone(UTC), game_id)
    except (ValueError, OverflowError, binascii.Error) as error:
        raise BadQuestion(_NO_CURSOR) from error
    if time.tzinfo is None or not game_id or "\0" in game_id:
        raise BadQuestion(_NO_CURSOR)
    return place


_NO_CURSOR: Final = "this is no cursor: take the one that came with the page before"


def _start(query: HistoryQuery, after: str | None) -> Place | None:
    """The place that all games come after; an ``until`` is the same as one before its games."""
    starts = [] if after is None else [_place_of(after)]
    if query.until is not None:
        starts.append(Place(query.until, ""))
    return min(starts, default=None)


def _stretches(
    connection: Connection, query: HistoryQuery
) -> tuple[list[_Stretch], Sequence[int] | None]:
    """The parts of the index that hold the games, and who else must have had a seat."""
    named = [
        list(connection.scalars(select(players.c.id).where(whom(name))))
        for name, whom in (
            (query.player, is_named),
            (query.opponent, is_named),
            (query.kind, is_kind),
        )
        if name is not None
    ]
    some = named[0] if named else [EVERYBODY]
    others = named[1] if len(named) > 1 else [ANYBODY]
    present = named[2] if len(named) > 2 else None
    pairs = [(player, opponent) for player in some for opponent in others]
    variant = (query.seats, query.target, query.keep_dead_markers)
    if variant == (None, None, None) and query.result is None:
        return [_Stretch(*pair) for pair in pairs], present
    outcomes = _outcomes(query.result, of_everybody=not named)
    return [
        _Stretch(*pair, a_variant, outcome)
        for pair in pairs
        for a_variant in variants(*variant)
        for outcome in outcomes
    ], present


def _outcomes(result: Outcome | None, *, of_everybody: bool) -> Sequence[str]:
    finished = ("finished",) if of_everybody else ("won", "lost")
    if result is None:
        return (*finished, "abandoned")
    return finished if result == "finished" else (result,)


def _statement(
    start: Place | None,
    since: datetime | None,
    present: Sequence[int] | None,
    limit: int,
    *,
    filtered: bool,
) -> Select[datetime, str]:
    """The first places of a stretch, in the order in which its index has them.

    The stretch's own values are parameters: a page asks for many of them with one statement.
    """
    statement = select(history.c.ended_at, history.c.game_id).where(
        history.c.player_id == bindparam("player"), history.c.opponent_id == bindparam("opponent")
    )
    if filtered:
        statement = statement.where(
            history.c.variant == bindparam("variant"), history.c.outcome == bindparam("outcome")
        )
    if start is not None:
        place = tuple_(history.c.ended_at, history.c.game_id)
        statement = statement.where(place < tuple_(*start))
    if since is not None:
        statement = statement.where(history.c.ended_at >= since)
    if present is not None:
        seat = (game_seats.c.game_id == history.c.game_id, game_seats.c.player_id.in_(present))
        statement = statement.where(exists().where(*seat))
    return statement.order_by(history.c.ended_at.desc(), history.c.game_id.desc()).limit(limit)


def _places(
    connection: Connection, statement: Select[datetime, str], stretch: _Stretch
) -> Iterator[Place]:
    values = {key: value for key, value in stretch._asdict().items() if value is not None}
    return iter([Place(end, game) for end, game in connection.execute(statement, values)])
