"""Running counts of finished games: who won how often, with how many seats, against whom."""

from dataclasses import replace

from sqlalchemy import Connection, select

from cantstop_server.storage.counts import ALL
from cantstop_server.storage.models import players, records, solitaire
from cantstop_server.storage.players import is_named
from cantstop_server.storage.types import PlayerRecord


def load(connection: Connection, name: str | None) -> list[PlayerRecord]:
    """Every player, most wins first and then fewest games, or those of this name."""
    query = select(
        players.c.id,
        players.c.name,
        players.c.bot,
        players.c.name_key,
        records.c.seats,
        records.c.against,
        records.c.games,
        records.c.wins,
    ).select_from(players.outerjoin(records))
    query = query.order_by(players.c.name_key, records.c.seats, records.c.against)
    if name is not None:
        query = query.where(is_named(name))
    found: dict[int, PlayerRecord] = {}
    for row in connection.execute(query):
        record = found.get(row.id) or PlayerRecord(row.name, row.bot, 0, 0, {}, {})
        if row.against == ALL:
            by_seats = record.by_seats | {row.seats: (row.games, row.wins)}
            record = replace(record, by_seats=by_seats)
            if row.seats > 1:
                games, wins = record.games + row.games, record.wins + row.wins
                record = replace(record, games=games, wins=wins)
        elif row.against is not None:
            record.against[row.against] = _sum(record.against, row.against, row.games, row.wins)
        found[row.id] = record
    best_of = select(solitaire).order_by(solitaire.c.target)
    if name is not None:
        best_of = best_of.where(solitaire.c.player_id.in_(list(found)))
    for best in connection.execute(best_of):
        found[best.player_id].solitaire[best.target] = (best.games, best.best_turns)
    return sorted(found.values(), key=_rank)


def _rank(record: PlayerRecord) -> tuple[int, bool, int]:
    return -record.wins, record.games == 0, record.games


def _sum(pairs: dict[str, tuple[int, int]], key: str, games: int, wins: int) -> tuple[int, int]:
    before = pairs.get(key, (0, 0))
    return before[0] + games, before[1] + wins
