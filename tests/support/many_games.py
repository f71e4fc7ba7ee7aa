"""A database with as many games as a test needs, all of which replay."""

import asyncio
from functools import partial

from cantstop_server.bench.storage import add_games, generated_games
from cantstop_server.storage import recount
from cantstop_server.storage.connect import connect
from cantstop_server.storage.store import Store


def make_games(database: str, count: int, seed: int = 1) -> None:
    """Make it; the people in it are p0 to p39."""
    asyncio.run(fill_games(database, count, seed))


async def fill_games(database: str, count: int, seed: int = 1) -> None:
    """The same within a running loop."""
    await (await Store.open(database)).close()
    opened = connect(database, exclusive=False, busy_timeout=5.0)
    try:
        await opened.write(partial(add_games, made=generated_games(seed), count=count))
        await opened.write(recount.settle)
    finally:
        await opened.close()
