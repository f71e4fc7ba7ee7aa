"""The server in this process, and its database. The only file that imports ``cantstop_server``.

Everything is imported where it is used: joining somebody else's table loads none of it.
"""

import json
import os
import secrets
import sys
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cantstop_client.address import Address, parse_address
from cantstop_client.announce import Hosted
from cantstop_client.errors import ClientError
from cantstop_client.gate import printable
from cantstop_client.paths import at_home, database_file, default_database
from cantstop_client.replay.story import Story, make_story
from cantstop_client.replay.telling import Notes, notes_of
from cantstop_client.writing import file_lines
from cantstop_protocol.commands import ListGames
from cantstop_protocol.past import GameSummary
from cantstop_protocol.standings import PlayerStats, Rated, SolitaireBest
from cantstop_protocol.text import visible

if TYPE_CHECKING:
    from cantstop_server.net.server import Server
    from cantstop_server.storage.store import Store
    from cantstop_server.storage.types import ArchivedGame as ArchivedGame
    from cantstop_server.storage.types import PlayerRecord as PlayerRecord
    from cantstop_server.verify import GameVerdict as GameVerdict

T = TypeVar("T")

_WORST = 10
"""How many of the costliest decisions the review in a replay lists."""

_PLOT_WIDTH = 50
"""Cells of its plot, which shall fit the narrowest full screen."""


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


async def games(
    database: str, fields: Mapping[str, Any], limit: int, after: str | None
) -> tuple[tuple[GameSummary, ...], bool]:
    """A page of history, and whether there is more; nothing if there is no database yet.

    ``fields`` are those of a ``ListGames`` that filter; ``after`` is a game's cursor.
    """
    from cantstop_server import lookback

    asked = ListGames(id=1, **fields, limit=max(0, limit), after=after)

    async def ask(store: "Store") -> tuple[tuple[GameSummary, ...], bool]:
        page = await store.history_page(lookback.query_of(asked), limit=limit, after=after)
        rooms = lookback.rooms_of(await store.unfinished())
        return lookback.listed(page, rooms, asked), page.next is not None

    return await _read(database, ask, ((), False))


async def records(database: str, name: str | None) -> "list[PlayerRecord]":
    """The records of everybody, or of one name; none if there is no database yet."""
    return await _read(database, lambda store: store.records(name), [])


async def stats(database: str, name: str) -> "list[tuple[PlayerRecord, PlayerStats]]":
    """All about the players of this name; none if there is no database yet."""

    async def ask(store: "Store") -> "list[tuple[PlayerRecord, PlayerStats]]":
        records = {record.bot: record for record in await store.records(name)}
        return [(records[player.bot], player) for player in await store.stats(name)]

    return await _read(database, ask, [])


async def leaders(
    database: str, limit: int
) -> "tuple[tuple[Rated, ...], tuple[SolitaireBest, ...]]":
    """The best rated players and the best solitaire scores, at most so many of each."""
    none: tuple[tuple[Rated, ...], tuple[SolitaireBest, ...]] = ((), ())
    return await _read(database, lambda store: store.leaders(limit=limit), none)


async def rename_player(database: str, old: str, new: str) -> str:
    """Give a person another name: the name as it is shown."""
    from cantstop_server.identities import rename

    with _in_our_words():
        return await rename(database, old, new)


async def merge_players(database: str, source: str, into: str) -> None:
    """Make one person of two."""
    from cantstop_server.identities import merge

    with _in_our_words():
        await merge(database, source, into)


def has_database(database: str) -> bool:
    """Whether there is something to read. A database that is no file is taken to be there."""
    path = database_file(database)
    try:
        return path is None or path.exists()
    except OSError:
        # It cannot be looked at: opening it says why.
        return True


def database_name(database: str) -> str:
    """What people may see of it: a URL without its password."""
    from cantstop_server.storage.connect import shown

    return shown(database)


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


def strength(file: str, games: int, seed: int, as_json: bool) -> Iterator[str]:
    """What a network is worth against each of the published players, a line for each."""
    _need_compiler()
    from cantstop_server.arena.contender import read_network
    from cantstop_server.train.measure import measure, strength_as_dict, strength_line
    from cantstop_server.train.opponents import OPPONENTS

    try:
        network = read_network(Path(file))
    except ValueError as error:
        raise ClientError(str(error)) from error
    if network.seats != 2:
        raise ClientError(f"{file} is for solitaire: only networks for two seats are measured")
    for opponent in OPPONENTS:
        found = measure(network, opponent, games, seed)
        yield json.dumps(strength_as_dict(file, found)) if as_json else strength_line(file, found)


