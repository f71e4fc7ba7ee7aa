"""The WebSocket by itself, on a transport that does what the test says."""

import asyncio
from collections.abc import Callable
from typing import cast

import pytest
from patience import until
from websockets.frames import Frame, Opcode

from cantstop_server.net.frames import wire_frame
from cantstop_server.net.listener import Listener
from cantstop_server.net.websocket import READ_BYTES, Manners, WebSocket

REQUEST = (
    b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: test\r\n\r\n"
)


class Transport:
    """Keeps what is written."""

    def __init__(self, tls: object = None) -> None:
        self.written = b""
        self.writes: list[bytes] = []
        self.ended = self.aborted = False
        self.on_end: Callable[[], None] = lambda: None
        self.on_full: Callable[[], None] = lambda: None
        self.bound = 0
        self.tls = tls

    def get_extra_info(self, name: str) -> object:
        return {"peername": ("192.0.2.1", 7), "sslcontext": self.tls}[name]

    def write(self, data: bytes) -> None:
        assert not self.ended
        self.written += data
        self.writes.append(data)
        if len(self.written) > self.bound:
            self.on_full()

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.ended = True
        self.on_end()

    def is_closing(self) -> bool:
        return self.aborted

    def close(self) -> None:
        self.aborted = True

    abort = close

    def set_write_buffer_limits(self, high: int) -> None:
        self.bound = high


class Messages:
    """Keeps what is received."""

    def __init__(self) -> None:
        self.received_all: list[bytes | str] = []
        self.code: int | None = None
        self.is_lost = self.is_stalled = False

    def received(self, message: bytes | str) -> None:
        self.received_all.append(message)

    def stalled(self) -> None:
        self.is_stalled = True

    def lost(self, code: int | None) -> None:
        self.is_lost, self.code = True, code


class Open:
    """A WebSocket through its handshake."""

    def __init__(
        self,
        request: bytes = REQUEST,
        *,
        ping_interval: float = 1000.0,
        ping_timeout: float = 1000.0,
        tls: object = None,
    ) -> None:
        self.messages = Messages()
        manners = Manners(
            check=lambda websocket, request: None,
            serve=lambda websocket: self.messages,
            subprotocol="test",
            max_size=1000,
            open_timeout=1000.0,
            close_timeout=1000.0,
            ping_interval=ping_interval,
            ping_timeout=ping_timeout,
            buffered_bytes=100_000,
        )
        self.transport = Transport(tls)
        self.buffer = memoryview(bytearray(READ_BYTES))
        self.websocket = WebSocket(manners, self.buffer, Listener(manners))
        self.transport.on_full = self.websocket.pause_writing
        self.websocket.connection_made(cast("asyncio.BaseTransport", self.transport))
        self.arrives(request)
        assert self.websocket.is_open is (request == REQUEST)

    def arrives(self, data: bytes) -> None:
        self.buffer[: len(data)] = data
        self.websocket.buffer_updated(len(data))


def frame(data: bytes, opcode: Opcode = Opcode.BINARY, *, fin: bool = True) -> bytes:
    return Frame(opcode, data, fin).serialize(mask=True)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 1000])
async def test_a_message_of_any_length_arrives_whole_and_in_pieces(size: int) -> None:
    opened, message = Open(), bytes(n % 251 for n in range(size))
    opened.arrives(frame(message))
    opened.arrives(frame(message) + frame(message))
    for byte in frame(message):
        opened.arrives(bytes([byte]))
    whole = frame(message)
    opened.arrives(whole[:3])
    opened.arrives(whole[3:] + frame(message))
    assert opened.messages.received_all == [message] * 6


async def test_fragments_with_a_ping_between_them_are_one_message() -> None:
    opened = Open()
    opened.arrives(frame(b"one ", fin=False))
    before = opened.transport.written
    opened.arrives(frame(b"there?", Opcode.PING))
    assert b"there?" in opened.transport.written.removeprefix(before)
    opened.arrives(frame(b"message", Opcode.CONT))
    assert opened.messages.received_all == [b"one message"]
    opened.arrives(frame(b"text", Opcode.TEXT))
    assert opened.messages.received_all[1:] == ["text"]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (frame(b"\xff\xfe", Opcode.TEXT), 1007),
        (frame(bytes(1001)), 1009),
        (Frame(Opcode.BINARY, b"not masked").serialize(mask=False), 1002),
        (frame(b"nothing to go on with", Opcode.CONT), 1002),
        (frame(b"a", fin=False) + frame(b"b"), 1002),
    ],
)
async def test_what_breaks_the_protocol_ends_the_connection_with_its_code(
    wrong: bytes, code: int
) -> None:
    opened = Open()
    before = opened.transport.written
    opened.arrives(wrong)
    closing = opened.transport.written.removeprefix(before)
    assert closing[0] == 0x88
    assert int.from_bytes(closing[2:4]) == code
    assert not opened.websocket.is_open
    assert opened.messages.received_all == []


