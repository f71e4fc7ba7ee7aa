"""A proxy between clients and a server on which everything happens that happens on networks.

Every connection gets a fate: after so many bytes it is cut, half-closed or stalled; on the way it
may be slow and come in crumbs. What a stalled connection had on its way may arrive long after its
client has given it up; with "late" that is what the client said first.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random

FATES = (
    "refused",
    "reset",
    "closed",
    "client half-closed",
    "server half-closed",
    "stalled",
    "upstream stalled",
    "downstream stalled",
    "late",
)
_BYTES = (400, 12_000, 12_000, 150_000)
"""How far a connection may get: into the opening, some moves, some games."""
_CHUNK = 4096


class BadProxy:
    """Listens on a port of its own. Chance is passed in; a stall lasts about ``stall`` seconds."""

    def __init__(self, upstream: int, random: Random, stall: float) -> None:
        self.port = 0
        self.fates: Counter[str] = Counter()
        """What has come true, how often."""
        self._upstream = upstream
        self.random = random
        self.stall = stall
        self._tasks: set[asyncio.Task[None]] = set()

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A client is there."""
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        fate = self.random.choice(FATES)
        try:
            if fate == "refused":
                self.fates[fate] += 1
                _reset(writer)
                return
            with suppress(OSError):
                up = await asyncio.open_connection("127.0.0.1", self._upstream)
                await _Connection(self, fate, (reader, writer), up).run()
        finally:
            writer.transport.abort()

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class _Connection:
    def __init__(
        self,
        proxy: BadProxy,
        fate: str,
        client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        server: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        self._proxy = proxy
        self._random = random = proxy.random
        self._fate = fate
        self._left = random.randrange(random.choice(_BYTES))
        self._heard_upstream = 0
        self._slow = random.random() * 0.02 if random.random() < 0.3 else 0.0
        self._crumbs = fate != "late" and random.random() < 0.3
        self._client = client
        self._server = server
        self._happened = False
        self._finished: set[asyncio.StreamWriter] = set()

    async def run(self) -> None:
        try:
            up = asyncio.create_task(self._forward("upstream", self._client[0], self._server[1]))
            down = asyncio.create_task(
                self._forward("downstream", self._server[0], self._client[1])
            )
            try:
                await asyncio.gather(up, down)
            finally:
                up.cancel()
                down.cancel()
        finally:
            self._server[1].transport.abort()

    async def _forward(
        self, way: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(_CHUNK):
                for piece in self._pieces(data):
                    if self._slow:
                        await asyncio.sleep(self._slow * self._random.random())
                    whole = await self._meet_fate(way, piece)
                    if writer not in self._finished:
                        writer.write(piece[:whole])
                        await writer.drain()
                    if whole < len(piece):
                        self._cut()
                        return
            self._finish(writer)

    def _pieces(self, data: bytes) -> list[bytes]:
        if not self._crumbs:
            return [data]
        middle = self._random.randrange(len(data))
        return [piece for piece in (data[:middle], data[middle:]) if piece]

    async def _meet_fate(self, way: str, piece: bytes) -> int:
        """Let the connection's fate come true in its time; how much of the piece still goes on."""
        if self._fate == "late":
            await self._be_late(way)
            return len(piece)
        self._left -= len(piece)
        if self._left > 0 or self._fate == "over":
            return len(piece)
        if not self._happened:
            self._happened = True
            self._proxy.fates[self._fate] += 1
            if self._fate == "client half-closed":
                self._finish(self._client[1])
            elif self._fate == "server half-closed":
                self._finish(self._server[1])
        match self._fate:
            case "reset" | "closed":
                return self._random.randrange(len(piece))
            case "stalled":
                await self._stand_still()
            case "upstream stalled" | "downstream stalled" if self._fate.startswith(way):
                await self._stand_still()
        return len(piece)

    async def _be_late(self, way: str) -> None:
        """The client loses the connection as soon as it has spoken; the server hears it later."""
        self._heard_upstream += way == "upstream"
        if way == "upstream" and self._heard_upstream > 1:
            self._proxy.fates[self._fate] += 1
            self._fate = "over"
            _reset(self._client[1])
            await asyncio.sleep(self._proxy.stall * self._random.random() / 2)

    async def _stand_still(self) -> None:
        """For a while; half of the times what was under way arrives after all."""
        await asyncio.sleep(self._proxy.stall * (0.5 + self._random.random()))
        if self._random.random() < 0.5:
            raise ConnectionResetError
        self._fate = "over"

    def _finish(self, writer: asyncio.StreamWriter) -> None:
        """Send FIN; what was to follow is lost, the other direction lives on."""
        if writer not in self._finished and writer.can_write_eof():
            self._finished.add(writer)
            writer.write_eof()

    def _cut(self) -> None:
        for writer in (self._client[1], self._server[1]):
            if self._fate == "reset":
                _reset(writer)
            else:
                writer.close()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST instead of FIN: what is under way is lost on both sides."""
    sock = writer.get_extra_info("socket")
    with suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@asynccontextmanager
async def bad_proxy(upstream: int, random: Random, *, stall: float) -> AsyncIterator[BadProxy]:
    """A proxy to a port of this machine, whose stalls last about so many seconds."""
    proxy = BadProxy(upstream, random, stall)
    server = await asyncio.start_server(proxy.connected, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.end()
