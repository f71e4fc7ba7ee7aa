"""How long after ``kill -9`` the rooms of a server are playable again."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from cantstop_server.bench.child import child
from cantstop_server.bench.load import Load
from cantstop_server.bench.rate import Line, line
from cantstop_server.loop import LOOPS

SEATS: Final = 2
_PLAYED: Final = 2.0
_PATIENCE: Final = 120.0


async def run_resume_bench(rooms: int, rounds: int) -> list[Line]:
    """Play, kill, start again. Raises ``ValueError`` for fewer than one room or round."""
    if rooms < 1 or rounds < 1:
        raise ValueError(f"a benchmark has at least 1 room and 1 round, not {rooms} and {rounds}")
    ready, bare, back, answered = [], [], [], []
    for _ in range(rounds):
        with TemporaryDirectory() as folder:
            database = str(Path(folder) / "resume.db")
            await _play_and_kill(database, rooms)
            began = perf_counter()
            async with child("serve", LOOPS[0], database) as process:
                ready.append(perf_counter() - began)
                load = Load()
                await load.return_to_rooms(process.port, rooms, SEATS)
                back.append(perf_counter() - began)
                async with asyncio.timeout(_PATIENCE):
                    await load.first_moves(rooms)
                answered.append(perf_counter() - began)
                load.close()
        began = perf_counter()
        async with child("floor", LOOPS[0], "600"):
            bare.append(perf_counter() - began)
    return [
        line(f"{rooms} rooms: server ready", "s", ready, bare),
        line("everybody back in their rooms", "s", back),
        line("first move of each room known", "s", answered),
    ]


async def _play_and_kill(database: str, rooms: int) -> None:
    async with child("serve", LOOPS[0], database) as process:
        load = Load()
        await load.open_rooms(process.port, rooms, SEATS)
        load.start()
        await asyncio.sleep(_PLAYED)
        process.process.kill()
        await process.process.wait()
        load.close()
