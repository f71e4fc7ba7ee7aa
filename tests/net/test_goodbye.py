"""The end of a connection takes bounded time, also when the peer has stopped reading."""

import asyncio
import socket
from pathlib import Path

from patience import until
from slow import slow_client, stop_reading
from wire import SECONDS, WireClient, connected, serving

from cantstop_protocol import commands, messages
from cantstop_server.config import Limits
from cantstop_server.net.server import Server

# No keepalive: it would notice in the end.
LIMITS = Limits(
    command_burst=10_000,
    chat_burst=10_000,
    ping_interval=1000.0,
    ping_timeout=1000.0,
)


async def clogged(server: Server, ann: WireClient) -> WireClient:
    """Somebody for whom nearly as much waits in the server as may."""
    slow = await slow_client(server.port, "Slow")
    entered = await slow.create(seats=2)
    assert isinstance(entered, messages.Entered)
    await ann.join(entered.table.room)
    link = next(link for link in server._connections._all if link.name == "Slow")
    transport = link._websocket.transport
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    stop_reading(slow)
    while transport.get_write_buffer_size() < 200_000:
        assert isinstance(await ann.do(commands.Chat, text="x" * 400), messages.Ok)
    return slow


async def test_the_server_ends_though_somebody_does_not_read(tmp_path: Path) -> None:
    async with (
        asyncio.timeout(3 * SECONDS),
        serving(tmp_path / "games.db", limits=LIMITS) as server,
        connected(server.port, "Ann") as ann,
    ):
        slow = await clogged(server, ann)
    slow.websocket.transport.abort()


async def test_who_is_replaced_is_gone_though_that_connection_does_not_read(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path / "games.db", limits=LIMITS) as server:
        async with connected(server.port, "Ann") as ann:
            slow = await clogged(server, ann)
            async with connected(server.port, "Slow", token="t" * 64):
                await until(lambda: len(server._listener.connections) == 2)
        slow.websocket.transport.abort()
