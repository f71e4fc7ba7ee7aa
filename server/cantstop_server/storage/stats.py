"""One player's whole record, and the leaders: look-ups that cost the same however many games."""

from collections.abc import Sequence
from math import sqrt
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from cantstop_protocol.standings import (
    Habits,
    PlayerStats,
    Rated,
    RatingPoint,
    RunnerSet,
    SeatsScore,
    SolitaireBest,
    Versus,
)
from cantstop_protocol.table import Columns
from cantstop_server.rules.board import COLUMNS, columns_in
from cantstop_server.rules.odds import ROLLS
from cantstop_server.rules.rule28 import STOP_COUNT
from cantstop_server.storage.counts import ALL
from cantstop_server.storage.models import (
    column_claims,
    habits,
    head_to_head,
    players,
    rating_history,
    ratings,
    records,
    runner_sets,
    solitaire,
    streaks,
)
from cantstop_server.storage.players import is_named
from cantstop_server.storage.types import Leaders

MOST_POINTS: Final = 100
MOST_OPPONENTS: Final = 20
MOST_SETS: Final = 40
MOST_LEADERS: Final = 1000


def load(connection: Connection, name: str) -> list[PlayerStats]:
    """What is known of the players of this name."""
    found = connection.execute(select(players).where(is_named(name)).order_by(players.c.id))
    return [_stats(connection, player) for player in found.all()]


def leaders(connection: Connection, limit: int) -> Leaders:
    """The best rated players, and the best solitaire scores for each target, so many of each."""
    most = max(0, min(limit, MOST_LEADERS))
    order = (ratings.c.rating.desc(), ratings.c.player_id)
    rows = connection.execute(
        select(ratings, players.c.name, players.c.bot).join(players).order_by(*order).limit(most)
    ).all()
    targets = connection.scalars(select(solitaire.c.target).distinct().order_by(solitaire.c.target))
    ranked: list[Rated] = []
    for place, row in enumerate(rows, start=1):
        equal = bool(ranked) and ranked[-1].rating == row.rating
        ranked.append(_rated(row, ranked[-1].rank if equal else place))
    bests = (best for target in targets.all() for best in _bests(connection, target, most))
    return Leaders(tuple(ranked), tuple(bests))


def _stats(connection: Connection, player: Row[Any]) -> PlayerStats:
    scores = _by_seats(connection, player.id)
    games = sum(score.games for score in scores if score.seats > 1)
    wins = sum(score.wins for score in scores if score.seats > 1)
    streak = connection.execute(select(streaks).where(streaks.c.player_id == player.id)).first()
    rating = _rating(connection, player)
    return PlayerStats(
        name=player.name,
        bot=player.bot,
        games=games,
        wins=wins,
        losses=games - wins,
        streak=streak.current if streak else 0,
        longest_wins=streak.longest_wins if streak else 0,
        longest_losses=streak.longest_losses if streak else 0,
        rating=rating,
        history=_history(connection, player.id, rating.games) if rating else (),
        by_seats=scores,
        opponents=_opponents(connection, player.id),
        solitaire=tuple(
            SolitaireBest(player.name, player.bot, row.target, row.games, row.best_turns)
            for row in connection.execute(
                select(solitaire)
                .where(solitaire.c.player_id == player.id)
                .order_by(solitaire.c.target)
            )
        ),
        habits=_habits(connection, player.id),
        claims=_claims(connection, player.id),
        runner_sets=_runner_sets(connection, player.id),
    )


def _by_seats(connection: Connection, player: int) -> tuple[SeatsScore, ...]:
    rows = connection.execute(
        select(records)
        .where(records.c.player_id == player, records.c.against == ALL)
        .order_by(records.c.seats)
    )
    return tuple(SeatsScore(row.seats, row.games, row.wins) for row in rows)


