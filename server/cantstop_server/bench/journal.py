"""What durability costs: how many moves a second become durable, and how long one takes alone."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from cantstop_server.bench.codec import rolled_room
from cantstop_server.bench.rate import Line, line
from cantstop_server.rooms.owner import MOST_MOVES
from cantstop_server.rooms.state import dump
from cantstop_server.storage.errors import StorageError
from cantstop_server.storage.journal import RoomWrite
from cantstop_server.storage.store import Store

_EVENTS: Final = bytes(MOST_MOVES * 70)
_MOVE: Final = bytes(100)


async def run_journal_bench(rooms: int, seconds: float, rounds: int) -> list[Line]:
    """Measure in turn with SQLite's own driver. Raises ``ValueError`` for what cannot be."""
    if rooms < 1 or rounds < 1 or seconds <= 0:
        raise ValueError("a benchmark has at least 1 room, 1 round and a time above 0")
    state = dump(rolled_room()[1])
    many, alone, p99, bare, bare_alone = [], [], [], [], []
    for _ in range(rounds):
        with TemporaryDirectory() as folder:
            store = await Store.open(str(Path(folder) / "journal.db"))
            try:
                many.append(len(await _write(store, state, rooms, seconds)) / seconds)
                times = await _write(store, state, 1, seconds)
            finally:
                await store.close()
            alone.append(1000 * _percentile(times, 50))
            p99.append(1000 * _percentile(times, 99))
            file = Path(folder) / "floor.db"
            bare.append(len(await asyncio.to_thread(_write_bare, file, rooms, seconds)))
            times = await asyncio.to_thread(_write_bare, file, 1, seconds)
            bare_alone.append(1000 * _percentile(times, 50))
    bare_rate = [count * rooms / seconds for count in bare]
    return [
        line(f"writes of {rooms} rooms", "a second", many, bare_rate),
        line("a write on its own, p50", "ms", alone, bare_alone),
        line("a write on its own, p99", "ms", p99),
    ]


async def _write(store: Store, state: bytes, rooms: int, seconds: float) -> list[float]:
    """Each room writes again as soon as it has heard of its last: how long each took, seconds."""
    times: list[float] = []
    end = perf_counter() + seconds
    ended = asyncio.get_running_loop().create_future()
    writing = rooms

    def write(room: str, seq: int) -> None:
        began = perf_counter()

        def done(error: StorageError | None) -> None:
            nonlocal writing
            if error is None and perf_counter() < end:
                times.append(perf_counter() - began)
                write(room, seq + 1)
                return
            writing -= 1
            if not writing:
                ended.set_result(error)

        if seq % MOST_MOVES:
            written = RoomWrite("bench", room, None, (), 0, None, done, seq, _MOVE)
        else:
            written = RoomWrite("bench", room, state, ((seq, _EVENTS),), 0, None, done, seq)
        store.journal.append(written)

    for number in range(rooms):
        write(f"{rooms}-{number}", number)
    failure = await ended
    if failure is not None:
        raise failure
    return times


def _write_bare(file: Path, rooms: int, seconds: float) -> list[float]:
    """The floor: moves alone, by ``executemany`` on this thread, a transaction for each round of
    the rooms: how long each transaction took, in seconds."""
    times: list[float] = []
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        execute: Callable[[str], object] = connection.execute
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = NORMAL")
        execute("CREATE TABLE IF NOT EXISTS moves (id INTEGER PRIMARY KEY, room, move)")
        end = perf_counter() + seconds
        rows = [(f"{rooms}-{number}", _MOVE) for number in range(rooms)]
        while (began := perf_counter()) < end:
            execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO moves (room, move) VALUES (?, ?)", rows)
            execute("COMMIT")
            times.append(perf_counter() - began)
    return times


def _percentile(times: list[float], number: int) -> float:
    return quantiles(times, n=100)[number - 1] if len(times) > 1 else sum(times)
