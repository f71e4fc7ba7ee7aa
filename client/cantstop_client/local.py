"""The server in this process, and its database. The only file that imports ``cantstop_server``.

Everything is imported where it is used: joining somebody else's table loads none of it.
"""

import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from cantstop_client.address import Address, parse_address
from cantstop_client.announce import Hosted
from cantstop_client.errors import ClientError
from cantstop_client.paths import at_home, database_file

if TYPE_CHECKING:
    from cantstop_server.net.server import Server
    from cantstop_server.storage.store import Store
    from cantstop_server.storage.types import ArchivedGame as ArchivedGame
    from cantstop_server.storage.types import PlayerRecord as PlayerRecord

T = TypeVar("T")


@asynccontextmanager
async def private_server(database: str, bot_delay: float) -> AsyncIterator[tuple[Address, str]]:
    """A server for this person alone, on a free port of the loopback interface; its password.

    Others on this machine can reach the port, but nobody else knows the password.
    """
    from cantstop_server.config import ServerConfig
    from cantstop_server.logs import set_up_logs
    from cantstop_server.net.server import Server

    set_up_logs("warning", "text")
    _make_directory(database)
    password = secrets.token_urlsafe(32)
    config = ServerConfig(
        bind="127.0.0.1",
        port=0,
        database=database,
        bot_delay=bot_delay,
        private=True,
        password=password,
    )
    with _in_our_words():
        async with Server(config) as server:
            yield parse_address(f"127.0.0.1:{server.port}"), password


async def host(
    options: Mapping[str, object],
    file: str | None,
    database: str,
    announce: Callable[[Hosted], None],
) -> None:
    """Run a server until the process is asked to end; ``announce`` is told what it is.

    ``options`` are those of the command line by name, None for those not given; ``file`` has
    more of them, and the environment; ``database`` is the default one.
    """
    from cantstop_server.logs import set_up_logs
    from cantstop_server.net.server import host as run
    from cantstop_server.settings import read_settings

    text = None if file is None else _read_file(file)
    with _in_our_words():
        settings = read_settings(options, os.environ, text, file or "", database=database)
        _make_directory(settings.server.database)
        set_up_logs(settings.log_level, settings.log_format)
        await run(settings.server, lambda server: announce(_hosted(server)))


def admin_access(database: str) -> tuple[str, str, str] | None:
    """What a running server has left beside its database, if one has.

    Its token, its URL, and the fingerprint of its certificate, empty without TLS.
    """
    from cantstop_server.net import admin_file

    with _in_our_words():
        path = admin_file.admin_file(database)
        if path is None:
            return None
        try:
            return admin_file.read(path)
        except FileNotFoundError:
            return None


async def history(database: str, limit: int, player: str | None) -> "list[ArchivedGame]":
    """The newest games first; none if there is no database yet."""
    return await _read(database, lambda store: store.history(limit=limit, player=player), [])


async def records(database: str, name: str | None) -> "list[PlayerRecord]":
    """The records of everybody, or of one name; none if there is no database yet."""
    return await _read(database, lambda store: store.records(name), [])


def has_database(database: str) -> bool:
    """Whether there is something to read. A database that is no file is taken to be there."""
    path = database_file(database)
    try:
        return path is None or path.exists()
    except OSError:
        # It cannot be looked at: opening it says why.
        return True


def bench_rules(games: int, player: str, seed: int) -> tuple[str, dict[str, Any]]:
    """How fast the rules are: a report for people, and the same as plain values."""
    from cantstop_server.bench.rules import format_report, run_rules_bench

    try:
        result = run_rules_bench(games, player, seed)
    except ValueError as error:
        raise ClientError(str(error)) from error
    return format_report(result), result.as_dict()


async def bench_server(
    rooms: list[int], seats: int, spectators: int, rounds: int
) -> tuple[str, list[dict[str, Any]]]:
    """What a server carries beside its floor: a report for people, and plain values."""
    from cantstop_server.bench.loops import LOOPS
    from cantstop_server.bench.server import compare, format_report

    results = [
        await compare(loop, count, seats, spectators, rounds) for loop in LOOPS for count in rooms
    ]
    return format_report(results), [result.as_dict() for result in results]


async def _read(database: str, ask: "Callable[[Store], Awaitable[T]]", none: T) -> T:
    if not has_database(database):
        return none
    from cantstop_server.storage.store import Store

    with _in_our_words():
        store = await Store.open(database)
        try:
            return await ask(store)
        finally:
            await store.close()


def _hosted(server: "Server") -> Hosted:
    greeting = server.greeting
    return Hosted(greeting.server, greeting.name, greeting.software, tuple(server.addresses))


def _read_file(name: str) -> str:
    try:
        return at_home(name, "--config").read_text("utf-8")
    except OSError as error:
        raise ClientError(f"--config: cannot read {name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ClientError(f"--config: {name} is not text in UTF-8") from error


@contextmanager
def _in_our_words() -> Iterator[None]:
    from cantstop_server.errors import ServerError

    try:
        yield
    except ServerError as error:
        raise ClientError(str(error)) from error


def _make_directory(database: str) -> None:
    """The database's directory is made on first use, as the identity's is."""
    path = database_file(database)
    if path is None:
        return
    try:
        os.makedirs(path.absolute().parent, mode=0o700, exist_ok=True)
    except OSError as error:
        raise ClientError(
            f"cannot keep the database in {database}: {error.strerror or error}. "
            "Name another with --database"
        ) from error
