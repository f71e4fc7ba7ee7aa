"""A room's surroundings without a clock, a disk or a network: all three do what the test says."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields
from itertools import count
from typing import Any

from cantstop_protocol.events import AnyEvent
from cantstop_server.rooms.agenda import Delays
from cantstop_server.rooms.moves import Recalled, recall
from cantstop_server.rooms.outcome import World
from cantstop_server.rooms.owner import Surroundings
from cantstop_server.storage.errors import DatabaseFault
from cantstop_server.storage.journal import RoomWrite
from cantstop_server.storage.types import ArchivedGame, LiveRoom


class FakeTimer:
    """What ``call_later`` gives."""

    def __init__(self, when: float, call: Callable[[], None]) -> None:
        self.when = when
        self.call = call
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True

    def cancelled(self) -> bool:
        return self._cancelled


class FakeLoop:
    """As much of an event loop as a room needs, on a clock that moves only when told to."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now
        self._timers: list[tuple[int, FakeTimer]] = []
        self._numbers = count()

    def __enter__(self) -> FakeLoop:
        asyncio._set_running_loop(self)  # type: ignore[arg-type]
        return self

    def __exit__(self, *_: object) -> None:
        asyncio._set_running_loop(None)

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, call: Callable[..., None], *arguments: Any) -> FakeTimer:
        timer = FakeTimer(self.now + max(0.0, delay), lambda: call(*arguments))
        self._timers.append((next(self._numbers), timer))
        return timer

    def waiting(self) -> list[FakeTimer]:
        """The timers that are still to run."""
        return [timer for _, timer in self._timers if not timer.cancelled()]

    def advance(self, seconds: float, between: Callable[[], None]) -> None:
        """Let so much time pass; ``between`` is called after each timer that ran out in it."""
        end = self.now + seconds
        while True:
            self._timers = [entry for entry in self._timers if not entry[1].cancelled()]
            due = min(self._timers, key=lambda t: (t[1].when, t[0]), default=None)
            if due is None or due[1].when > end:
                break
            self._timers.remove(due)
            self.now = max(self.now, due[1].when)
            due[1].call()
            between()
        self.now = end


class FakeJournal:
    """Keeps what became durable, and checks that it is what a journal may be given."""

    def __init__(self) -> None:
        self.waiting: list[RoomWrite] = []
        self.state: bytes | None = None
        self.rows: list[tuple[int, bytes]] = []
        self.moves: list[bytes] = []
        self.events: dict[int, AnyEvent] = {}
        self.games: list[ArchivedGame] = []

    def append(self, write: RoomWrite) -> None:
        self.waiting.append(write)

    def commit(self) -> None:
        """The oldest write becomes durable."""
        write = self.waiting.pop(0)
        self._keep(write)
        write.done(None)

    def _keep(self, write: RoomWrite) -> None:
        self.rows += write.events
        if write.move is not None:
            assert self.state is not None
            assert write.state is None
            self.moves.append(write.move)
        else:
            self.state = write.state
        if self.state is not None:
            state, tail, _ = self.recalled()
            assert write.seq == state.seq
            self.events = {numbered.seq: numbered.event for numbered in tail}
            assert list(self.events) == list(range(1, state.seq + 1)), list(self.events)
        if write.archive is not None:
            self.games.append(write.archive)
        assert max(Counter(game.id for game in self.games).values(), default=1) == 1

    def recalled(self) -> Recalled:
        """The room as another start would take it up, with all its events."""
        assert self.state is not None
        return recall(LiveRoom("", self.state, tuple(self.rows), tuple(self.moves)))

    def fail(self) -> None:
        """The database takes nothing of what waits."""
        failed, self.waiting = self.waiting, []
        for write in failed:
            write.done(DatabaseFault("the database is away"))

    def fail_though_kept(self) -> None:
        """What waits becomes durable, but the database could not say so."""
        for write in self.waiting:
            self._keep(write)
        self.fail()

    def lose(self) -> None:
        """The process was killed: what waits never happened."""
        self.waiting = []


class FakeOutbox:
    """Whose connection is in the room, and what it is sent."""

    def __init__(self, deliver: Callable[[int, bytes], None]) -> None:
        self.inside: set[int] = set()
        self._deliver = deliver

    def send(self, room: str, players: Iterable[int], frame: bytes) -> None:
        for player in players:
            if player in self.inside:
                self._deliver(player, frame)

    def hold(self, player: int) -> None:
        pass

    def let_go(self, player: int) -> None:
        pass

    def connected(self, room: str, player: int) -> bool:
        return player in self.inside


def surroundings(
    journal: FakeJournal, outbox: FakeOutbox, world: World, delays: Delays, **more: Any
) -> Surroundings:
    """What a room shares with the rest of its server; ``more`` are calls that matter to a test."""

    def nothing(*_: object) -> None:
        pass

    given = {
        "scope": "host",
        "journal": journal,
        "outbox": outbox,
        "world": world,
        "delays": delays,
        "spectator_limit": 2,
    }
    calls = {field.name: nothing for field in fields(Surroundings) if field.name not in given}
    return Surroundings(**given | calls | more)
