"""The server in this process, and its database. The only file that imports ``cantstop_server``.

Everything is imported where it is used: joining somebody else's table loads none of it.
"""

import os
import secrets
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cantstop_client.address import Address, parse_address
from cantstop_client.announce import Hosted
from cantstop_client.errors import ClientError
from cantstop_client.paths import at_home, database_file
from cantstop_protocol.text import visible

if TYPE_CHECKING:
    from cantstop_server.net.server import Server
    from cantstop_server.storage.store import Store
    from cantstop_server.storage.types import ArchivedGame as ArchivedGame
    from cantstop_server.storage.types import PlayerRecord as PlayerRecord

T = TypeVar("T")


def check_kinds(kinds: Iterable[str]) -> None:
    """Raises ``ClientError`` for a kind of computer player that does not exist."""
    from cantstop_server.players.registry import KINDS

    for kind in kinds:
        if kind not in KINDS:
            raise ClientError(f"no computer player {kind!r}: choose one of {', '.join(KINDS)}")


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


def run_server(main: Coroutine[Any, Any, T]) -> T:
    """Run a process that is a server's on the best event loop there is."""
    from cantstop_server.loop import run

    return run(main)


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


def arena(
    a: str,
    b: str,
    games: int,
    seats: int,
    target: int,
    seed: int,
    jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[str, dict[str, Any]]:
    """A match between two kinds of computer player: a report, and the same as plain values."""
    from cantstop_server.arena.match import Match, format_match, play_match
    from cantstop_server.rules.errors import InvalidSetup

    try:
        result = play_match(Match(a, b, games, seats, target, seed), jobs, progress)
    except (ValueError, InvalidSetup) as error:
        raise ClientError(str(error)) from error
    return format_match(result), result.as_dict()


def bench_thinking(games: int, rooms: int, moves: int, seed: int) -> tuple[str, dict[str, Any]]:
    """What the strong player costs: a report for people, and the same as plain values."""
    from cantstop_server.bench.thinking import format_thinking, run_thinking_bench

    try:
        result = run_thinking_bench(games, rooms, moves, seed)
    except ValueError as error:
        raise ClientError(str(error)) from error
    return format_thinking(result), result.as_dict()


async def review(
    database: str, game: str, worst: int, progress: Callable[[int, int], None] | None
) -> tuple[list[str], dict[str, Any]]:
    """Review a game by the beginning of its identifier, or the newest: text, and plain values."""
    nothing: list[ArchivedGame] = []
    found = await _read(database, lambda store: store.find_game(game), nothing)
    if not found:
        raise ClientError(f"there is no game {game!r}: see `cantstop history --json`")
    if len(found) > 1:
        raise ClientError(f"several games begin with {game!r}: give more of the identifier")
    from cantstop_server.coach.report import review_as_dict, review_lines
    from cantstop_server.coach.review import review as review_course
    from cantstop_server.players.expert.library import solve

    archived = found[0]
    reviewed = review_course(archived.setup, archived.course, solve, progress)
    names = [seat.name for seat in archived.seats]
    values = {"id": archived.id, **review_as_dict(reviewed, names)}
    return review_lines(reviewed, [visible(name) for name in names], worst), values


def odds(
    runners: dict[int, int], markers: dict[int, int], claimed: frozenset[int]
) -> tuple[list[str], dict[str, Any]]:
    """A position's odds: text, and plain values."""
    from cantstop_server.coach import odds_report
    from cantstop_server.coach.odds import BadPosition, position_odds

    try:
        found = position_odds(runners, markers, claimed)
    except BadPosition as error:
        raise ClientError(str(error)) from error
    return odds_report.position_lines(found), odds_report.position_as_dict(found)


def odds_tables(rule28: bool) -> tuple[list[str], dict[str, Any]]:
    """The tables of odds, or how the Rule of 28 compares: text, and plain values."""
    from cantstop_server.coach import odds_report

    if rule28:
        return odds_report.rule28_lines(), odds_report.rule28_as_dict()
    return odds_report.table_lines(), odds_report.tables_as_dict()


def train(
    folder: str,
    games: int,
    seats: int,
    targets: tuple[int, ...],
    seed: int,
    tell: Callable[[str], None],
) -> str:
    """Train a network by self-play: the path of the file it is in."""
    from importlib.util import find_spec

    if find_spec("numba") is None:
        raise ClientError("training needs a compiler: pip install 'cantstop[train]'")
    from cantstop_server.rules.errors import InvalidSetup
    from cantstop_server.rules.setup import make_setup
    from cantstop_server.train.trainer import Plan, train

    if seats not in (1, 2):
        raise ClientError(f"networks are for 1 or 2 seats, not {seats}: 2 serve for more, too")
    try:
        for target in targets:
            make_setup(seats, target)
    except InvalidSetup as error:
        raise ClientError(str(error)) from error
    plan = Plan(games=games, seats=seats, targets=targets, seed=seed)
    try:
        return str(train(plan, Path(folder), tell))
    except OSError as error:
        raise ClientError(f"cannot write to {folder}: {error.strerror or error}") from error


def bench_server(
    rooms: list[int], seats: int, spectators: int, rounds: int, seconds: float
) -> tuple[str, list[dict[str, Any]]]:
    """What a server carries beside its floor: a report for people, and plain values."""
    import asyncio

    from cantstop_server.bench.server import format_report
    from cantstop_server.bench.suite import Plan, compare_all

    rows = tuple((count, seats, spectators) for count in rooms)
    plan = Plan(rounds=rounds, rows=rows, seconds=seconds, games=0, rooms=0)
    results = asyncio.run(compare_all(plan))
    return format_report(results), [result.as_dict() for result in results]


def bench_part(name: str, sizes: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """One of the smaller benchmarks, by name: a report for people, and plain values."""
    import asyncio
    import inspect

    from cantstop_server.bench import codec, journal, memory, resume, startup, suite

    parts: dict[str, Callable[..., Any]] = {
        "codec": codec.run_codec_bench,
        "journal": journal.run_journal_bench,
        "memory": memory.run_memory_bench,
        "resume": resume.run_resume_bench,
        "startup": startup.run_startup_bench,
    }
    try:
        found = parts[name](**sizes)
        lines = asyncio.run(found) if inspect.iscoroutine(found) else found
    except ValueError as error:
        raise ClientError(str(error)) from error
    return suite.lines_found(lines)


def bench_everything(quick: bool, tell: Callable[[str], None]) -> dict[str, Any]:
    """All benchmarks of the server: plain values; ``tell`` gets each report when it is done."""
    from cantstop_server.bench.suite import QUICK, WHOLE, run_suite

    return run_suite(QUICK if quick else WHOLE, tell)


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
