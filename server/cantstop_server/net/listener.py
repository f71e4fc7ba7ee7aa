"""A listening port, and the WebSockets that have come in through it."""

import asyncio
import socket
import ssl
from collections.abc import Sequence

from cantstop_server.net.websocket import READ_BYTES, Manners, WebSocket


class Listener:
    """Listens from ``open`` to ``close``; its WebSockets end by themselves or are closed."""

    def __init__(self, manners: Manners) -> None:
        self._manners = manners
        self._known: set[WebSocket] = set()
        # What a read brings is dealt with before the next: one buffer does for all.
        self._buffer = memoryview(bytearray(READ_BYTES))
        self._server: asyncio.Server | None = None
        self._closing = False
        self._empty = asyncio.Event()

    @property
    def sockets(self) -> Sequence[socket.socket]:
        """Where it listens."""
        assert self._server is not None
        return self._server.sockets

    @property
    def connections(self) -> set[WebSocket]:
        """The WebSockets that are open."""
        return {websocket for websocket in self._known if websocket.is_open}

    async def open(self, bind: str, port: int, secured: ssl.SSLContext | None) -> None:
        """Begin to listen. Raises ``OSError``."""
        self._server = await asyncio.get_running_loop().create_server(
            lambda: WebSocket(self._manners, self._buffer, self),
            bind,
            port,
            ssl=secured,
            ssl_handshake_timeout=self._manners.open_timeout if secured else None,
        )

    def close(self) -> None:
        """Listen no more. Whoever is not through the handshake is turned away."""
        self._closing = True
        if self._server is not None:
            self._server.close()
        for websocket in tuple(self._known):
            if websocket.is_knocking:
                websocket.transport.abort()

    async def wait_closed(self) -> None:
        """Wait until every WebSocket is gone."""
        if self._known:
            self._empty.clear()
            await self._empty.wait()

    def arrived(self, websocket: WebSocket) -> None:
        self._known.add(websocket)
        if self._closing:
            websocket.transport.abort()

    def left(self, websocket: WebSocket) -> None:
        self._known.discard(websocket)
        if not self._known:
            self._empty.set()
