"""Games out of a database and into one, as a stream: no export or import is held in memory."""

import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Final, NamedTuple

from sqlalchemy import Connection

from cantstop_server.errors import ServerError
from cantstop_server.record.errors import BadRecord, Impossible
from cantstop_server.record.read import read_records
from cantstop_server.record.rows import Item, game_row, player_row, read_rows, server_row
from cantstop_server.record.write import record_text
from cantstop_server.rules.errors import RulesError
from cantstop_server.storage import recount, standings, transfer
from cantstop_server.storage.store import Store
from cantstop_server.storage.transfer import DifferentGame, Taken, substance
from cantstop_server.storage.types import ArchivedGame, KeptPlayer

Progress = Callable[[int, int], None]

LONGEST_LINE: Final = 4 * 1024 * 1024
"""Bytes that a line of a file may have."""

_BATCH: Final = 200
"""Games that share a transaction: a server that runs meanwhile gets its turn between two."""


class BadFile(ServerError):
    """A file of which nothing is taken in; the text names the line."""


@dataclass(slots=True)
class Exported:
    """How many games were written, and of those that cannot be, why."""

    games: int = 0
    failed: list[str] = field(default_factory=list)


class _Found(NamedTuple):
    """Something to be imported, and where it stands."""

    where: str
    item: Item


async def export_database(
    store: Store, write: Callable[[str], None], *, jsonl: bool, progress: Progress | None = None
) -> Exported:
    """Write everything that has ended: as JSON Lines with the server and its players, else as
    records, one after the other."""

    def work(connection: Connection) -> Exported:
        exported = Exported()
        total = transfer.count_games(connection)
        if jsonl:
            write(server_row(transfer.server_id(connection)))
            for player in transfer.each_player(connection):
                write(player_row(player))
        for number, game in enumerate(transfer.each_game(connection), start=1):
            _export(game, write, exported, jsonl=jsonl)
            if progress is not None:
                progress(min(number, total), total)
        return exported

    return await store.reading(work)


def export_game(game: ArchivedGame, write: Callable[[str], None], *, jsonl: bool) -> Exported:
    """Write one game."""
    exported = Exported()
    _export(game, write, exported, jsonl=jsonl)
    return exported


def read_game(name: str, lines: Iterable[bytes]) -> ArchivedGame:
    """The one game in a file of either format. Raises ``BadFile``."""
    games: list[ArchivedGame] = []
    try:
        for line, item in _items(lines):
            if isinstance(item, ArchivedGame):
                games.append(item)
            if len(games) > 1:
                raise BadFile(
                    f"{name}:{line}: there are several games here: `cantstop import` takes them"
                    " all, then each can be asked for by its identifier"
                )
    except BadRecord as error:
        raise BadFile(f"{name}:{error.line}: {error.reason}") from error
    if not games:
        raise BadFile(f"{name}: there is no game in it")
    return games[0]


class Import:
    """Files on their way into a database: first ``add`` each, then ``write`` all.

    What has been read and found right waits on the disk, so that nothing is written before
    everything is known to be right, and the database is not held while files are read. Use as a
    context manager.
    """

    def __init__(self) -> None:
        with _room_to_wait():
            self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed by ``__exit__``
        self._seen: dict[str, tuple[int, str]] = {}
        self._count = 0
        self._has_server = False

    @property
    def needs_all(self) -> bool:
        """Whether no running server may use the database meanwhile.

        So it is with a whole database, and with so many games that counting takes its time.
        """
        return self._has_server or self._is_large

    @property
    def _is_large(self) -> bool:
        return self._count > _BATCH

    def __enter__(self) -> "Import":
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # what could not be written shall not be tried again
            self._spool.close()

    def add(self, name: str, lines: Iterable[bytes]) -> None:
        """Read and check a file of records or of JSON Lines. Raises ``BadFile``."""
        try:
            for line, item in _items(lines):
                where = f"{name}:{line}"
                if isinstance(item, ArchivedGame):
                    self._check_repetition(where, item)
                self._has_server = self._has_server or isinstance(item, str)
                with _room_to_wait():
                    pickle.dump(_Found(where, item), self._spool)
                self._count += 1
            with _room_to_wait():
                self._spool.flush()
        except BadRecord as error:
            raise BadFile(f"{name}:{error.line}: {error.reason}: nothing was imported") from error

    async def write(self, store: Store, progress: Progress | None = None) -> Taken:
        """Take it all in. Raises ``BadFile`` if something there contradicts it: then nothing is.

        It is written in parts. If it is interrupted between two, the same import finishes it.
        """
        await store.reading(self._check)
        taken = Taken()
        tokens = False
        found = self._found()
        written = 0
        if self._is_large:
            # Everything is counted once, at the end; if that is not reached, at the next opening.
            await store.writing(partial(standings.note, since=None))
        while batch := list(islice(found, _BATCH)):
            tokens = await store.writing(partial(_take, batch=batch, taken=taken, tokens=tokens))
            written += len(batch)
            if progress is not None:
                progress(written, self._count)
            if not self._is_large or written == self._count:
                await store.writing(recount.settle)
        return taken

    def _check_repetition(self, where: str, game: ArchivedGame) -> None:
        mark = hash(substance(game))
        known, first = self._seen.setdefault(game.id, (mark, where))
        if known != mark:
            raise BadFile(f"{where}: another game {game.id} is in {first}: nothing was imported")

    def _check(self, connection: Connection) -> None:
        for where, item in self._found():
            if not isinstance(item, ArchivedGame):
                continue
            try:
                transfer.is_known(connection, item)
            except DifferentGame as error:
                raise BadFile(
                    f"{where}: another game {item.id} is in the database: nothing was imported"
                ) from error

    def _found(self) -> Iterator[_Found]:
        self._spool.seek(0)
        for _ in range(self._count):
            yield pickle.load(self._spool)


@contextmanager
def _room_to_wait() -> Iterator[None]:
    """Raises ``ServerError`` where the disk does not take what has been read."""
    try:
        yield
    except OSError as error:
        raise ServerError(
            f"what is read cannot wait on the disk: {error.strerror or error}: make room, or name"
            " another folder in TMPDIR; nothing was imported"
        ) from error


def _export(
    game: ArchivedGame, write: Callable[[str], None], exported: Exported, *, jsonl: bool
) -> None:
    try:
        text = game_row(game) if jsonl else record_text(game)
    except (RulesError, Impossible) as error:
        exported.failed.append(f"game {game.id} is left out, it cannot be replayed: {error}")
        return
    if not jsonl and exported.games:
        write("\n")
    write(text)
    exported.games += 1


def _items(lines: Iterable[bytes]) -> Iterator[tuple[int, Item]]:
    """What a file holds, whichever of the two formats it is in."""
    texts = _texts(lines)
    first = list(islice(texts, 1))
    rest = chain(first, texts)
    if first and first[0].lstrip().startswith("{"):
        return read_rows(rest)
    return read_records(rest)


def _texts(lines: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise BadRecord(number, f"a line has at most {LONGEST_LINE} bytes")
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise BadRecord(number, "this is no text in UTF-8") from error


def _take(connection: Connection, *, batch: list[_Found], taken: Taken, tokens: bool) -> bool:
    """Take in a part; whether the tokens of players are this server's."""
    for _, item in batch:
        match item:
            case str(server):
                tokens = transfer.become_server(connection, server)
            case KeptPlayer():
                taken.strangers += item.token_hash is not None and not tokens
                taken.count_player(new=transfer.take_player(connection, item, token=tokens))
            case ArchivedGame():
                taken.count_game(new=transfer.take_game(connection, item))
    return tokens