def bench_thinking(games: int, rooms: int, moves: int, seed: int) -> tuple[str, dict[str, Any]]:
    """What the strong player costs: a report for people, and the same as plain values."""
    from cantstop_server.bench.thinking import format_thinking, run_thinking_bench

    try:
        result = run_thinking_bench(games, rooms, moves, seed)
    except ValueError as error:
        raise ClientError(str(error)) from error
    return format_thinking(result), result.as_dict()


def review(
    database: str, game: str, worst: int, progress: Callable[[int, int], None] | None
) -> tuple[list[str], dict[str, Any]]:
    """Review a game by the beginning of its identifier, or the newest: text, and plain values."""
    import asyncio

    archived = asyncio.run(_one_game(database, game))
    from cantstop_server.coach.report import review_as_dict, review_lines
    from cantstop_server.coach.review import review as review_course
    from cantstop_server.players.expert.library import solve

    reviewed = review_course(archived.setup, archived.course, solve, progress)
    names = [seat.name for seat in archived.seats]
    values = {"id": archived.id, **review_as_dict(reviewed, names)}
    return review_lines(reviewed, [visible(name) for name in names], worst), values


async def export(
    database: str,
    game: str | None,
    write: Callable[[str], None],
    *,
    jsonl: bool,
    progress: Callable[[int, int], None] | None,
) -> list[str]:
    """Write a game by the beginning of its identifier, or with None all: what could not be."""
    from cantstop_server.record import exchange

    if game is not None:
        return exchange.export_game(await _one_game(database, game), write, jsonl=jsonl).failed
    if not has_database(database):
        raise ClientError(f"there is no database {database}: there is nothing to export")

    async def ask(store: "Store") -> list[str]:
        return (await exchange.export_database(store, write, jsonl=jsonl, progress=progress)).failed

    return await _read(database, ask, [])


def import_files(
    database: str, names: Iterable[str], progress: Callable[[int, int], None] | None
) -> list[str]:
    """Take in all games of these files, or none: what to say of it."""
    import asyncio

    from cantstop_server.record.exchange import LONGEST_LINE, Import
    from cantstop_server.storage.store import Store

    async def write(imported: Import) -> list[str]:
        store = await Store.open(database, exclusive=imported.needs_all)
        try:
            return (await imported.write(store, progress)).lines()
        finally:
            await store.close()

    with _in_our_words(), Import() as imported:
        # Outside of any loop, whose Ctrl-C would wait for the last line.
        for name in names:
            imported.add(name, file_lines(name, LONGEST_LINE))
        _make_directory(database)
        return asyncio.run(write(imported))


async def past_game(game: str, database: str | None) -> "ArchivedGame":
    """A game of a file or of standard input, ``-``; or of a database, by the beginning of its
    identifier, or the newest. Naming the database says that the game is in it."""
    if game != "-" and (database is not None or not _is_file(game)):
        return await _one_game(database or str(default_database()), game)
    from cantstop_server.record.exchange import LONGEST_LINE, read_game

    with _in_our_words():
        return read_game(game, file_lines(game, LONGEST_LINE))


def story_of(game: "ArchivedGame") -> Story:
    """The game's steps, to be shown."""
    from cantstop_server.record.letters import time_text
    from cantstop_server.rooms.replay import game_steps
    from cantstop_server.rules.errors import RulesError

    try:
        steps = game_steps(game)
    except RulesError as error:
        raise ClientError(f"game {game.id} cannot be replayed: {error}") from error
    return make_story(game.id, time_text(game.started_at), steps)


def review_notes(game: "ArchivedGame", progress: Callable[[int, int], None]) -> Notes:
    """What a review of the game says of each action, and of the whole. Takes seconds."""
    from cantstop_server.coach.report import action_lines, review_lines
    from cantstop_server.coach.review import review as review_course
    from cantstop_server.players.expert.library import solve

    reviewed = review_course(game.setup, game.course, solve, progress)
    names = [visible(seat.name) for seat in game.seats]
    lines = action_lines(reviewed, game.course, names)
    return notes_of(lines, review_lines(reviewed, names, _WORST, _PLOT_WIDTH))


async def verify(game: str, database: str | None) -> "GameVerdict":
    """The verdict on the dice of a game, found as by ``past_game``."""
    archived = await past_game(game, database)
    from cantstop_server.verify import verify_game

    return verify_game(archived)


def dice_test(rolls: int) -> tuple[str, dict[str, Any]]:
    """Many rolls compared with chance: a report for people, and plain values."""
    from cantstop_server.dice_test import format_dice_test, run_dice_test

    try:
        result = run_dice_test(rolls)
    except ValueError as error:
        raise ClientError(f"--rolls: {error}") from error
    return format_dice_test(result), result.as_dict()


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


