"""Streaks and ratings: what depends on the order of the games, which is that of their ends.

Games that ended in the same instant are ordered by their identifiers. One that is archived after
a later one had been makes a note of the time from which all is to be worked out anew.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from itertools import groupby
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Integer,
    Row,
    String,
    bindparam,
    delete,
    func,
    insert,
    select,
    tuple_,
    update,
)

from cantstop_server.standings.rating import Rating, places, rate
from cantstop_server.standings.streaks import Streak
from cantstop_server.storage.compiled import Insertion, Question
from cantstop_server.storage.models import (
    UtcDateTime,
    game_seats,
    games,
    rating_history,
    ratings,
    server,
    streaks,
)
from cantstop_server.storage.types import Outcome
from cantstop_server.storage.upsert import replaced

_NOTE: Final = "recount"
EVERYTHING: Final = "due"
"""The note that nothing has been counted yet."""

_AT_ONCE: Final = 5000

_NOTED: Final = Question(select(server.c.value).where(server.c.key == _NOTE))
_LATER: Final = Question(
    select(games.c.id)
    .where(
        tuple_(games.c.ended_at, games.c.id)
        > tuple_(bindparam("ended_at", type_=UtcDateTime), bindparam("id", type_=String)),
        games.c.status == "finished",
        games.c.seats > 1,
    )
    .limit(1),
    *("ended_at", "id"),
)


_PUT_STREAKS: Final = Insertion(streaks, replaced)
_PUT_RATINGS: Final = Insertion(ratings, replaced)
_ADD_HISTORY: Final = Insertion(rating_history)


@cache
def _placed(players: int) -> Question:
    """Where so many players stand; who has a rating has a streak."""
    names = [f"player_{number}" for number in range(players)]
    return Question(
        select(streaks, ratings.c.games, ratings.c.mu, ratings.c.sigma)
        .outerjoin(ratings, ratings.c.player_id == streaks.c.player_id)
        .where(streaks.c.player_id.in_([bindparam(name, type_=Integer) for name in names])),
        *names,
    )


class Standings:
    """Where players stand, in memory, and the ratings they came by since it was begun."""

    def __init__(self) -> None:
        self.streaks: dict[int, Streak] = {}
        self.ratings: dict[int, tuple[int, Rating]] = {}
        """The number of rated games, and the rating after them."""
        self.history: list[dict[str, Any]] = []

    def take(self, game: Outcome) -> None:
        """Go on by a finished game of two or more seats."""
        self.take_streaks({seat.player for seat in game.seats}, game.victor)
        self._take_ratings(game)

    def take_streaks(self, players: Iterable[int], victor: int | None) -> None:
        """Go on by the result of a game of these players."""
        for player in players:
            streak = self.streaks.get(player, Streak())
            self.streaks[player] = streak.after(won=player == victor)

    def _take_ratings(self, game: Outcome) -> None:
        if not is_rated(game):
            return
        before = [self.ratings.get(seat.player, (0, Rating())) for seat in game.seats]
        placed = places(game.winner, [(seat.columns, seat.resigned) for seat in game.seats])
        after = rate([rating for _, rating in before], placed)
        for seat, (number, _), rating in zip(game.seats, before, after, strict=True):
            self.ratings[seat.player] = (number + 1, rating)
            self.history.append(
                {
                    "player_id": seat.player,
                    "number": number + 1,
                    "game_id": game.id,
                    "ended_at": game.ended_at,
                    "mu": rating.mu,
                    "sigma": rating.sigma,
                }
            )

    def store(self, connection: Connection) -> None:
        """Write all of it in place of what is known of these players; the history is added."""
        _write(connection, _PUT_STREAKS, streak_rows(self))
        _write(connection, _PUT_RATINGS, rating_rows(self))
        for start in range(0, len(self.history), _AT_ONCE):
            _write(connection, _ADD_HISTORY, self.history[start : start + _AT_ONCE])


def is_rated(game: Outcome) -> bool:
    """Whether a finished game counts for the ratings: it was to, and its players are different."""
    players = {seat.player for seat in game.seats}
    return game.rated and game.winner is not None and len(players) == len(game.seats) > 1


def streak_rows(standings: Standings) -> list[dict[str, Any]]:
    """The streaks as rows of their table."""
    return [
        {"player_id": player, **streak._asdict()} for player, streak in standings.streaks.items()
    ]


def rating_rows(standings: Standings) -> list[dict[str, Any]]:
    """The ratings as rows of their table."""
    return [
        {"player_id": player, "games": number, **rating._asdict(), "rating": rating.shown}
        for player, (number, rating) in standings.ratings.items()
    ]


def add(connection: Connection, game: Outcome, noted: str | None) -> None:
    """Go on by a finished game, or note that it came late; ``noted`` is what is noted so far."""
    if len(game.seats) < 2:
        return
    if noted is not None or _has_later(connection, game):
        note(connection, game.ended_at)
        return
    standings = _load(connection, game)
    standings.take(game)
    standings.store(connection)


def _load(connection: Connection, game: Outcome) -> Standings:
    """Where the players of a game stand now, as far as the game may change it."""
    found = Standings()
    players = {seat.player for seat in game.seats}
    with_ratings = is_rated(game)
    for player, *streak, number, mu, sigma in _placed(len(players)).ask(connection, *players):
        found.streaks[player] = Streak(*streak)
        if with_ratings and number is not None:
            found.ratings[player] = (number, Rating(mu, sigma))
    return found


def rewind(connection: Connection, since: datetime) -> Standings:
    """Forget the ratings from this time on: the standings just before it."""
    later = rating_history.c.ended_at >= since
    kept = (
        select(rating_history.c.player_id, func.max(rating_history.c.number).label("number"))
        .where(~later)
        .group_by(rating_history.c.player_id)
        .subquery()
    )
    rows: list[Row[Any]] = list(
        connection.execute(
            select(rating_history).join(
                kept,
                (rating_history.c.player_id == kept.c.player_id)
                & (rating_history.c.number == kept.c.number),
            )
        )
    )
    connection.execute(delete(rating_history).where(later))
    connection.execute(delete(ratings))
    standings = Standings()
    for row in rows:
        standings.ratings[row.player_id] = (row.number, Rating(row.mu, row.sigma))
    _take_streaks_before(connection, since, standings)
    return standings


def _take_streaks_before(connection: Connection, since: datetime, standings: Standings) -> None:
    results = connection.execute(
        select(games.c.id, games.c.winner, game_seats.c.seat, game_seats.c.player_id)
        .join(game_seats, game_seats.c.game_id == games.c.id)
        .where(games.c.status == "finished", games.c.seats > 1, games.c.ended_at < since)
        .order_by(games.c.ended_at, games.c.id)
    )
    for _, seats in groupby(results, key=lambda row: row.id):
        rows = list(seats)
        victor = next((row.player_id for row in rows if row.seat == row.winner), None)
        standings.take_streaks({row.player_id for row in rows}, victor)


def note(connection: Connection, since: datetime | None) -> None:
    """Note that all is to be worked out anew from this time on; None is from the beginning."""
    known = noted(connection)
    value = EVERYTHING if since is None else since.isoformat()
    if known is None:
        connection.execute(insert(server).values(key=_NOTE, value=value))
    elif known != EVERYTHING and (since is None or since < datetime.fromisoformat(known)):
        connection.execute(update(server).where(server.c.key == _NOTE).values(value=value))


def noted(connection: Connection) -> str | None:
    """From when on all is to be worked out anew: a time, ``EVERYTHING``, or None."""
    found = _NOTED.ask(connection)
    return found[0][0] if found else None


def forget_note(connection: Connection) -> None:
    """All has been worked out."""
    connection.execute(delete(server).where(server.c.key == _NOTE))


def _has_later(connection: Connection, game: Outcome) -> bool:
    return bool(_LATER.ask(connection, game.ended_at, game.id))


def _write(connection: Connection, insertion: Insertion, rows: list[dict[str, Any]]) -> None:
    """Write rows whose values stand in the order of the table's columns."""
    insertion.write(connection, [tuple(row.values()) for row in rows])
