"""The database as the rest of the server uses it."""

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, TypeVar

from sqlalchemy import Connection, insert, select, update

from cantstop_protocol.standings import PlayerStats
from cantstop_server.storage import (
    archive,
    history,
    identities,
    live,
    players,
    records,
    recount,
    stats,
)
from cantstop_server.storage.check import Examination, Progress, examine
from cantstop_server.storage.connect import connect
from cantstop_server.storage.database import Database
from cantstop_server.storage.history import HistoryPage, HistoryQuery
from cantstop_server.storage.journal import Journal, RoomWrite, Stored
from cantstop_server.storage.migrate import Upgrade, migrate
from cantstop_server.storage.models import server
from cantstop_server.storage.types import ArchivedGame, Identity, Leaders, LiveRoom, PlayerRecord

T = TypeVar("T")

PRIVATE_SCOPES: Final = "play-"
"""How the scopes of private games begin: those end with their process."""

PRIVATE_GAMES_LAST: Final = timedelta(hours=24)
"""After this time without a move a private game's process must have been killed."""


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


class Store:
    """An open database. Made by ``open``.

    ``server_id`` is 32 hex digits that the database keeps for good; ``upgrade`` is what was
    done to its schema when it was opened, None if it was up to date or new. Every method raises
    ``StorageError`` when the database does not do its part.
    """

    def __init__(
        self,
        database: Database,
        server_id: str,
        now: Callable[[], datetime],
        upgrade: Upgrade | None = None,
    ) -> None:
        self.server_id = server_id
        self.upgrade = upgrade
        self.journal = Journal(self._store_writes)
        self._database = database
        self._now = now

    @classmethod
    async def open(
        cls,
        database: str,
        *,
        exclusive: bool = False,
        busy_timeout: float = 5.0,
        now: Callable[[], datetime] = utc_now,
        copy: bool = True,
    ) -> "Store":
        """Open a database, and make it or bring it up to date if need be.

        ``database`` is a file's path or an SQLAlchemy URL. ``exclusive`` keeps it to this
        process: no other exclusive opening succeeds until it closes or dies, and a file is
        checked for damage. ``busy_timeout`` is how many seconds to wait for others' locks.
        ``copy`` keeps a copy of it as it was before an upgrade. Raises ``StorageError``.
        """
        opened = connect(database, exclusive=exclusive, busy_timeout=busy_timeout)
        try:
            server_id, upgrade = await opened.prepare(
                partial(_prepare, database=opened, now=now(), copy=copy)
            )
        except BaseException:
            await opened.close()
            raise
        return cls(opened, server_id, now, upgrade)

    async def close(self) -> None:
        """Finish what the journal holds, and let go of the database. Twice is harmless."""
        await self.journal.close()
        await self._database.close()

    async def check(self) -> None:
        """Write what is there already: whether the database takes anything down just now."""
        await self._database.write(partial(_touch, server_id=self.server_id))

    async def examine(self, progress: Progress | None = None) -> Examination:
        """Look whether all is sound, games replayed and counts counted anew; it takes a while.

        ``progress`` is told how many games of how many are done.
        """
        work = partial(examine, damage=self._database.damage, progress=progress)
        return await self._database.read_as_of_now(work)

    async def identify(self, name: str, key: str, token_hash: bytes) -> Identity:
        """The person with this name; the first token makes it theirs. ``key`` is its ``name_key``.

        Raises ``NameTaken`` if the token is not the name's.
        """
        known = await self._database.read(
            partial(players.recognise, name=name, key=key, token_hash=token_hash)
        )
        if known is not None:
            return known
        return await self._database.write(
            partial(players.identify, name=name, key=key, token_hash=token_hash, now=self._now())
        )

    async def live_rooms(self, scope: str) -> list[LiveRoom]:
        """The rooms that a server run left behind or still has, by room code."""
        return await self._database.read(partial(live.load, scope=scope))

    async def history(self, *, limit: int = 20, player: str | None = None) -> list[ArchivedGame]:
        """The newest games first, of everybody or of one player.

        A ``limit`` of 0 or less gives none, one past 1,000 gives 1,000.
        """
        return list((await self.history_page(HistoryQuery(player=player), limit=limit)).games)

    async def history_page(
        self, query: HistoryQuery, *, limit: int = 20, after: str | None = None
    ) -> HistoryPage:
        """The games that fit, newest first; ``after`` is the ``next`` of the page before.

        Limits are as in ``history``. Raises ``BadQuestion`` for a question that makes no sense.
        """
        return await self._database.read(
            partial(history.page, query=query, limit=limit, after=after)
        )

    async def unfinished(self) -> list[LiveRoom]:
        """The live rooms that a server goes on with, without their events; at most 1,000."""
        return await self._database.read(
            partial(live.unfinished, besides=PRIVATE_SCOPES, limit=history.MAX_PAGE)
        )

    async def find_game(self, game: str) -> list[ArchivedGame]:
        """The game of this identifier, else those whose identifier begins so, two at most; of an
        empty one the newest game."""
        return await self._database.read(partial(archive.find, game=game))

    async def records(self, name: str | None = None) -> list[PlayerRecord]:
        """Every person and kind of computer player, most wins first; or the ones of this name."""
        return await self._database.read(partial(records.load, name=name))

    async def stats(self, name: str) -> list[PlayerStats]:
        """All that is known of a player's finished games; empty if there is nobody of the name."""
        return await self._database.read(partial(stats.load, name=name))

    async def leaders(self, *, limit: int = 20) -> Leaders:
        """The best rated players and the best solitaire scores, at most so many of each."""
        return await self._database.read(partial(stats.leaders, limit=limit))

    async def rename_player(self, old: str, new: str, key: str) -> None:
        """Give a person another name, with all that is kept of them. ``key`` is its ``name_key``.

        Raises ``CannotChange`` if nobody has the old name, or somebody the new one.
        """
        await self._database.write(partial(identities.rename, old=old, new=new, key=key))

    async def merge_players(self, source: str, into: str) -> None:
        """Make one person of two: the games of the first become the second's.

        Raises ``CannotChange`` if one of them is nobody, if both sat in one game, or if the first
        still sits in a room.
        """
        await self._database.write(partial(identities.merge, source=source, into=into))

    async def recomputed(self) -> list[str]:
        """How what is counted differs from a count of all games: a line for each difference."""
        return await self._database.read(recount.recomputed)

    async def reading(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads, in one transaction: it sees one moment."""
        return await self._database.read(work)

    async def writing(self, work: Callable[[Connection], T]) -> T:
        """Run work that writes, in one transaction; it is durable when this returns."""
        return await self._database.write(work)

    def _store_writes(self, writes: Sequence[RoomWrite], stored: Stored) -> None:
        self._database.store(writes, self._now(), stored)


def _prepare(
    connection: Connection, database: Database, now: datetime, *, copy: bool
) -> tuple[str, Upgrade | None]:
    def keep_copy(connection: Connection, upgrade: str) -> str:
        database.check_unserved(connection)
        return database.keep_copy(connection, upgrade) if copy else ""

    upgrade = migrate(connection, database.name, keep_copy)
    recount.settle(connection)
    live.drop_stale(connection, PRIVATE_SCOPES, now - PRIVATE_GAMES_LAST)
    live.tidy(connection)
    return _server_id(connection), upgrade


def _touch(connection: Connection, server_id: str) -> None:
    connection.execute(update(server).where(server.c.key == "server_id").values(value=server_id))


def _server_id(connection: Connection) -> str:
    known: str | None = connection.scalar(select(server.c.value).where(server.c.key == "server_id"))
    if known is not None:
        return known
    made = secrets.token_hex(16)
    connection.execute(insert(server).values(key="server_id", value=made))
    return made
