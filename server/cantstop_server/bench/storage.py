"""Whether history and records stay as quick as they are while games become many.

One file grows from each number of games to the next, and a copy of each is kept. Then each
question is asked of all of them in turn, round by round. What matters is not how fast this machine
is but the ratios to the smallest number, within a round: whatever slows the machine slows all.
"""

import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, Final

from sqlalchemy import Connection

from cantstop_server.players.registry import make_player
from cantstop_server.rules.course import Action, Choose, Roll, Stop, apply, notation
from cantstop_server.rules.game import Game, Phase, new_game, score
from cantstop_server.rules.setup import Setup, make_setup
from cantstop_server.simulate import seeded_dice
from cantstop_server.storage import archive, players, recount, standings
from cantstop_server.storage.connect import connect
from cantstop_server.storage.history import HistoryQuery
from cantstop_server.storage.store import Store
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat

_PEOPLE: Final = 40
_KINDS: Final = ("keller", "random", "cautious")
_REGULARS: Final = 0.4
"""In this share of the games p1 and p2 sit at one table."""
_COURSES: Final = 40
"""So many different games are played; the others repeat their courses with other people."""
_CHUNK: Final = 500
_BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)

Progress = Callable[[int, int], None]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class StorageBench:
    """What a benchmark found, by question and number of games.

    ``milliseconds`` are medians over the rounds; so are ``ratios``, of the time in a round to that
    with the fewest games.
    """

    seed: int
    rounds: int
    games: tuple[int, ...]
    milliseconds: dict[str, tuple[float, ...]]
    ratios: dict[str, tuple[float, ...]]

    def as_dict(self) -> dict[str, object]:
        """The same as plain values that JSON can hold."""
        return asdict(self)


async def run_storage_bench(
    sizes: Sequence[int],
    rounds: int,
    seed: int,
    progress: Progress | None = None,
    *,
    clock: Clock = perf_counter,
) -> StorageBench:
    """Ask with each of these numbers of games; ``clock`` gives seconds.

    Raises ``ValueError`` for numbers that do not rise, and fewer than one game or round.
    """
    if not sizes or sizes[0] < 1 or rounds < 1 or sorted(set(sizes)) != list(sizes):
        raise ValueError("a benchmark has at least 1 game and 1 round, and numbers that rise")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{size}.db" for size in sizes]
        await _make(files, sizes, generated_games(seed), progress)
        stores = [await Store.open(str(file)) for file in files]
        try:
            asked = [_questions(store, size) for store, size in zip(stores, sizes, strict=True)]
            times = {
                questions[0][0]: [
                    [await _time(ask, clock) for _, ask in questions] for _ in range(rounds + 1)
                ][1:]  # What is read for the first time is not what is measured.
                for questions in zip(*asked, strict=True)
            }
        finally:
            for store in stores:
                await store.close()
    return StorageBench(
        seed=seed,
        rounds=rounds,
        games=tuple(sizes),
        milliseconds={
            what: tuple(1000 * median(column) for column in zip(*table, strict=True))
            for what, table in times.items()
        },
        ratios={what: _ratios(table) for what, table in times.items()},
    )


def format_storage(result: StorageBench) -> str:
    """The result as a short table for people."""
    heads = "".join(f"{size:>11,}" for size in result.games)
    lines = [
        f"Milliseconds for a page of 20 games or a record, median of {result.rounds}, and how many"
        " times the first",
        "",
        f"{'with so many games':<32}{heads}",
    ]
    for what, times in result.milliseconds.items():
        ratios = " ".join(f"{ratio:.2f}" for ratio in result.ratios[what][1:])
        lines.append(f"{what:<32}{''.join(f'{time:>11.2f}' for time in times)}   x {ratios}")
    return "\n".join(lines)


def generated_games(seed: int) -> Iterator[Callable[[Sequence[int]], ArchivedGame]]:
    """Games without end, each as a function of the numbers of people p0, p1, … who may play it.

    Every one replays by the rules; they end a minute after each other.
    """
    random = Random(seed)
    played = [_play(random, seed + number) for number in range(_COURSES)]
    number = 0
    while True:
        game, course = random.choice(played)
        people = random.sample(range(_PEOPLE), game.setup.seats)
        if random.random() < _REGULARS:
            # Two who often meet, so that there are pages of them with a thousand games.
            others = [person for person in people if person not in (1, 2)]
            people = [1, 2, *others][: game.setup.seats]
        kinds = [random.choice(_KINDS) if random.random() < 0.3 else None for _ in people]
        yield partial(_game, number, game, course, people, kinds)
        number += 1


