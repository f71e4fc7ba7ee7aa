"""A server that is killed at any instant has kept everything that it has told anybody."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from databases import ask

from cantstop_server.storage.store import Store

SERVE = """
import asyncio, sys
from datetime import UTC, datetime
from cantstop_server.rules.setup import Setup
from cantstop_server.storage.journal import RoomWrite
from cantstop_server.storage.store import Store
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat

async def main():
    store = await Store.open(sys.argv[1], exclusive=True)
    loop = asyncio.get_running_loop()

    async def play(room):
        game = 0
        while True:
            game += 1
            for seq in range(1, 8):
                last = seq == 7
                time = datetime.now(UTC)
                archive = ArchivedGame(
                    f"{room}-{game}", "finished", Setup(2), "", time, time, 0, seq,
                    (ArchivedSeat("k", None, "keller", 3, False),
                     ArchivedSeat("r", None, "random", 0, False)),
                )
                told = loop.create_future()
                store.journal.append(RoomWrite(
                    "host", f"{room}-{game}", None if last else b"%d" % seq,
                    ((seq, b"event"),), seq - 3, archive if last else None, told.set_result))
                assert await told is None
                print(room, game, seq, flush=True)

    await asyncio.gather(*(play(f"R{n}") for n in range(5)))
asyncio.run(main())
"""


def serve_and_kill(database, lines: int) -> dict[str, int]:
    """The last sequence number that each room was told, by a server killed after so many lines."""
    command = [sys.executable, "-c", SERVE, str(database)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = [server.stdout.readline() for _ in range(lines)]
        server.kill()
        said += server.stdout.readlines()
    told = {}
    for room, game, seq in (line.split() for line in said if line.endswith("\n")):
        told[f"{room}-{game}"] = int(seq)
    return told


@pytest.mark.parametrize("lines", [1, 40, 111, 300])
async def test_kill_9_loses_nothing_that_was_told(database, lines, open_store):
    told = serve_and_kill(database, lines)
    store: Store = await open_store(exclusive=True)
    live = {room.room: room for room in await store.live_rooms("host")}
    archived = {game.id for game in await store.history(limit=1000)}
    assert not archived & live.keys()
    for room, seq in told.items():
        if seq == 7:
            assert room in archived
        else:
            assert room in archived or int(live[room].state) >= seq
    for room in live.values():
        assert [seq for seq, _ in room.events] == list(
            range(max(1, int(room.state) - 2), int(room.state) + 1)
        )
    records = {record.name: record for record in await store.records()}
    if archived:
        assert (records["keller"].games, records["keller"].wins) == (len(archived),) * 2
        assert (records["random"].games, records["random"].wins) == (len(archived), 0)
    await store.close()
    orphans = "SELECT count(*) FROM room_events WHERE room NOT IN (SELECT room FROM live_rooms)"
    if "://" in database:
        assert await ask(database, orphans) == [(0,)]
        return
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute(orphans).fetchall() == [(0,)]
