"""A server in a process of its own that can be killed and started again at the same place."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path
from random import Random
from typing import Any

SECONDS = 60
"""How long a start may take before the test fails; far above what is ever needed."""

_SERVE = """
import asyncio, json, sys
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.net.server import Server

async def main():
    config = ServerConfig(
        database=sys.argv[1], port=int(sys.argv[2]), bot_delay=0.0,
        limits=Limits(**json.loads(sys.argv[3])),
    )
    async with Server(config):
        print("listening", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


class MortalServer:
    """Starts on the same port and database each time. What it says of trouble is in ``log``."""

    def __init__(self, database: Path, port: int, **limits: Any) -> None:
        self.port = port
        self._log_file = database.with_suffix(".log")
        self._command = [sys.executable, "-c", _SERVE]
        self._command += [str(database), str(port), json.dumps(limits)]
        self._process: asyncio.subprocess.Process | None = None

    @property
    def log(self) -> str:
        return self._log_file.read_text()

    async def start(self, *, wait: bool = True) -> None:
        """Start, and wait until it listens if asked to."""
        assert self._process is None
        with self._log_file.open("a") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        if wait:
            await self.listening()

    async def listening(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        async with asyncio.timeout(SECONDS):
            line = await self._process.stdout.readline()
        assert line == b"listening\n", f"the server did not start: {self.log}"

    async def kill(self) -> None:
        """SIGKILL: nothing of it gets to run any more. Harmless when it does not run."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.returncode is None, f"it died by itself: {self.log}"
        process.kill()
        await process.communicate()


def quiet_port(random: Random) -> int:
    """A free port that the system gives to nobody by itself.

    With one of those, a client that asks for it while no server is there could be given it as its
    own end of the connection, and would hold it against the server.
    """
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
