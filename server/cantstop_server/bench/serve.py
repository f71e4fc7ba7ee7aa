"""A server as people run it, in a process of its own, with limits that a benchmark cannot reach."""

import argparse
import tempfile
from pathlib import Path

from cantstop_server.bench.child import answer_until_closed
from cantstop_server.bench.loops import run_on
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.net.server import Server

WIDE = Limits(
    connections=1_000_000,
    connections_per_address=1_000_000,
    rooms=100_000,
    rooms_per_person=100_000,
    command_rate=1e9,
    command_burst=1_000_000,
)


async def serve() -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "bench.db")
        config = ServerConfig(database=database, port=0, bot_delay=0.0, limits=WIDE)
        async with Server(config) as server:
            await answer_until_closed(server.port)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("loop")
    run_on(parser.parse_args().loop, serve())
