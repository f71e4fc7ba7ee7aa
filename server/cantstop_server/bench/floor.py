"""The floor: a bare WebSocket server that relays frames of a fixed size, and does nothing else.

A client's path names its room; what one says is answered to all in the room with a frame that
begins with the first eight bytes of what was said.
"""

import argparse
from collections import defaultdict
from contextlib import suppress

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

from cantstop_server.bench.child import answer_until_closed
from cantstop_server.loop import run


async def relay(size: int) -> None:
    rooms: defaultdict[str, set[ServerConnection]] = defaultdict(set)
    padding = bytes(size - 8)

    async def handle(websocket: ServerConnection) -> None:
        assert websocket.request is not None
        room = rooms[websocket.request.path]
        room.add(websocket)
        try:
            with suppress(ConnectionClosed):
                async for frame in websocket:
                    assert isinstance(frame, bytes)
                    broadcast(room, frame[:8] + padding)
        finally:
            room.discard(websocket)

    async with serve(handle, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        await answer_until_closed(server.sockets[0].getsockname()[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("loop")
    parser.add_argument("size", type=int)
    arguments = parser.parse_args()
    run(relay(arguments.size), arguments.loop)
