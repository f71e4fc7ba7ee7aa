"""A server that is killed again and again in the midst of many games loses nothing of them."""

import asyncio
from pathlib import Path
from random import Random

from chronicle import Chronicle, check_archive, check_left_behind, copied
from guest import Guest
from longrun import length, seeded
from mortal import MortalServer, quiet_port

from cantstop_protocol import commands

TABLES = ((2, 0), (2, 1), (1, 1), (2, 2), (3, 0), (2, 1), (1, 0), (2, 1))
"""People and computer players of each room."""

WATCHED = 2
"""How many of the rooms have a spectator."""

LIMITS = {
    "command_rate": 100_000,
    "command_burst": 100_000,
    "refusal_rate": 100_000.0,
    "connections_per_address": 500,
}


class Evening:
    """All the tables of a server, at which games follow each other until ``last`` is set."""

    def __init__(self, port: int, random: Random) -> None:
        self.chronicle = Chronicle()
        self.guests: list[Guest] = []
        self.last = False
        self._port = port
        self._random = random

    async def play(self) -> None:
        async with asyncio.TaskGroup() as tables:
            for number, (people, bots) in enumerate(TABLES):
                tables.create_task(self._table(number, people, bots, watched=number < WATCHED))

    async def close(self) -> None:
        await asyncio.gather(*(guest.close() for guest in self.guests))

    async def _table(self, number: int, people: int, bots: int, *, watched: bool) -> None:
        seated = [self._guest(f"Guest {number}-{place}") for place in range(people)]
        await asyncio.gather(*(guest.arrive() for guest in seated))
        code = await seated[0].open_table(people + bots, bots, target=2, absence="wait")
        for guest in seated[1:]:
            await guest.join(code)
        async with asyncio.TaskGroup() as table:
            if watched:
                watcher = self._guest(f"Watcher {number}")
                await watcher.arrive()
                table.create_task(watcher.watch(code))
            await seated[0].start()
            for guest in seated:
                table.create_task(guest.play(lambda: not self.last))

    def _guest(self, name: str) -> Guest:
        guest = Guest(name, self._port, self.chronicle, self._random)
        self.guests.append(guest)
        return guest


async def test_kill_9_in_the_midst_of_many_games_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    kills = length(10, 200)
    random = seeded()
    database = tmp_path / "games.db"
    server = MortalServer(database, quiet_port(random), **LIMITS)
    evening = Evening(server.port, random)
    playing = asyncio.create_task(evening.play())
    try:
        for _ in range(kills):
            await server.start(wait=random.random() < 0.9)
            # Some are killed before anybody has come back, most in full play.
            await events_more(evening.chronicle, random.choice((0, 1, 20, 150, 400)), playing)
            await asyncio.sleep(random.random() * 0.02)
            await server.kill()
            left = copied(database, tmp_path / "copy.db")
            if left.exists() and evening.chronicle.heard:
                check_left_behind(left, evening.chronicle)
        await server.start()
        evening.last = True
        await playing
        await rooms_end(evening.guests[0])
        await evening.close()
    finally:
        playing.cancel()
        await asyncio.gather(playing, evening.close(), return_exceptions=True)
        await server.kill()
    assert "Traceback" not in server.log
    games = await check_archive(database, evening.chronicle)
    assert {game.status for game in games.values()} == {"finished"}
    lost = sum(guest.lost for guest in evening.guests)
    events = sum(map(len, evening.chronicle.rooms.values()))
    print(f"{kills} kills, {len(games)} games, {events} events, {lost} connections lost")
    assert lost >= kills


async def events_more(chronicle: Chronicle, number: int, playing: asyncio.Task[None]) -> None:
    """Wait until so many more events were heard."""
    enough = chronicle.heard + number
    async with asyncio.timeout(120):
        while chronicle.heard < enough and not playing.done():
            await asyncio.sleep(0.001)
    if playing.done():
        await playing


async def rooms_end(guest: Guest) -> None:
    """Wait until the server has no room any more."""
    async with asyncio.timeout(60):
        while (await guest.ask(commands.ListRooms)).rooms:
            await asyncio.sleep(0.01)