def _need_compiler() -> None:
    from importlib.util import find_spec

    if find_spec("numba") is None:
        raise ClientError("training needs a compiler: pip install numba")


def train(
    folder: str,
    games: int,
    seats: int,
    targets: tuple[int, ...],
    opponents: tuple[str, ...],
    start: str | None,
    rate: float,
    seed: int,
    tell: Callable[[str], None],
) -> str:
    """Train a network by play: the path of the file it is in."""
    _need_compiler()
    from cantstop_server.rules.errors import InvalidSetup
    from cantstop_server.rules.setup import make_setup
    from cantstop_server.train.trainer import BadPlan, Plan, train

    if seats not in (1, 2):
        raise ClientError(f"networks are for 1 or 2 seats, not {seats}: 2 serve for more, too")
    try:
        for target in targets:
            make_setup(seats, target)
    except InvalidSetup as error:
        raise ClientError(str(error)) from error
    plan = Plan(
        games=games, seats=seats, targets=targets, opponents=opponents, start=start, rate=rate,
        seed=seed,
    )  # fmt: skip
    try:
        return str(train(plan, Path(folder), tell))
    except BadPlan as error:
        raise ClientError(str(error)) from error
    except OSError as error:
        raise ClientError(f"cannot write to {folder}: {error.strerror or error}") from error


async def check_database(
    database: str, progress: Callable[[int, int], None] | None
) -> tuple[int, tuple[str, ...]]:
    """How many games were replayed, and what is wrong, a line each."""
    from cantstop_server.storage.store import Store

    with _in_our_words():
        store = await Store.open(database)
        try:
            _tell_upgrade(store, database)
            found = await store.examine(progress)
        finally:
            await store.close()
    return found.games, found.faults


async def backup_database(database: str, target: str) -> tuple[str, int]:
    """Copy a database to a new file: its path, and its size in bytes."""
    from cantstop_server.storage import care

    copy = at_home(target, "the copy")
    with _in_our_words():
        size = await care.backup(database, copy)
    return str(copy), size


async def upgrade_database(database: str, *, copy: bool) -> bool:
    """Bring a database up to date: whether there was something to do."""
    from cantstop_server.storage.store import Store

    with _in_our_words():
        store = await Store.open(database, exclusive=True, copy=copy)
        await store.close()
    _tell_upgrade(store, database)
    return store.upgrade is not None


async def vacuum_database(database: str) -> tuple[int, int]:
    """Give unused space back: the bytes before and after, 0 if nobody knows."""
    from cantstop_server.storage import care

    with _in_our_words():
        return await care.vacuum(database)


async def bench_storage(
    sizes: Sequence[int], rounds: int, seed: int, progress: Callable[[int, int], None] | None
) -> tuple[str, dict[str, Any]]:
    """How long history and records take with so many games: a report, and plain values."""
    from cantstop_server.bench.storage import format_storage, run_storage_bench

    try:
        result = await run_storage_bench(sizes, rounds, seed, progress)
    except ValueError as error:
        raise ClientError(str(error)) from error
    return format_storage(result), result.as_dict()


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
            _tell_upgrade(store, database)
            return await ask(store)
        finally:
            await store.close()


def _tell_upgrade(store: "Store", database: str) -> None:
    """One line on standard error, apart from what was asked for."""
    done = store.upgrade
    if done is not None and sys.stderr is not None:
        what = f"The database {database_name(database)} is upgraded"
        copy = f"; as it was it is kept in {done.copy}" if done.copy else ""
        text = f"{what} from {done.before} to {done.after}{copy}"
        print(printable(text), file=sys.stderr)


async def _one_game(database: str, game: str) -> "ArchivedGame":
    """The game whose identifier begins so, or the newest. Raises ``ClientError``."""
    nothing: list[ArchivedGame] = []
    found = await _read(database, lambda store: store.find_game(game), nothing)
    if not found and not game:
        raise ClientError(
            f"there is no game in {database_name(database)}: `cantstop play` starts one"
        )
    if not found:
        raise ClientError(f"there is no game {game!r}: see `cantstop history`")
    if len(found) > 1:
        raise ClientError(f"several games begin with {game!r}: give more of the identifier")
    return found[0]


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


def _is_file(name: str) -> bool:
    """Whether a file is meant: one is there, or it could be nothing else."""
    return bool(name) and (Path(name).is_file() or os.sep in name or "." in name)


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
