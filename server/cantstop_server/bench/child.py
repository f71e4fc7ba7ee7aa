"""A process that is measured from outside: it says its port, and on request what it has used."""

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

_LAG_INTERVAL: Final = 0.05


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process has used so far: CPU in seconds, resident memory in bytes.

    ``lag`` is how late, in seconds, the loop has been at most since it was last asked.
    """

    cpu: float
    resident: int
    lag: float


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
        cpu, resident, lag = (await self.process.stdout.readline()).split()
        return Usage(float(cpu), int(resident), float(lag))


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
        with suppress(ConnectionError):
            process.stdin.close()
        await process.wait()


async def answer_until_closed(port: int) -> None:
    """The child's side: say the port, then answer each line until there are no more."""
    print(port, flush=True)
    loop = asyncio.get_running_loop()
    lag = _Lag(loop)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(time.process_time(), _resident(), lag.highest(), flush=True)


class _Lag:
    """How late the loop comes to what is due."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._highest = 0.0
        self._wait()

    def highest(self) -> float:
        """The highest since this was last asked, in seconds."""
        highest, self._highest = self._highest, 0.0
        return highest

    def _wait(self) -> None:
        due = self._loop.time() + _LAG_INTERVAL
        self._loop.call_at(due, self._look, due)

    def _look(self, due: float) -> None:
        self._highest = max(self._highest, self._loop.time() - due)
        self._wait()


def _resident() -> int:
    """Resident memory in bytes, 0 where the system does not tell."""
    if not os.path.exists("/proc/self/statm"):
        return 0
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