async def test_nothing_is_sent_after_the_end_though_the_peer_is_gone_already() -> None:
    opened = Open()

    def reset() -> None:
        raise OSError("not connected")

    opened.transport.on_end = reset
    opened.websocket.eof_received()
    assert not opened.websocket.is_open
    opened.websocket.connection_lost(None)
    assert opened.messages.is_lost
    assert opened.messages.code == 1006


async def test_a_peer_without_a_sign_of_life_is_closed() -> None:
    opened = Open(ping_interval=0.0, ping_timeout=0.0)
    await until(lambda: not opened.websocket.is_open)
    assert b"keepalive" in opened.transport.written
    assert opened.transport.ended


async def test_a_peer_that_answers_pings_stays() -> None:
    opened = Open(ping_interval=0.0)
    for _ in range(3):
        before = opened.transport.written
        await until(lambda before=before: opened.transport.written != before)
        assert opened.transport.written.removeprefix(before) == b"\x89\x00"
        opened.arrives(frame(b"", Opcode.PONG))
    assert opened.websocket.is_open


@pytest.mark.parametrize("ahead", [1, 2, 4, 6])
async def test_the_rest_of_a_message_that_looks_like_one_is_not(ahead: int) -> None:
    opened = Open()
    rest = frame(b"nothing of this is a message of its own")
    message = bytes([0x82, 0x80 + len(rest), 0, 0, 0, 0]) + rest
    opened.arrives(message[:ahead])
    opened.arrives(message[ahead:])
    opened.arrives(frame(b"the next"))
    assert opened.messages.received_all == [rest, b"the next"]


async def test_what_others_have_sent_before_is_no_part_of_a_message() -> None:
    opened = Open()
    opened.buffer[:2] = b"\x00\x7b"
    for byte in frame(b"whole"):
        opened.arrives(bytes([byte]))
        opened.buffer[1] = 0x7B
    assert opened.messages.received_all == [b"whole"]


async def test_what_is_held_goes_out_in_one_write_and_before_the_end() -> None:
    opened = Open()
    sent = opened.transport.writes
    sent.clear()
    opened.websocket.hold()
    opened.websocket.send(wire_frame(b"update"))
    opened.websocket.send(wire_frame(b"reply"))
    assert sent == []
    opened.websocket.let_go()
    assert sent == [wire_frame(b"update") + wire_frame(b"reply")]
    opened.websocket.let_go()
    opened.websocket.hold()
    opened.websocket.send(wire_frame(b"last"))
    opened.websocket.close(1001, "bye")
    assert sent[1] == wire_frame(b"last")
    assert len(sent) == 3
    opened.websocket.send(wire_frame(b"too late"))
    assert len(sent) == 3


async def test_a_peer_that_stalls_while_something_is_held_is_cut_off() -> None:
    opened = Open()
    opened.websocket.hold()
    opened.websocket.send(wire_frame(bytes(60_000)))
    opened.websocket.send(wire_frame(bytes(60_000)))
    opened.websocket.let_go()
    assert opened.messages.is_stalled
    assert opened.transport.aborted
    before = opened.transport.written
    opened.websocket.send(wire_frame(b"more"))
    assert opened.transport.written == before


async def test_beneath_tls_less_may_wait_since_the_transport_there_has_a_buffer_too() -> None:
    assert Open().transport.bound == 100_000
    assert Open(tls=object()).transport.bound == 100_000 - 64 * 1024


async def test_a_peer_that_only_pings_and_never_reads_is_cut_off() -> None:
    opened = Open()
    ping = frame(bytes(125), Opcode.PING)
    for _ in range(40):
        opened.arrives(ping * 100)
        if opened.transport.aborted:
            break
    assert opened.transport.aborted
    assert opened.messages.is_stalled
    assert len(opened.transport.written) < 200_000


@pytest.mark.parametrize("behind", [b"\xff\xff", frame(b"", Opcode.CLOSE), frame(b"", Opcode.CONT)])
async def test_a_request_with_the_end_behind_it_is_no_fault_of_ours(behind: bytes) -> None:
    opened = Open(REQUEST + behind)
    assert not opened.websocket.is_open
    assert opened.transport.ended
    assert opened.messages.received_all == []
