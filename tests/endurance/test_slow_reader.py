"""Somebody who never reads, beside fifty who play, is cut off and costs the others nothing."""

import asyncio
import logging
from pathlib import Path
from statistics import median

import pytest
from census import back_to, census
from chronicle import check_archive
from crowd import Crowd
from guest import Guest
from longrun import length, seeded
from patience import until
from slow import slow_client, stop_reading
from websockets.exceptions import ConnectionClosed
from wire import WireClient, serving

from cantstop_protocol import commands, messages
from cantstop_server.config import Limits
from cantstop_server.net.connection import Connection
from cantstop_server.net.websocket import WebSocket

TABLES = ((2, 0),) * 24
"""With the two at the table of the one who does not read that makes fifty."""

LIMITS = Limits(
    command_rate=1e6,
    command_burst=1_000_000,
    chat_rate=1e6,
    chat_burst=1_000_000,
    connections_per_address=500,
    absence_grace=0.2,
    room_grace=0.2,
    # It is the bound of the buffer that is looked at, not the keepalive.
    ping_interval=1000.0,
    ping_timeout=1000.0,
)
LINE = "q\u0307" * 400
AT_ONCE = 25
ENOUGH = 4_000
"""Lines that fill every buffer between here and there many times."""


async def test_who_never_reads_is_cut_off_and_disturbs_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    lines = length(200, 2_000)
    random = seeded()
    waiting, lengths = bytes_that_wait(monkeypatch)
    caplog.set_level(logging.WARNING)
    database = tmp_path / "games.db"
    done = asyncio.Event()
    async with serving(database, limits=LIMITS) as server:
        before = census(server)
        crowd = Crowd(server.port, random, more=lambda: not done.is_set())
        playing = asyncio.create_task(crowd.play(TABLES))
        slow = await slow_client(server.port, "Slow")
        entered = await slow.create(seats=3, target=2)
        assert isinstance(entered, messages.Entered)
        code = entered.table.room
        talker, other = (Guest(f"Beside {n}", server.port, crowd.chronicle, random) for n in "12")
        for guest in (talker, other):
            crowd.guests.append(guest)
            await guest.arrive()
            await guest.join(code)
        await slow.expect_ok(commands.Start(id=slow.next_id()))
        await slow.expect_ok(commands.Autopilot(id=slow.next_id(), kind="keller"))
        beside = [
            asyncio.create_task(guest.play(lambda: not done.is_set())) for guest in (talker, other)
        ]
        await until(lambda: len(crowd.codes) == len(TABLES))

        reading = asyncio.create_task(read_on(slow))
        for _ in range(0, lines, AT_ONCE):
            await talk(talker)
        usual = taken(crowd)
        reading.cancel()
        stop_reading(slow)
        said = 0
        while said < lines or (said < ENOUGH and not is_away(talker, "Slow")):
            await talk(talker)
            said += AT_ONCE
        if not is_away(talker, "Slow"):
            slow.websocket.transport.abort()  # or the server would wait for it at its end
            raise AssertionError("its seat is not shown as away")
        beside_slow = taken(crowd)

        done.set()
        await asyncio.gather(playing, *beside)
        await crowd.close()
        slow.websocket.transport.resume_reading()
        with pytest.raises(ConnectionClosed):
            await read_on(slow)
        assert await back_to(server, before) == before
    print(f"{said} lines until it was over, {waiting['Slow']} bytes waited at most for it")
    print(f"the largest frame had {max(lengths)} bytes")
    print(
        f"move to update, median of 50: {median(usual) * 1000:.2f} ms while it reads"
        f" ({len(usual)} moves), {median(beside_slow) * 1000:.2f} ms when it does not"
        f" ({len(beside_slow)} moves)"
    )
    assert LIMITS.buffered_bytes < waiting.pop("Slow") <= LIMITS.buffered_bytes + max(lengths)
    assert max(waiting.values()) < LIMITS.buffered_bytes
    cut = [record for record in caplog.records if "does not read" in record.getMessage()]
    assert len(cut) == 1
    assert crowd.lost == 0
    games = await check_archive(database, crowd.chronicle)
    assert {game.status for game in games.values()} == {"finished"}
    assert len(games) > len(TABLES)


def bytes_that_wait(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, int], list[int]]:
    """The most that has waited in the server for each person, and the lengths of all frames."""
    most: dict[str, int] = {}
    lengths: list[int] = []
    send, let_go, pause = WebSocket.send, WebSocket.let_go, WebSocket.pause_writing

    def look(websocket: WebSocket) -> None:
        connection = websocket._handler
        if isinstance(connection, Connection) and connection._person is not None:
            size = websocket.transport.get_write_buffer_size()
            name = connection._person.name
            most[name] = max(size, most.get(name, 0))

    def send_watched(websocket: WebSocket, frame: bytes) -> None:
        lengths.append(len(frame))
        send(websocket, frame)
        look(websocket)

    def let_go_watched(websocket: WebSocket) -> None:
        lengths.append(sum(map(len, websocket._held or ())))
        let_go(websocket)
        look(websocket)

    def pause_watched(websocket: WebSocket) -> None:
        look(websocket)
        pause(websocket)

    monkeypatch.setattr(WebSocket, "send", send_watched)
    monkeypatch.setattr(WebSocket, "let_go", let_go_watched)
    monkeypatch.setattr(WebSocket, "pause_writing", pause_watched)
    return most, lengths


async def talk(guest: Guest) -> None:
    """Many long lines at once: all of a room get them."""
    await asyncio.gather(*(guest.ask(commands.Chat, text=LINE) for _ in range(AT_ONCE)))


async def read_on(client: WireClient) -> None:
    while True:
        await client.receive()
        client.updates.clear()


def taken(crowd: Crowd) -> list[float]:
    """What the moves took since this was last asked."""
    waits = [wait for guest in crowd.guests for wait in guest.waits]
    for guest in crowd.guests:
        guest.waits.clear()
    return waits


def is_away(guest: Guest, name: str) -> bool:
    """Whether this person's seat is shown as away."""
    return any(seat and seat.name == name and seat.away for seat in guest.room.table.seats)
