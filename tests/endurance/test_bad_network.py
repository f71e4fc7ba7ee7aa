"""Games over a network that delays, drops, cuts, half-closes and stalls go on to their end."""

import asyncio
from pathlib import Path
from random import Random

import pytest
from badproxy import FATES, BadProxy, bad_proxy
from chronicle import Chronicle, check_archive
from guest import Guest
from longrun import length, seeded
from wire import connected, serving

from cantstop_client import session
from cantstop_protocol import commands
from cantstop_server.config import Limits

TABLES = ((2, 1), (2, 0), (3, 0), (1, 1), (2, 1), (2, 0))

STALL = 1.6
LIMITS = Limits(
    command_rate=100_000,
    command_burst=100_000,
    refusal_rate=100_000,
    connections_per_address=10_000,
    hello_timeout=2.0,
    ping_interval=0.5,
    ping_timeout=0.8,
)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that notices within a second what it usually gives ten or more."""
    monkeypatch.setattr(session, "OPEN_TIMEOUT", 1.0)
    monkeypatch.setattr(session, "PING_INTERVAL", 0.5)
    monkeypatch.setattr(session, "PING_TIMEOUT", 0.8)


class Games:
    """So many games at several tables; a table that is done with one begins another."""

    def __init__(self, number: int, random: Random) -> None:
        self.chronicle = Chronicle()
        self.guests: list[Guest] = []
        self.number = number
        self._random = random

    async def play(self, proxy: BadProxy) -> None:
        async with asyncio.TaskGroup() as tables:
            for number, (people, bots) in enumerate(TABLES):
                tables.create_task(self._table(proxy, number, people, bots))

    async def _table(self, proxy: BadProxy, number: int, people: int, bots: int) -> None:
        names = [f"Guest {number}-{place}" for place in range(people)]
        watcher = Guest(f"Watcher {number}", proxy.port, self.chronicle, self._random)
        seated = [Guest(name, proxy.port, self.chronicle, self._random) for name in names]
        self.guests += [*seated, watcher]
        await asyncio.gather(*(guest.arrive() for guest in (*seated, watcher)))
        code = await seated[0].open_table(people + bots, bots, target=2, absence="wait")
        for guest in seated[1:]:
            await guest.join(code)
        async with asyncio.TaskGroup() as table:
            table.create_task(watcher.watch(code))
            await seated[0].start()
            for guest in seated:
                table.create_task(guest.play(self._more))

    def _more(self) -> bool:
        return len(self.chronicle.results) < self.number


async def test_a_bad_network_costs_no_event_and_every_game_ends(tmp_path: Path) -> None:
    random = seeded()
    games = Games(length(12, 100), random)
    database = tmp_path / "games.db"
    async with (
        serving(database, limits=LIMITS) as server,
        bad_proxy(server.port, random, stall=STALL) as proxy,
    ):
        try:
            await games.play(proxy)
            async with connected(server.port, "Last") as last, asyncio.timeout(60):
                while (await last.do(commands.ListRooms)).rooms:
                    await asyncio.sleep(0.01)
        finally:
            await asyncio.gather(*(guest.close() for guest in games.guests))
    played = await check_archive(database, games.chronicle)
    assert len(played) >= games.number
    assert {game.status for game in played.values()} == {"finished"}
    lost = sum(guest.lost for guest in games.guests)
    clicks = sum(guest.double_clicks for guest in games.guests)
    print(f"{len(played)} games, {lost} connections lost, {clicks} double clicks")
    print(dict(proxy.fates))
    assert proxy.fates.keys() == set(FATES), "every kind of trouble came up"
