"""The load: rooms of people who answer each decision at once, at a server or at its floor."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter
from typing import Any, Final

from cantstop_server.bench.peer import Heard, Peer, Turn, decode, pack

_OPENING: Final = 64
"""How many rooms are opened at a time."""

_CHANGES: Final = 6
"""After how many moves at a floor it is the next one's turn, as at a table."""


@dataclass(slots=True)
class Tally:
    """What the clients of a load saw. Latencies are from a move to its update, in seconds."""

    moves: int = 0
    update_bytes: int = 0
    updates: int = 0
    latencies: list[float] = field(default_factory=list)
    answered: int = 0
    on_first_answer: Callable[[], None] = lambda: None

    def first_answer(self) -> None:
        """What has come of the first move of a room is known."""
        self.answered += 1
        self.on_first_answer()

    def clear(self) -> None:
        """Forget the warm-up."""
        self.moves = self.update_bytes = self.updates = 0
        self.latencies.clear()


class Load:
    """Open connections; from ``start`` on they move."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._players: list[_Player | _Relayed] = []

    async def open_rooms(self, port: int, rooms: int, seats: int, spectators: int = 0) -> None:
        """Rooms at a real server, each with a game about to start."""
        await _some_at_a_time(self._open_room(port, n, seats, spectators) for n in range(rooms))

    async def open_floor(self, port: int, rooms: int, seats: int, spectators: int = 0) -> None:
        """Rooms at a relay."""
        await _some_at_a_time(
            self._open_relay(port, room, seat, seats)
            for room in range(rooms)
            for seat in range(seats + spectators)
        )

    async def open_connections(self, port: int, number: int) -> None:
        """People who have said hello and are in no room."""
        await _some_at_a_time(self._arrive(port, f"c{n}") for n in range(number))

    async def return_to_rooms(self, port: int, rooms: int, seats: int) -> None:
        """The people of the rooms that were open at a server before it was killed."""
        await _some_at_a_time(self._return(port, n, seats) for n in range(rooms))

    def start(self) -> None:
        """Let everybody move."""
        for player in self._players:
            player.start()

    async def first_moves(self, number: int) -> None:
        """Start, and wait until it is known in so many rooms what their first move has led to."""
        answered = asyncio.Event()
        self.tally.on_first_answer = lambda: (
            answered.set() if self.tally.answered >= number else None
        )
        self.start()
        await answered.wait()

    def close(self) -> None:
        """Let go of everything."""
        for player in self._players:
            player.peer.abort()

    async def _open_room(self, port: int, number: int, seats: int, spectators: int) -> None:
        creator = await person(port, f"p{number}.0")
        options = {"seats": seats, "absence": "wait"}
        entered = await creator.ask({"type": "create", "id": 2, "options": options})
        assert entered.table is not None
        members = [creator]
        for seat in range(1, seats + spectators):
            peer = await person(port, f"p{number}.{seat}")
            role = "player" if seat < seats else "spectator"
            await peer.ask({"type": "join", "id": 2, "room": entered.table.room, "role": role})
            members.append(peer)
        await creator.ask({"type": "start", "id": 3})
        self._seat(members, seats)

    async def _return(self, port: int, number: int, seats: int) -> None:
        members = []
        tables = []
        for seat in range(seats):
            peer, rooms = await arrival(port, f"p{number}.{seat}", "another run")
            entered = await peer.ask({"type": "join", "id": 2, "room": rooms[0]})
            members.append(peer)
            tables.append(entered)
        self._seat(members, seats, tables[-1])

    def _seat(self, members: list[Peer], seats: int, entered: Heard | None = None) -> None:
        for seat, peer in enumerate(members):
            known = entered.table.turn if entered and entered.table else None
            self._players.append(_Player(peer, self.tally, seat, known, first=seat == 0))

    async def _arrive(self, port: int, name: str) -> None:
        self._players.append(_Relayed(await person(port, name), self.tally, 0, 0))

    async def _open_relay(self, port: int, room: int, seat: int, seats: int) -> None:
        peer = await Peer.open(port, str(room))
        self._players.append(_Relayed(peer, self.tally, seat, seats))


class _Player:
    """Somebody at a table: answers each own decision at once, and begins the next game."""

    __slots__ = (
        "_first",
        "_ids",
        "_is_first_to_move",
        "_known",
        "_seat",
        "_sent_at",
        "_tally",
        "peer",
    )

    def __init__(
        self, peer: Peer, tally: Tally, seat: int, known: Turn | None, *, first: bool
    ) -> None:
        self.peer = peer
        self._is_first_to_move = False
        self._tally = tally
        self._seat = seat
        self._known = known
        self._first = first
        self._ids: Iterator[int] = count(10)
        self._sent_at = 0.0
        peer.on_message = self._hear

    def start(self) -> None:
        known = self._known
        self._is_first_to_move = self._first if known is None else known.seat == self._seat
        if self._is_first_to_move:
            self._send({"type": "chat", "text": "go"} if known is None else _move(known))

    def _hear(self, message: bytes) -> None:
        heard = decode(message)
        if heard.type != "update" or heard.table is None or heard.event is None:
            return
        tally = self._tally
        tally.updates += 1
        tally.update_bytes += len(message)
        if self._sent_at:
            tally.latencies.append(perf_counter() - self._sent_at)
            self._sent_at = 0.0
            if self._is_first_to_move:
                self._is_first_to_move = False
                tally.first_answer()
        turn = heard.table.turn
        if turn is None:
            if self._first and heard.event.type == "finished":
                self._send({"type": "start"})
        elif turn.seat == self._seat:
            self._send(_move(turn))

    def _send(self, command: dict[str, Any]) -> None:
        self._tally.moves += 1
        self._sent_at = perf_counter()
        self.peer.send(pack({**command, "id": next(self._ids)}))


class _Relayed:
    """Somebody at a relay, who moves in turn with the others of the room."""

    __slots__ = ("_seat", "_seats", "_sent_at", "_tally", "peer")

    _PADDING: Final = bytes(len(pack({"type": "roll", "id": 1000, "ply": 50})) - 8)

    def __init__(self, peer: Peer, tally: Tally, seat: int, seats: int) -> None:
        self.peer = peer
        self._tally = tally
        self._seat = seat
        self._seats = seats
        self._sent_at = 0.0
        peer.on_message = self._hear

    def start(self) -> None:
        if self._seat == 0:
            self._send(0)

    def _hear(self, message: bytes) -> None:
        tally = self._tally
        tally.updates += 1
        tally.update_bytes += len(message)
        if self._sent_at:
            tally.latencies.append(perf_counter() - self._sent_at)
            self._sent_at = 0.0
        number = int.from_bytes(message[:8]) + 1
        if self._seat < self._seats and (number // _CHANGES) % self._seats == self._seat:
            self._send(number)

    def _send(self, number: int) -> None:
        self._tally.moves += 1
        self._sent_at = perf_counter()
        self.peer.send(number.to_bytes(8) + self._PADDING)


async def person(port: int, name: str) -> Peer:
    """Somebody who has connected and said hello."""
    return (await arrival(port, name))[0]


async def arrival(
    port: int, name: str, instance: str = "the first run"
) -> tuple[Peer, tuple[str, ...]]:
    """The same, with the rooms where this person has a seat.

    ``instance`` is another one for another run: commands are numbered anew.
    """
    peer = await Peer.open(port)
    token = f"{name:x<40}"
    hello = {"type": "hello", "id": 1, "name": name, "token": token, "instance": instance}
    welcome = await peer.ask(hello)
    return peer, welcome.rooms


async def _some_at_a_time(jobs: Iterable[Coroutine[Any, Any, None]]) -> None:
    gate = asyncio.Semaphore(_OPENING)

    async def one(job: Coroutine[Any, Any, None]) -> None:
        async with gate:
            await job

    await asyncio.gather(*(one(job) for job in jobs))


def _move(turn: Turn) -> dict[str, Any]:
    if turn.decision == "choose":
        return {"type": "choose", "ply": turn.ply, "option": 1}
    if turn.decision == "roll_or_stop" and (turn.rule_of_28 >= 28 or turn.busting_rolls > 400):
        return {"type": "stop", "ply": turn.ply}
    return {"type": "roll", "ply": turn.ply}
