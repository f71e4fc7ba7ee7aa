"""Tables of guests who play one game after the other, beside whatever else happens to a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from random import Random

from chronicle import Chronicle
from guest import Guest


class Crowd:
    """Guests at tables. ``more`` says, after each game, whether another one follows."""

    def __init__(self, port: int, random: Random, more: Callable[[], bool]) -> None:
        self.chronicle = Chronicle()
        self.guests: list[Guest] = []
        self.codes: list[str] = []
        """The rooms that are open, in the order in which they were opened."""
        self._port = port
        self._random = random
        self._more = more

    async def play(self, tables: Iterable[tuple[int, int]], watched: int = 0) -> None:
        """Play at tables of so many people and computer players, the first so many watched."""
        async with asyncio.TaskGroup() as group:
            for number, (people, bots) in enumerate(tables):
                group.create_task(self._table(number, people, bots, watched=number < watched))

    async def close(self) -> None:
        await asyncio.gather(*(guest.close() for guest in self.guests))

    @property
    def lost(self) -> int:
        """How often a connection of theirs broke."""
        return sum(guest.lost for guest in self.guests)

    async def _table(self, number: int, people: int, bots: int, *, watched: bool) -> None:
        seated = [self._guest(f"Guest {number}-{place}") for place in range(people)]
        await asyncio.gather(*(guest.arrive() for guest in seated))
        dice = "witnessed" if people > 1 and number % 2 else "committed"
        code = await seated[0].open_table(people + bots, bots, target=2, absence="wait", dice=dice)
        self.codes.append(code)
        for guest in seated[1:]:
            await guest.join(code)
        async with asyncio.TaskGroup() as table:
            if watched:
                watcher = self._guest(f"Watcher {number}")
                await watcher.arrive()
                table.create_task(watcher.watch(code))
            await seated[0].start()
            for guest in seated:
                table.create_task(guest.play(self._more))

    def _guest(self, name: str) -> Guest:
        guest = Guest(name, self._port, self.chronicle, self._random)
        self.guests.append(guest)
        return guest
