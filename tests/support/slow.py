"""Somebody who does not read what arrives."""

from __future__ import annotations

import asyncio
import socket

from websockets.asyncio.client import connect
from websockets.typing import Subprotocol
from wire import WireClient

from cantstop_protocol.limits import SUBPROTOCOL


async def slow_client(port: int, name: str) -> WireClient:
    """A client with as little room for what arrives as the system allows; it reads until told."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    sock.setblocking(False)
    await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
    websocket = await connect(
        f"ws://127.0.0.1:{port}",
        sock=sock,
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        compression=None,
        max_size=2**20,
        ping_interval=None,
    )
    client = WireClient(websocket)
    await client.receive()
    await client.hello(name, token="t" * 64)
    return client


def stop_reading(client: WireClient) -> None:
    """From now on nothing is read, and no ping is answered."""
    client.websocket.transport.pause_reading()
