"""WebSocket frames as they go over the wire (RFC 6455, 5.2)."""

from struct import Struct
from typing import Final

_FINAL_BINARY: Final = 0x82
_MEDIUM: Final = Struct("!BBH")
_LONG: Final = Struct("!BBQ")


def wire_frame(message: bytes) -> bytes:
    """The frame of a message from a server, built once for everyone who gets it.

    A server's frames are not masked (5.1), so the bytes are the same on every connection that has
    agreed on no extension.
    """
    size = len(message)
    if size < 126:
        return bytes((_FINAL_BINARY, size)) + message
    if size < 65536:
        return _MEDIUM.pack(_FINAL_BINARY, 126, size) + message
    return _LONG.pack(_FINAL_BINARY, 127, size) + message


def message_in(frame: bytes) -> bytes:
    """The message in a frame that ``wire_frame`` made."""
    return frame[{126: 4, 127: 10}.get(frame[1], 2) :]
