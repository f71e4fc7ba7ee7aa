"""WebSocket frames as they go over the wire."""

from websockets.frames import Frame, Opcode


def wire_frame(message: bytes) -> bytes:
    """The frame of a message from a server, built once for everyone who gets it.

    A server's frames are not masked (RFC 6455, 5.1), and nothing here negotiates an extension, so
    the bytes are the same on every connection.
    """
    return Frame(Opcode.BINARY, message).serialize(mask=False)
