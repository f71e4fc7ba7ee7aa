"""A WebSocket on a transport: what arrives is handled in the call that brings it.

The protocol itself (handshake, frames, the closing handshake) is the sans-I/O part of the library
``websockets``. Its connections give each peer tasks, queues and locks; none of these is needed
where handling a message never waits.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Protocol, cast

from websockets.extensions.base import ServerExtensionFactory
from websockets.frames import BINARY, CONT, PONG, TEXT, CloseCode, Frame
from websockets.http11 import Request, Response
from websockets.protocol import Event, State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from cantstop_server.net.frames import message_in

try:
    from websockets.speedups import apply_mask
except ImportError:  # no compiled part on this system
    from websockets.utils import apply_mask

log = logging.getLogger(__name__)

READ_BYTES: Final = 16 * 1024
"""How much is read at a time, and so how much can wait for a slow command to be answered."""


_BENEATH_TLS: Final = 64 * 1024
"""What may wait in the transport beneath that of TLS, which has a buffer of its own."""


class Handler(Protocol):
    """What is done with an open WebSocket."""

    def received(self, message: bytes | str) -> None:
        """A message has arrived."""

    def stalled(self) -> None:
        """The peer does not read: it is cut off."""

    def lost(self, code: int | None) -> None:
        """It is gone; with the code that its peer has closed it with."""


class House(Protocol):
    """Who knows which WebSockets there are."""

    def arrived(self, websocket: "WebSocket") -> None:
        """A transport has been made for it; the handshake is still to come."""

    def left(self, websocket: "WebSocket") -> None:
        """Its transport is gone."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How the WebSockets of a server behave. Times are in seconds, sizes in bytes.

    ``check`` may answer a request instead of the handshake; ``serve`` is called when the handshake
    is done. A peer has ``open_timeout`` for its request, and ``close_timeout`` to close when it
    is to; each ``ping_interval`` it is asked for a sign of life, and closed if none comes within
    ``ping_timeout``. One that does not read is cut off when more than ``buffered_bytes`` wait for
    it: to close it would wait for them.
    """

    check: Callable[["WebSocket", Request], Response | None]
    serve: Callable[["WebSocket"], Handler]
    subprotocol: str
    max_size: int
    open_timeout: float
    close_timeout: float
    ping_interval: float
    ping_timeout: float
    buffered_bytes: int
    extensions: Sequence[ServerExtensionFactory] = ()


class WebSocket(asyncio.BufferedProtocol):
    """The server's end of one WebSocket.

    ``buffer`` is what transports read into; all WebSockets of a loop may share it. ``is_open`` says
    whether messages may be sent.
    """

    __slots__ = (
        "_buffer",
        "_compresses",
        "_ending",
        "_handler",
        "_held",
        "_house",
        "_manners",
        "_message",
        "_partial",
        "_protocol",
        "_text",
        "_timer",
        "address",
        "is_open",
        "transport",
    )

    transport: asyncio.Transport

    def __init__(self, manners: Manners, buffer: memoryview, house: House) -> None:
        self.address = ""
        self.is_open = False
        self._manners = manners
        self._buffer = buffer
        self._house = house
        self._protocol = ServerProtocol(
            subprotocols=[Subprotocol(manners.subprotocol)],
            extensions=manners.extensions,
            max_size=manners.max_size,
            logger=_quiet,
        )
        self._handler: Handler | None = None
        self._held: list[bytes] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._compresses = False
        self._ending = False
        self._message = bytearray()
        self._text = False
        self._partial = 0

    @property
    def is_knocking(self) -> bool:
        """Whether the handshake is still to come."""
        return self._protocol.state is State.CONNECTING

    def respond(self, status: int, text: str) -> Response:
        """An answer in plain text, for ``check``."""
        return self._protocol.reject(status, text)

    def send(self, frame: bytes) -> None:
        """Hand a frame of ``wire_frame`` to the transport; once this is not open it is dropped."""
        if not self.is_open:
            return
        if self._compresses:
            frame = self._frame(message_in(frame))
        if self._held is None:
            self.transport.write(frame)
        else:
            self._held.append(frame)

    def hold(self) -> None:
        """Keep what is sent until ``let_go``, so that it is one write."""
        self._held = []

    def let_go(self) -> None:
        """Send what was held."""
        held, self._held = self._held, None
        if held and self.is_open:
            self.transport.write(b"".join(held))

    def read_on(self, reading: bool) -> None:
        """Whether more is to be read from the peer, for now."""
        if self.transport.is_closing() or self.transport.is_reading() is reading:
            return
        if reading:
            self.transport.resume_reading()
        else:
            self.transport.pause_reading()

    def close(self, code: int, reason: str) -> None:
        """Begin the closing handshake. It ends in bounded time, whatever the peer does."""
        if self.is_open:
            self.let_go()
            self._protocol.send_close(code, reason)
            self._write_out()
            self._end_soon()

    # What the transport tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        bound = self._manners.buffered_bytes
        if transport.get_extra_info("sslcontext") is not None:
            bound = max(bound // 4, bound - _BENEATH_TLS)
        self.transport.set_write_buffer_limits(high=bound)
        self._house.arrived(self)
        self._after(self._manners.open_timeout, self.transport.abort)

    def pause_writing(self) -> None:
        if self._handler is not None and not self.transport.is_closing():
            self._handler.stalled()
        self.is_open = False
        self.transport.abort()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        buffer, protocol = self._buffer, self._protocol
        if self._handler is not None and self._is_lone_message(nbytes):
            self._handler.received(apply_mask(bytes(buffer[6:nbytes]), bytes(buffer[2:6])))
            return
        protocol.receive_data(bytes(buffer[:nbytes]))
        events = protocol.events_received()
        if self._handler is not None:
            self._partial += nbytes - sum(map(_size_of, events))
        self._write_out()
        if protocol.close_expected():
            self._end_soon()
        for event in events:
            self._take(event)

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._write_out()
        self._end_soon()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.is_open = False
        self._house.left(self)
        self._protocol.receive_eof()
        handler, self._handler = self._handler, None
        if handler is not None:
            handler.lost(self._protocol.close_code)

    def _is_lone_message(self, size: int) -> bool:
        """Whether what has arrived is one short binary message, and nothing else is under way.

        That is what nearly every read brings (RFC 6455, 5.2: final, binary, no extension, masked,
        a length below 126); to take it directly costs a tenth of the library's parser, which
        gets everything else.
        """
        buffer = self._buffer
        return (
            buffer[0] == 0x82
            and buffer[1] == size + (0x80 - 6)
            and 6 <= size < 6 + 126
            and self.is_open
            and not self._partial
            and not self._compresses
            and self._protocol.current_size is None
        )

    def _take(self, event: Event) -> None:
        if isinstance(event, Frame):
            if event.opcode in (BINARY, TEXT, CONT):
                self._take_data(event)
            elif event.opcode is PONG and not self._ending:
                self._after(self._manners.ping_interval, self._ping)
        elif isinstance(event, Request) and not self._ending:
            self._shake_hands(event)

    def _take_data(self, frame: Frame) -> None:
        if frame.opcode is not CONT:
            self._text = frame.opcode is TEXT
        self._message += frame.data
        if not frame.fin:
            return
        message, self._message = self._message, bytearray()
        if self._handler is None:
            return
        try:
            self._handler.received(message.decode() if self._text else bytes(message))
        except UnicodeDecodeError:
            self._fail(CloseCode.INVALID_DATA, "text that is not UTF-8")

    def _shake_hands(self, request: Request) -> None:
        protocol = self._protocol
        try:
            response = self._manners.check(self, request) or protocol.accept(request)
        except Exception:
            log.exception("a fault in answering a request")
            response = protocol.reject(HTTPStatus.INTERNAL_SERVER_ERROR, "A fault in the server.\n")
        protocol.send_response(response)
        self._write_out()
        if protocol.state is State.OPEN:
            self.is_open = True
            self._compresses = bool(protocol.extensions)
            self._after(self._manners.ping_interval, self._ping)
            # What has come with the request, of which nothing is known but that it should not.
            self._partial = len(protocol.reader.buffer)
            self._handler = self._manners.serve(self)
        else:
            self._end_soon()

    def _frame(self, message: bytes) -> bytes:
        """The frame of a message as this peer takes it: its extension makes it unlike others'."""
        self._protocol.send_binary(message)
        return b"".join(self._protocol.data_to_send())

    def _ping(self) -> None:
        self._protocol.send_ping(b"")
        self._write_out()
        self._after(self._manners.ping_timeout, self._give_up)

    def _give_up(self) -> None:
        self._fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")

    def _fail(self, code: CloseCode, reason: str) -> None:
        self._protocol.fail(code, reason)
        self._write_out()
        self._end_soon()

    def _end_soon(self) -> None:
        """The peer is about to close; if it does not, that is done here."""
        self.is_open = False
        if not self._ending:
            self._ending = True
            self._after(self._manners.close_timeout, self.transport.abort)

    def _after(self, seconds: float, call: Callable[[], None]) -> None:
        """One thing at a time is waited for."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, call)

    def _write_out(self) -> None:
        """Send what the protocol says by itself, the end of the stream included."""
        for data in self._protocol.data_to_send():
            if data:
                self.transport.write(data)
                continue
            self.is_open = False
            if self.transport.can_write_eof() and not self.transport.is_closing():
                # The peer may be gone already, which the transport is about to find out.
                with suppress(OSError, RuntimeError):
                    self.transport.write_eof()
            else:
                self.transport.close()


def _size_of(event: Event) -> int:
    """How many bytes a frame of a peer was, its mask included (RFC 6455, 5.2)."""
    assert isinstance(event, Frame)
    size = len(event.data)
    return size + (6 if size < 126 else 8 if size < 65536 else 14)


def _quiet_logger() -> logging.Logger:
    """Peers that break off or send nonsense are everyday life, not worth a traceback."""
    logger = logging.getLogger("cantstop_server.websockets")
    logger.setLevel(logging.CRITICAL)
    return logger


_quiet: Final = _quiet_logger()
