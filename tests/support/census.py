"""What a server in this process holds at the moment, and what the process itself takes."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import NamedTuple

from cantstop_server.net.server import Server

SECONDS = 60
"""How long things may take to come to an end; far above what is ever needed."""


class Census(NamedTuple):
    """Counts of what must not pile up."""

    connections: int
    rooms: int
    tasks: int
    timers: int


def census(server: Server) -> Census:
    """What there is now. ``timers`` are those of rooms, and of whatever else calls later."""
    scheduled = getattr(asyncio.get_running_loop(), "_scheduled", ())
    return Census(
        connections=len(server._connections),
        rooms=len(server._hub._rooms),
        tasks=len(asyncio.all_tasks()),
        timers=sum(not timer.cancelled() for timer in scheduled),
    )


async def back_to(server: Server, before: Census) -> Census:
    """Wait until there is no more than before; what there is in the end, even if it is not."""
    try:
        async with asyncio.timeout(SECONDS):
            while not all(now <= then for now, then in zip(census(server), before, strict=True)):
                await asyncio.sleep(0.01)
    except TimeoutError:
        pass
    return census(server)


def resident() -> float:
    """The memory of this process in MB, what nobody refers to any more excluded."""
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return next(
        int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")
    )