def add_games(
    connection: Connection,
    made: Iterator[Callable[[Sequence[int]], ArchivedGame]],
    count: int,
) -> None:
    """Archive so many of the games; they are still to be counted."""
    people = [
        players.identify(connection, f"p{n}", f"p{n}", b"token", _BEGIN).player
        for n in range(_PEOPLE)
    ]
    standings.note(connection, None)
    for _ in range(count):
        archive.add(connection, next(made)(people))


async def _make(
    files: Sequence[Path],
    sizes: Sequence[int],
    made: Iterator[Callable[[Sequence[int]], ArchivedGame]],
    progress: Progress | None,
) -> None:
    """The files with so many games each: one grows, and is copied on the way."""
    growing = files[0].with_name("growing.db")
    await (await Store.open(str(growing))).close()
    database = connect(str(growing), exclusive=False, busy_timeout=5.0)
    done = 0
    try:
        for file, size in zip(files, sizes, strict=True):
            while done < size:
                count = min(_CHUNK, size - done)
                await database.write(partial(add_games, made=made, count=count))
                done += count
                if progress is not None:
                    progress(done, sizes[-1])
            await database.write(recount.settle)
            await database.backup(file)
    finally:
        await database.close()


def _questions(store: Store, games: int) -> list[tuple[str, Callable[[], Awaitable[object]]]]:
    middle = _BEGIN + timedelta(minutes=games // 2)

    def page(**fields: Any) -> Callable[[], Awaitable[object]]:
        return partial(store.history_page, HistoryQuery(**fields))

    return [
        ("history", page()),
        ("history, from the middle", page(until=middle)),
        ("of a player", page(player="p1")),
        ("of a player, lost", page(player="p1", result="lost")),
        ("of two players", page(player="p1", opponent="p2")),
        ("with a kind, abandoned", page(kind="keller", result="abandoned")),
        ("of a player, dead markers kept", page(player="p1", keep_dead_markers=True)),
        ("that nobody played", page(player="p1", seats=3, target=1)),
        ("a player's records", partial(store.records, "p1")),
        ("all about a player", partial(store.stats, "p1")),
        ("who leads", store.leaders),
    ]


async def _time(ask: Callable[[], Awaitable[object]], clock: Clock) -> float:
    start = clock()
    await ask()
    return clock() - start


def _ratios(table: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Of the rows' times to their first, the medians by column."""
    rows = [[time / row[0] for time in row] for row in table]
    return tuple(median(column) for column in zip(*rows, strict=True))


def _game(
    number: int,
    game: Game,
    course: str,
    people: Sequence[int],
    kinds: Sequence[str | None],
    ids: Sequence[int],
) -> ArchivedGame:
    ended = _BEGIN + timedelta(minutes=number)
    return ArchivedGame(
        id=f"made{number:08}",
        status="abandoned" if game.winner is None else "finished",
        setup=game.setup,
        course=course,
        started_at=ended - timedelta(minutes=10),
        ended_at=ended,
        winner=game.winner,
        turns=game.turn,
        seats=tuple(
            ArchivedSeat(
                kind or f"p{person}",
                None if kind else ids[person],
                kind,
                score(game, seat),
                False,
            )
            for seat, (person, kind) in enumerate(zip(people, kinds, strict=True))
        ),
    )


def _play(random: Random, seed: int) -> tuple[Game, str]:
    """A game of the cautious player against itself, its last state and its course."""
    seats = random.choice((1, 2, 2, 2, 3, 4))
    first, keep = random.randrange(seats), random.random() < 0.3
    setup: Setup = make_setup(seats, random.choice((2, 3, 3)), keep_dead_markers=keep, first=first)
    most_turns = random.choice((5, *[1000] * 6))
    player, roll, game, course = make_player("cautious"), seeded_dice(seed), new_game(setup), ""
    while game.winner is None and game.turn <= most_turns:
        action: Action
        if game.options:
            action = Choose(player.choose(game))
        elif game.phase is Phase.ROLL_OR_STOP and player.stop(game):
            action = Stop()
        else:
            action = Roll(roll())
        game, _ = apply(game, action)
        course += notation(action)
    return game, course
