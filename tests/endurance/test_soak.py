"""Thousands of games in rooms that are opened, abandoned and closed leave nothing behind."""

import asyncio
from collections import Counter
from pathlib import Path
from random import Random

from census import back_to, census, objects, resident
from chronicle import archived
from longrun import length, seeded
from wire import WireClient, connected, serving

from cantstop_protocol import commands, messages
from cantstop_server.config import Limits

WORKERS = 8
LIMITS = Limits(
    command_rate=1e6,
    command_burst=1_000_000,
    connections_per_address=500,
    rooms_per_person=100,
    seat_grace=0.0,
    room_grace=0.0,
    game_grace=0.0,
)
GROWTH = 1.10
"""Memory after everything, as a multiple of the memory when all was warm."""
MORE_OBJECTS = 1.03
"""The same for the number of objects, which no allocator and no cache of the database blurs."""


class Worker:
    """One person who opens room after room, and does not always stay."""

    def __init__(self, number: int, port: int, random: Random) -> None:
        self.ways: Counter[str] = Counter()
        self.games = 0
        self._number = number
        self._port = port
        self._random = random

    async def run(self, games: int) -> None:
        while self.games < games:
            async with connected(self._port, f"Worker {self._number}") as client:
                for _ in range(self._random.randint(1, 20)):
                    if not await self._once(client):
                        break

    async def _once(self, client: WireClient) -> bool:
        """One room in one of many ways; whether the connection is still there."""
        ways = (self._alone, self._only_watch, self._with_a_friend, self._give_up, self._vanish)
        way = self._random.choice((*ways, self._open_and_go))
        self.ways[way.__name__] += 1
        await way(client)
        client.updates.clear()
        client.heard.clear()
        return way != self._vanish

    async def _alone(self, client: WireClient) -> None:
        await self._start(client, seats=1)
        await client.play_on()
        await self._leave(client)

    async def _only_watch(self, client: WireClient) -> None:
        """Two computer players; who watches them goes, and they finish by themselves."""
        await self._start(client, seats=2, bots=["keller", "random"], role="spectator")
        await self._leave(client)

    async def _with_a_friend(self, client: WireClient) -> None:
        entered = await client.create(seats=2, target=1)
        assert isinstance(entered, messages.Entered)
        async with connected(self._port, f"Friend {self._number}") as friend:
            await friend.join(entered.table.room)
            await client.expect_ok(commands.Start(id=client.next_id()))
            self.games += 1
            await asyncio.gather(client.play_on(), friend.play_on())
        await self._leave(client)

    async def _give_up(self, client: WireClient) -> None:
        await self._start(client, seats=2, bots=["random"])
        await client.expect_ok(commands.Resign(id=client.next_id()))
        await self._leave(client)

    async def _vanish(self, client: WireClient) -> None:
        await self._start(client, seats=1)
        await client.drop()

    async def _open_and_go(self, client: WireClient) -> None:
        await client.create(seats=2)
        await self._leave(client)

    async def _start(self, client: WireClient, **options: object) -> None:
        await client.create(target=1, **options)
        await client.expect_ok(commands.Start(id=client.next_id()))
        self.games += 1

    async def _leave(self, client: WireClient) -> None:
        await client.expect_ok(commands.Leave(id=client.next_id()))


async def test_many_games_leave_nothing_behind_in_memory(tmp_path: Path) -> None:
    warm, games = length(100, 1_000), length(300, 10_000)
    random = seeded()
    database = tmp_path / "games.db"
    memory: list[float] = []
    things: list[int] = []
    async with serving(database, limits=LIMITS) as server:
        before = census(server)
        workers = [Worker(number, server.port, random) for number in range(WORKERS)]
        for number in (warm, games):
            share = -(-number // WORKERS)
            await asyncio.gather(*(worker.run(share) for worker in workers))
            assert await back_to(server, before) == before
            memory.append(resident())
            things.append(objects())
    played = sum(worker.games for worker in workers)
    ways: Counter[str] = sum((worker.ways for worker in workers), Counter())
    print(f"{played} games, {memory[0]:.1f} MB after {warm}, {memory[1]:.1f} MB in the end")
    print(f"{things[0]} objects, then {things[1]}; {dict(ways)}")
    assert played >= games
    assert len(archived(database)) == played
    assert memory[1] <= memory[0] * GROWTH
    assert things[1] <= things[0] * MORE_OBJECTS
