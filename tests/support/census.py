"""What a server in this process holds at the moment, and what the process itself takes."""

from __future__ import annotations

import asyncio
import ctypes
import gc
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from patience import until

from cantstop_server.net.server import Server


class Census(NamedTuple):
    """Counts of what must not pile up."""

    connections: int
    rooms: int
    tasks: int
    timers: int


def census(server: Server) -> Census:
    """What there is now. ``timers`` are those of rooms."""
    scheduled = getattr(asyncio.get_running_loop(), "_scheduled", ())
    calls = [str(getattr(t._callback, "__qualname__", "")) for t in scheduled if not t.cancelled()]
    return Census(
        connections=len(server._connections),
        rooms=len(server._hub._rooms),
        tasks=len(asyncio.all_tasks()),
        timers=sum(call.startswith(("Timers.", "RoomOwner.")) for call in calls),
    )


async def back_to(server: Server, before: Census) -> Census:
    """Wait until there is no more than before; what there is in the end, even if it is not."""
    with suppress(TimeoutError):
        await until(
            lambda: all(now <= was for now, was in zip(census(server), before, strict=True))
        )
    return census(server)


def resident() -> float:
    """The memory of this process in MB, without what is free and only not given back yet."""
    gc.collect()
    with suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
    status = Path("/proc/self/status").read_text()
    return next(
        int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")
    )


def objects() -> int:
    """How many objects there are that could hold others."""
    gc.collect()
    return len(gc.get_objects())
