"""The database as the rest of the server uses it."""

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from sqlalchemy import Connection, insert, select, update

from cantstop_server.storage import archive, live, players, records
from cantstop_server.storage.connect import connect
from cantstop_server.storage.database import Database
from cantstop_server.storage.journal import Journal, RoomWrite, Stored
from cantstop_server.storage.migrate import migrate
from cantstop_server.storage.models import server
from cantstop_server.storage.types import ArchivedGame, Identity, LiveRoom, PlayerRecord

PRIVATE_SCOPES: Final = "play-"
"""How the scopes of private games begin: those end with their process."""

PRIVATE_GAMES_LAST: Final = timedelta(hours=24)
"""After this time without a move a private game's process must have been killed."""


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


class Store:
    """An open database. Made by ``open``.

    ``server_id`` is 32 hex digits that the database keeps for good. Every method raises
    ``StorageError`` when the database does not do its part.
    """

    def __init__(self, database: Database, server_id: str, now: Callable[[], datetime]) -> None:
        self.server_id = server_id
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
    ) -> "Store":
        """Open a database, and make it or bring it up to date if need be.

        ``database`` is a file's path or an SQLAlchemy URL. ``exclusive`` keeps a SQLite file to
        this process: no other exclusive opening succeeds until it closes or dies, and the file is
        checked for damage. ``busy_timeout`` is how many seconds to wait for others' locks.
        Raises ``StorageError``.
        """
        opened = connect(database, exclusive=exclusive, busy_timeout=busy_timeout)
        try:
            server_id = await opened.prepare(partial(_prepare, name=opened.name, now=now()))
        except BaseException:
            await opened.close()
            raise
        return cls(opened, server_id, now)

    async def close(self) -> None:
        """Finish what the journal holds, and let go of the database. Twice is harmless."""
        await self.journal.close()
        await self._database.close()

    async def check(self) -> None:
        """Write what is there already: whether the database takes anything down just now."""
        await self._database.write(partial(_touch, server_id=self.server_id))

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
        return await self._database.read(partial(archive.history, limit=limit, player=player))

    async def find_game(self, game: str) -> list[ArchivedGame]:
        """The games whose identifier begins so, two at most; of an empty one the newest game."""
        return await self._database.read(partial(archive.find, game=game))

    async def records(self, name: str | None = None) -> list[PlayerRecord]:
        """Every person and kind of computer player, most wins first; or the ones of this name."""
        return await self._database.read(partial(records.load, name=name))

    def _store_writes(self, writes: Sequence[RoomWrite], stored: Stored) -> None:
        self._database.store(writes, self._now(), stored)


def _prepare(connection: Connection, name: str, now: datetime) -> str:
    migrate(connection, name)
    live.drop_stale(connection, PRIVATE_SCOPES, now - PRIVATE_GAMES_LAST)
    return _server_id(connection)


def _touch(connection: Connection, server_id: str) -> None:
    connection.execute(update(server).where(server.c.key == "server_id").values(value=server_id))


def _server_id(connection: Connection) -> str:
    known: str | None = connection.scalar(select(server.c.value).where(server.c.key == "server_id"))
    if known is not None:
        return known
    made = secrets.token_hex(16)
    connection.execute(insert(server).values(key="server_id", value=made))
    return made
