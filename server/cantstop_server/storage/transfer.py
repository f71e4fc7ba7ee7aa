"""A database out and in again: who is registered, and every game, in an order that never changes.

Live rooms are no part of it: they are the running server's.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection, func, select, tuple_, update

from cantstop_protocol.text import name_key
from cantstop_server.storage import archive
from cantstop_server.storage.models import games, live_rooms, players, server
from cantstop_server.storage.players import bot_id, unclaimed_id
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat, KeptPlayer

_PAGE: Final = 200
_THIS_SERVER: Final = server.c.key == "server_id"


class DifferentGame(Exception):
    """Another game is in the database under the identifier of this one."""


@dataclass(slots=True)
class Taken:
    """What an import has taken in; ``known`` are the games and players that were there.

    ``strangers`` are players who came with tokens of another server.
    """

    games: int = 0
    known_games: int = 0
    players: int = 0
    known_players: int = 0
    strangers: int = 0

    def count_game(self, *, new: bool) -> None:
        self.games += new
        self.known_games += not new

    def count_player(self, *, new: bool) -> None:
        self.players += new
        self.known_players += not new

    def lines(self) -> list[str]:
        """What to tell of it."""
        known = f"; {_counted(self.known_games, 'was', 'were')} there already"
        lines = [f"{_counted(self.games, 'game')} imported{known if self.known_games else ''}"]
        if self.players or self.known_players:
            lines.append(f"{_counted(self.players, 'player')} registered")
        if self.strangers:
            lines.append(
                "Their names are free for the first who comes with them: their tokens are for"
                " another server"
            )
        return lines


def count_games(connection: Connection) -> int:
    """How many games there are."""
    return connection.scalar(select(func.count()).select_from(games)) or 0


def each_player(connection: Connection) -> Iterator[KeptPlayer]:
    """Everybody in the list of players, in the order in which they came."""
    last = 0
    while True:
        rows = connection.execute(
            select(players).where(players.c.id > last).order_by(players.c.id).limit(_PAGE)
        ).all()
        for row in rows:
            yield KeptPlayer(row.name, row.bot, row.token_hash, row.created_at)
        if len(rows) < _PAGE:
            return
        last = rows[-1].id


def each_game(connection: Connection) -> Iterator[ArchivedGame]:
    """Every game, in the order in which they ended, a page of them in memory at a time."""
    query = select(games).order_by(games.c.ended_at, games.c.id).limit(_PAGE)
    page = query
    while True:
        found = archive.load(connection, page)
        yield from found
        if len(found) < _PAGE:
            return
        last = found[-1]
        page = query.where(tuple_(games.c.ended_at, games.c.id) > (last.ended_at, last.id))


def is_known(connection: Connection, game: ArchivedGame) -> bool:
    """Whether this game is there. Raises ``DifferentGame`` if another one has its identifier."""
    found = archive.load(connection, select(games).where(games.c.id == game.id))
    if found and substance(found[0]) != substance(game):
        raise DifferentGame
    return bool(found)


def substance(game: ArchivedGame) -> ArchivedGame:
    """The game without what differs from database to database: the numbers of people."""
    return replace(game, seats=tuple(replace(seat, player=None) for seat in game.seats))


def server_id(connection: Connection) -> str:
    """The id of the server that the database is of."""
    return str(connection.scalar(select(server.c.value).where(_THIS_SERVER)))


def become_server(connection: Connection, id: str) -> bool:
    """Let a database in which nothing has happened yet be that server's; whether it now is."""
    if server_id(connection) == id:
        return True
    if not _is_empty(connection):
        return False
    connection.execute(update(server).where(_THIS_SERVER).values(value=id))
    return True


def take_player(connection: Connection, player: KeptPlayer, *, token: bool) -> bool:
    """Register somebody unless the name is known: whether it was not.

    ``token``: theirs fits this server. A name that nobody has claimed yet gets it.
    """
    if player.bot is not None:
        known = connection.scalar(select(players.c.id).where(players.c.bot == player.bot))
        bot_id(connection, player.bot, player.created_at)
        return known is None
    is_person = players.c.name_key == name_key(player.name)
    known = connection.scalar(select(players.c.id).where(is_person))
    unclaimed_id(connection, player.name, player.created_at)
    if token and player.token_hash is not None:
        connection.execute(
            update(players)
            .where(is_person, players.c.token_hash.is_(None))
            .values(token_hash=player.token_hash)
        )
    return known is None


def take_game(connection: Connection, game: ArchivedGame) -> bool:
    """Archive and count a game that comes from elsewhere: whether it was not there.

    People are known by the names they are registered by; who is new is registered, and the name
    is free to be claimed. Raises ``DifferentGame``.
    """
    if is_known(connection, game):
        return False
    archive.add(connection, replace(game, seats=_seated(connection, game)))
    return True


def _seated(connection: Connection, game: ArchivedGame) -> tuple[ArchivedSeat, ...]:
    return tuple(
        seat
        if seat.bot is not None
        else replace(
            seat,
            player=unclaimed_id(connection, seat.registered or seat.name, game.started_at),
        )
        for seat in game.seats
    )


def _is_empty(connection: Connection) -> bool:
    return all(
        connection.execute(select(table).limit(1)).first() is None
        for table in (players, games, live_rooms)
    )


def _counted(count: int, one: str, several: str = "") -> str:
    return f"{count} {one if count == 1 else several or f'{one}s'}"
