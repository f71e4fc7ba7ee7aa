"""The load: rooms of people who answer each decision at once, at a server or at its floor."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from cantstop_protocol.limits import SUBPROTOCOL

_OPENING = 64
"""How many connections are opened at a time."""


@dataclass(slots=True)
class Tally:
    """What the clients of a load saw. Latencies are from a move to its update, in seconds."""

    moves: int = 0
    update_bytes: int = 0
    updates: int = 0
    latencies: list[float] = field(default_factory=list)

    def clear(self) -> None:
        """Forget the warm-up."""
        self.moves = self.update_bytes = self.updates = 0
        self.latencies.clear()


class Load:
    """Open connections with a task each; ``running`` lets them move."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.running = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._sockets: list[ClientConnection] = []
        self._gate = asyncio.Semaphore(_OPENING)

    async def open_rooms(self, port: int, rooms: int, seats: int, spectators: int = 0) -> None:
        """Rooms at a real server, each with a game about to start."""
        await asyncio.gather(*(self._open_room(port, n, seats, spectators) for n in range(rooms)))

    async def open_floor(self, port: int, rooms: int, seats: int, spectators: int = 0) -> None:
        """Rooms at a relay."""
        await asyncio.gather(
            *(
                self._open_relay(port, room, seat, seats)
                for room in range(rooms)
                for seat in range(seats + spectators)
            )
        )

    async def close(self) -> None:
        """Let go of everything."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for websocket in self._sockets:
            websocket.transport.abort()

    async def _connect(self, url: str, *subprotocols: str) -> ClientConnection:
        async with self._gate:
            websocket = await connect(
                url,
                subprotocols=[Subprotocol(name) for name in subprotocols] or None,
                compression=None,
                ping_interval=None,
                max_size=2**20,
                max_queue=None,
                open_timeout=60,
                proxy=None,
            )
        self._sockets.append(websocket)
        return websocket

    async def _open_room(self, port: int, number: int, seats: int, spectators: int) -> None:
        creator = await self._person(port, f"p{number}.0")
        options = {"seats": seats, "absence": "wait"}
        entered = await _ask(creator, {"type": "create", "id": 2, "options": options})
        code = entered["table"]["room"]
        members = [(creator, 0)]
        for seat in range(1, seats + spectators):
            person = await self._person(port, f"p{number}.{seat}")
            role = "player" if seat < seats else "spectator"
            await _ask(person, {"type": "join", "id": 2, "room": code, "role": role})
            members.append((person, seat))
        await _ask(creator, {"type": "start", "id": 3})
        self._tasks += [
            asyncio.create_task(self._play(person, seat, creator)) for person, seat in members
        ]

    async def _person(self, port: int, name: str) -> ClientConnection:
        websocket = await self._connect(f"ws://127.0.0.1:{port}", SUBPROTOCOL)
        await websocket.recv()
        token = f"{name:x<40}"
        await _ask(
            websocket,
            {"type": "hello", "id": 1, "name": name, "token": token, "instance": "bench-run"},
        )
        return websocket

    async def _play(self, websocket: ClientConnection, seat: int, creator: object) -> None:
        """Answer each decision of one's own at once, and start the next game."""
        ids = iter(range(10, 10**9))
        tally, sent_at = self.tally, 0.0
        try:
            await self.running.wait()
            if websocket is creator:
                await websocket.send(_pack({"type": "chat", "id": next(ids), "text": "go"}))
            async for frame in websocket:
                message = msgpack.unpackb(frame)
                if message["type"] != "update":
                    continue
                tally.updates += 1
                tally.update_bytes += len(frame)
                if sent_at:
                    tally.latencies.append(time.perf_counter() - sent_at)
                    sent_at = 0.0
                turn = message["table"]["turn"]
                command: dict[str, Any] | None = None
                if turn is None:
                    if websocket is creator and message["event"]["type"] == "finished":
                        command = {"type": "start"}
                elif turn["seat"] == seat:
                    command = _move(turn)
                if command is not None:
                    sent_at = time.perf_counter()
                    tally.moves += 1
                    await websocket.send(_pack({**command, "id": next(ids)}))
        except ConnectionClosed:
            return

    async def _open_relay(self, port: int, room: int, seat: int, seats: int) -> None:
        websocket = await self._connect(f"ws://127.0.0.1:{port}/{room}")
        self._tasks.append(asyncio.create_task(self._relay(websocket, seat, seats)))

    async def _relay(self, websocket: ClientConnection, seat: int, seats: int) -> None:
        tally, sent_at = self.tally, 0.0
        padding = bytes(len(_pack({"type": "roll", "id": 1000, "ply": 50})) - 8)
        try:
            await self.running.wait()
            if seat == 0:
                await websocket.send((0).to_bytes(8) + padding)
            async for frame in websocket:
                assert isinstance(frame, bytes)
                tally.updates += 1
                tally.update_bytes += len(frame)
                if sent_at:
                    tally.latencies.append(time.perf_counter() - sent_at)
                    sent_at = 0.0
                number = int.from_bytes(frame[:8]) + 1
                if seat < seats and (number // 6) % seats == seat:
                    sent_at = time.perf_counter()
                    tally.moves += 1
                    await websocket.send(number.to_bytes(8) + padding)
        except ConnectionClosed:
            return


def _move(turn: dict[str, Any]) -> dict[str, Any]:
    ply, decision = turn["ply"], turn["decision"]
    if decision == "choose":
        return {"type": "choose", "ply": ply, "option": 1}
    if decision == "roll_or_stop" and (turn["rule_of_28"] >= 28 or turn["busting_rolls"] > 400):
        return {"type": "stop", "ply": ply}
    return {"type": "roll", "ply": ply}


def _pack(value: dict[str, Any]) -> bytes:
    packed = msgpack.packb(value)
    assert isinstance(packed, bytes)
    return packed


async def _ask(websocket: ClientConnection, command: dict[str, Any]) -> dict[str, Any]:
    await websocket.send(_pack(command))
    while True:
        message: dict[str, Any] = msgpack.unpackb(await websocket.recv())
        if message.get("re") == command["id"]:
            if message["type"] == "error":
                raise RuntimeError(f"the server refused {command['type']}: {message['message']}")
            return message