def _opponents(connection: Connection, player: int) -> tuple[Versus, ...]:
    rows = connection.execute(
        select(head_to_head, players.c.name, players.c.bot)
        .join(players, players.c.id == head_to_head.c.opponent_id)
        .where(head_to_head.c.player_id == player)
        .order_by(head_to_head.c.games.desc(), players.c.name_key)
        .limit(MOST_OPPONENTS)
    )
    return tuple(Versus(row.name, row.bot, row.games, row.wins, row.losses) for row in rows)


def _rating(connection: Connection, player: Row[Any]) -> Rated | None:
    row = connection.execute(
        select(ratings, players.c.name, players.c.bot)
        .join(players)
        .where(ratings.c.player_id == player.id)
    ).first()
    if row is None:
        return None
    better = select(func.count()).select_from(ratings).where(ratings.c.rating > row.rating)
    return _rated(row, 1 + (connection.scalar(better) or 0))


def _rated(row: Row[Any], rank: int) -> Rated:
    return Rated(rank, row.name, row.bot, row.games, row.mu, row.sigma, row.rating)


def _history(connection: Connection, player: int, games: int) -> tuple[RatingPoint, ...]:
    rows = connection.execute(
        select(rating_history)
        .where(
            rating_history.c.player_id == player,
            rating_history.c.number.in_(spread(games, MOST_POINTS)),
        )
        .order_by(rating_history.c.number)
    )
    return tuple(RatingPoint(row.number, row.mu, row.sigma) for row in rows)


def spread(games: int, most: int) -> Sequence[int]:
    """The numbers from 1 to ``games``, or so many of them, evenly spread, with both ends."""
    if games <= most:
        return range(1, games + 1)
    return [1 + index * (games - 1) // (most - 1) for index in range(most)]


def _habits(connection: Connection, player: int) -> Habits | None:
    row = connection.execute(select(habits).where(habits.c.player_id == player)).first()
    if row is None or not row.turns:
        return None
    expected = row.expected / ROLLS
    return Habits(
        turns=row.turns,
        rolls=row.rolls,
        busts=row.busts,
        expected_busts=expected,
        deviation=sqrt(row.variance) / ROLLS,
        luck=expected - row.busts,
        bust_rate=row.busts / row.turns,
        rolls_per_turn=row.rolls / row.turns,
        kept_per_turn=row.steps_kept / row.turns,
        lost_per_turn=row.steps_lost / row.turns,
        finishes=row.finishes,
        turns_to_finish=_mean(row.finish_turns, row.finishes),
        stop_count=_mean(row.full_stop_excess + STOP_COUNT * row.full_stops, row.full_stops),
        ripe_stops=row.ripe_stops,
        rolls_past=row.rolls_past,
        past_excess=_mean(row.rolls_past_excess, row.rolls_past),
    )


def _mean(total: int, count: int) -> float | None:
    return total / count if count else None


def _claims(connection: Connection, player: int) -> Columns:
    rows = connection.execute(select(column_claims).where(column_claims.c.player_id == player))
    claims = {row.column: row.claims for row in rows}
    c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12 = (claims.get(column, 0) for column in COLUMNS)
    return (c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12)


def _runner_sets(connection: Connection, player: int) -> tuple[RunnerSet, ...]:
    rows = connection.execute(
        select(runner_sets)
        .where(runner_sets.c.player_id == player)
        .order_by(runner_sets.c.rolls.desc(), runner_sets.c.runners)
    )
    three = ((columns_in(row.runners), row) for row in rows)
    found = [
        RunnerSet(columns, row.rolls, row.busts) for columns, row in three if len(columns) == 3
    ]
    return tuple(found[:MOST_SETS])


def _bests(connection: Connection, target: int, most: int) -> list[SolitaireBest]:
    rows = connection.execute(
        select(solitaire, players.c.name, players.c.bot)
        .join(players)
        .where(solitaire.c.target == target)
        .order_by(solitaire.c.best_turns, players.c.name_key)
        .limit(most)
    )
    return [SolitaireBest(row.name, row.bot, row.target, row.games, row.best_turns) for row in rows]
