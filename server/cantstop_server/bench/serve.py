"""A server as people run it, in a process of its own, with limits that a benchmark cannot reach."""

import argparse
import tempfile
from pathlib import Path

from cantstop_server.bench.child import answer_until_closed
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.loop import run
from cantstop_server.net.server import Server

WIDE = Limits(
    connections=1_000_000,
    connections_per_address=1_000_000,
    rooms=100_000,
    rooms_per_person=100_000,
    command_rate=1e9,
    command_burst=1_000_000,
)


async def serve(database: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = database or str(Path(folder) / "bench.db")
        config = ServerConfig(database=file, port=0, bot_delay=0.0, limits=WIDE)
        async with Server(config) as server:
            await answer_until_closed(server.port)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("loop")
    parser.add_argument("database", nargs="?", default="")
    arguments = parser.parse_args()
    run(serve(arguments.database), arguments.loop)
