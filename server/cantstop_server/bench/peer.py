"""A client that costs its process as little as can be, so that the server is what is measured.

It speaks WebSocket by hand: masks of zeros, frames that are whole, nothing that a benchmark's
server does not send.
"""

import asyncio
from collections.abc import Callable
from typing import Final, cast

import msgpack
from msgspec import Struct
from msgspec.msgpack import Decoder

from cantstop_protocol.limits import SUBPROTOCOL

_HANDSHAKE: Final = (
    "GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: {protocol}\r\n\r\n"
)
_BINARY, _CLOSE, _PING, _PONG = 2, 8, 9, 10


class Turn(Struct):
    """What of a turn decides the next move."""

    seat: int
    ply: int
    decision: str
    busting_rolls: int
    rule_of_28: int


class Table(Struct):
    """What of a table does."""

    room: str
    turn: Turn | None


class Event(Struct):
    """What happened."""

    type: str


class Heard(Struct):
    """A message of the server, as far as it matters here."""

    type: str
    re: int | None = None
    message: str = ""
    event: Event | None = None
    table: Table | None = None
    seat: int | None = None
    rooms: tuple[str, ...] = ()


decode: Final = Decoder(Heard).decode


class Peer(asyncio.Protocol):
    """One connection. ``on_message`` gets each message as it comes."""

    __slots__ = ("_buffer", "_opened", "_path", "_transport", "on_message")

    def __init__(self, path: str) -> None:
        self.on_message: Callable[[bytes], None] = lambda message: None
        self._buffer = b""
        self._opened: asyncio.Future[None] | None = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None
        self._path = path

    @classmethod
    async def open(cls, port: int, path: str = "") -> "Peer":
        """Connect. Raises ``OSError``, and ``ConnectionError`` when the server does not agree."""
        loop = asyncio.get_running_loop()
        _, peer = await loop.create_connection(lambda: cls(path), "127.0.0.1", port)
        assert peer._opened is not None
        await peer._opened
        peer._opened = None
        return peer

    def send(self, message: bytes) -> None:
        """Send a message of fewer than 126 bytes."""
        self._write(_BINARY, message)

    async def ask(self, command: dict[str, object]) -> Heard:
        """Send a command and give its reply. Raises ``RuntimeError`` if it is refused."""
        answered: asyncio.Future[Heard] = asyncio.get_running_loop().create_future()

        def listen(message: bytes) -> None:
            heard = decode(message)
            if heard.re == command["id"] and not answered.done():
                answered.set_result(heard)

        self.on_message = listen
        self.send(pack(command))
        heard = await answered
        if heard.type == "error":
            raise RuntimeError(f"the server refused {command['type']}: {heard.message}")
        return heard

    def abort(self) -> None:
        """Break the connection off."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(_HANDSHAKE.format(path=self._path, protocol=SUBPROTOCOL).encode())

    def connection_lost(self, exc: Exception | None) -> None:
        if self._opened is not None and not self._opened.done():
            self._opened.set_exception(ConnectionError("the server has hung up"))

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer + data if self._buffer else data
        if self._opened is not None and not self._opened.done():
            head, end, buffer = buffer.partition(b"\r\n\r\n")
            if not end:
                self._buffer = head
                return
            if b" 101 " not in head.partition(b"\r\n")[0]:
                self._opened.set_exception(ConnectionError(head.decode("latin-1")))
                return
            self._opened.set_result(None)
        start, end_of_data = 0, len(buffer)
        while end_of_data - start >= 2:
            size, payload = buffer[start + 1], start + 2
            if size == 126:
                payload += 2
                size = int.from_bytes(buffer[start + 2 : payload])
            elif size == 127:
                payload += 8
                size = int.from_bytes(buffer[start + 2 : payload])
            if payload + size > end_of_data:
                break
            kind = buffer[start] & 15
            if kind == _BINARY:
                self.on_message(buffer[payload : payload + size])
            elif kind == _PING:
                self._write(_PONG, buffer[payload : payload + size])
            start = payload + size
        self._buffer = buffer[start:]

    def _write(self, kind: int, payload: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            head = bytes((0x80 | kind, 0x80 | len(payload), 0, 0, 0, 0))
            self._transport.write(head + payload)


def pack(command: dict[str, object]) -> bytes:
    """A command as the server takes it."""
    return cast("bytes", msgpack.packb(command))
