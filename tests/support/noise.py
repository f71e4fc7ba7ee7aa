"""Frames that no client sends: random ones, and good ones with something wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgpack
from samples import SAMPLE_COMMANDS

from cantstop_protocol.codec import encode

_GOOD = [encode(command) for command in SAMPLE_COMMANDS]

_ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    2**53,
    2**63,
    -(2**63),
    1.5,
    float("nan"),
    float("inf"),
    "",
    "\x00",
    "\x1b[2J\u202eabc",
    "\ud7ff" * 300,
    "x" * 3000,
    b"bytes",
    [],
    [[]] * 16,
    {},
    {"type": "roll"},
    {1: 2},
    [0, 0],
    [3, 3],
    "keller",
    "Ann",
    "BADOK",
)


def noise(random: Random, codes: Sequence[str]) -> bytes | str:
    """One frame, by the chance that is passed in; ``codes`` are of rooms that exist."""
    frame = random.choice(_KINDS)(random)
    if isinstance(frame, bytes) and random.random() < 0.5:
        frame = frame.replace(b"BADOK", random.choice(codes).encode())
    return frame


def broken_stream(random: Random) -> bytes:
    """Bytes that are no WebSocket frame, or one that no client may send."""
    return random.choice(
        (
            b"\x82\x01\x00",  # not masked
            b"\xf2\x80\0\0\0\0",  # reserved bits
            b"\x83\x80\0\0\0\0",  # a reserved opcode
            b"\x89\xfe\xff\xff\0\0\0\0",  # a ping that is too long
            b"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",  # nearly endless
            b"\x80\x80\0\0\0\0",  # the continuation of nothing
            b"\x02\x81\0\0\0\0x",  # a beginning without an end
            b"\x81\x82\0\0\0\0\xff\xff",  # text that is no UTF-8
            b"\x88\x81\0\0\0\0x",  # a close of one byte
            random.randbytes(300),
        )
    )


def _random_bytes(random: Random) -> bytes:
    return random.randbytes(random.choice((0, 1, 2, 8, 64, 512, 4096)))


def _text(random: Random) -> str:
    return "".join(chr(random.choice((0, 65, 0x1F600, 0x202E))) for _ in range(random.randrange(9)))


def _flipped(random: Random) -> bytes:
    frame = bytearray(random.choice(_GOOD))
    for _ in range(random.randint(1, 4)):
        frame[random.randrange(len(frame))] = random.randrange(256)
    return bytes(frame)


def _cut(random: Random) -> bytes:
    frame = random.choice(_GOOD)
    return frame[: random.randrange(len(frame))]


def _spliced(random: Random) -> bytes:
    one, other = random.choice(_GOOD), random.choice(_GOOD)
    return one[: random.randrange(len(one))] + other[random.randrange(len(other)) :]


def _field_wrong(random: Random) -> bytes:
    value = msgpack.unpackb(random.choice(_GOOD))
    value[random.choice(list(value))] = random.choice(_ODD)
    return bytes(msgpack.packb(value, unicode_errors="surrogatepass"))[:4096]


def _field_missing(random: Random) -> bytes:
    value = msgpack.unpackb(random.choice(_GOOD))
    del value[random.choice(list(value))]
    return bytes(msgpack.packb(value))


def _field_more(random: Random) -> bytes:
    value = msgpack.unpackb(random.choice(_GOOD))
    value[random.choice(("seat", "x", "", "ply", 7, None))] = random.choice(_ODD)
    return bytes(msgpack.packb(value, unicode_errors="surrogatepass"))[:4096]


def _another_shape(random: Random) -> bytes:
    return bytes(msgpack.packb(random.choice(_ODD), unicode_errors="surrogatepass"))[:4096]


def _deep(random: Random) -> bytes:
    depth = random.choice((10, 400, 1023, 1024, 4000))
    return b"\x91" * depth + b"\xc0"


def _good(random: Random) -> bytes:
    """Well formed, with numbers of its own: mostly out of phase, out of turn or of no room."""
    value = msgpack.unpackb(random.choice(_GOOD))
    value["id"] = random.randrange(1, 2**20)
    if "ply" in value:
        value["ply"] = random.randrange(40)
    return bytes(msgpack.packb(value))


def _extension(random: Random) -> bytes:
    return b"\x82\xa4type\xa4roll\xa2id" + random.choice((b"\xd4\x01\x00", b"\xd6\xff\0\0\0\0"))


def _huge_header(random: Random) -> bytes:
    return random.choice(
        (b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdb\x7f\xff\xff\xff")
    )


_KINDS: tuple[Callable[[Random], bytes | str], ...] = (
    _random_bytes,
    _text,
    _flipped,
    _flipped,
    _cut,
    _spliced,
    _field_wrong,
    _field_wrong,
    _field_wrong,
    _field_missing,
    _field_more,
    _another_shape,
    _deep,
    *(_good,) * 14,
    _extension,
    _huge_header,
)
