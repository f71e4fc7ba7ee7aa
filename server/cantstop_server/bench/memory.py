"""What an idle connection and an idle room of four take, beside a bare server's connections."""

from typing import Final

from cantstop_server.bench.child import child
from cantstop_server.bench.load import Load
from cantstop_server.bench.rate import Line, line
from cantstop_server.loop import LOOPS

SEATS: Final = 4


async def run_memory_bench(rooms: int, rounds: int) -> list[Line]:
    """Measure in turn. Raises ``ValueError`` for fewer than one room or round."""
    if rooms < 1 or rounds < 1:
        raise ValueError(f"a benchmark has at least 1 room and 1 round, not {rooms} and {rounds}")
    connection, room, floor = [], [], []
    for _ in range(rounds):
        connection.append(await _kibibytes("connections", rooms))
        room.append(await _kibibytes("rooms", rooms))
        floor.append(await _kibibytes("floor", rooms))
    bare = [kibibytes / SEATS for kibibytes in floor]
    return [
        line("an idle connection", "KiB", [kib / SEATS for kib in connection], bare),
        line("an idle room of four", "KiB", room, floor),
    ]


async def _kibibytes(what: str, rooms: int) -> float:
    """What each room of four has added to the process."""
    load = Load()
    module, *more = ("floor", "600") if what == "floor" else ("serve",)
    async with child(module, LOOPS[0], *more) as process:
        # What is made once is there before it is looked at.
        await (load.open_floor if what == "floor" else load.open_rooms)(process.port, 2, SEATS)
        load.close()
        load = Load()
        empty = await process.usage()
        match what:
            case "floor":
                await load.open_floor(process.port, rooms, SEATS)
            case "rooms":
                await load.open_rooms(process.port, rooms, SEATS)
            case _:
                await load.open_connections(process.port, rooms * SEATS)
        full = await process.usage()
        load.close()
    return (full.resident - empty.resident) / rooms / 1024
