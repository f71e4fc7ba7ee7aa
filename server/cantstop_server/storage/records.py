"""Running counts of finished games: who won how often, with how many seats, against whom."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, case, insert, select, update

from cantstop_server.storage.models import players, records, solitaire
from cantstop_server.storage.players import is_named
from cantstop_server.storage.types import PEOPLE, ArchivedGame, PlayerRecord

_ALL = "all"


def count(connection: Connection, game: ArchivedGame, player_ids: Sequence[int]) -> None:
    """Count a finished game for the players at its seats."""
    for seat, player in enumerate(player_ids):
        opponents = {other.bot or PEOPLE for index, other in enumerate(game.seats) if index != seat}
        for against in (_ALL, *sorted(opponents)):
            _count(connection, player, len(player_ids), against, won=game.winner == seat)
    if len(player_ids) == 1 and game.winner is not None:
        _count_solitaire(connection, player_ids[0], game.setup.target, game.turns)


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
        if row.against == _ALL:
            by_seats = record.by_seats | {row.seats: (row.games, row.wins)}
            games, wins = record.games + row.games, record.wins + row.wins
            record = replace(record, games=games, wins=wins, by_seats=by_seats)
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


def _count(connection: Connection, player: int, seats: int, against: str, *, won: bool) -> None:
    row = (
        records.c.player_id == player,
        records.c.seats == seats,
        records.c.against == against,
    )
    counted = connection.execute(
        update(records)
        .where(*row)
        .values(games=records.c.games + 1, wins=records.c.wins + int(won))
    )
    if not counted.rowcount:
        connection.execute(
            insert(records).values(
                player_id=player, seats=seats, against=against, games=1, wins=int(won)
            )
        )


def _count_solitaire(connection: Connection, player: int, target: int, turns: int) -> None:
    row = (solitaire.c.player_id == player, solitaire.c.target == target)
    fewer = case((solitaire.c.best_turns > turns, turns), else_=solitaire.c.best_turns)
    counted = connection.execute(
        update(solitaire).where(*row).values(games=solitaire.c.games + 1, best_turns=fewer)
    )
    if not counted.rowcount:
        connection.execute(
            insert(solitaire).values(player_id=player, target=target, games=1, best_turns=turns)
        )
