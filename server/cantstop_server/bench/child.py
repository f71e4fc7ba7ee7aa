"""A process that is measured from outside: it says its port, and on request what it has used."""

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process has used so far: CPU in seconds, resident memory in bytes."""

    cpu: float
    resident: int


class Child:
    """A running child, seen by who measures it."""

    def __init__(self, process: Process, port: int) -> None:
        self.port = port
        self.process = process

    async def usage(self) -> Usage:
        """What it has used so far."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"usage\n")
        cpu, resident = (await self.process.stdout.readline()).split()
        return Usage(float(cpu), int(resident))


@asynccontextmanager
async def child(module: str, *arguments: str) -> AsyncIterator[Child]:
    """Run a module of this package in a process of its own until the context ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        f"cantstop_server.bench.{module}",
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield Child(process, int(await process.stdout.readline()))
    finally:
        process.stdin.close()
        await process.wait()


async def answer_until_closed(port: int) -> None:
    """The child's side: say the port, then answer each line until there are no more."""
    print(port, flush=True)
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(time.process_time(), _resident(), flush=True)


def _resident() -> int:
    """Resident memory in bytes, 0 where the system does not tell."""
    if not os.path.exists("/proc/self/statm"):
        return 0
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
