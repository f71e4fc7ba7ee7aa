"""A scripted client that speaks the protocol frame by frame, and a server to speak it to."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from cantstop_protocol import commands, messages
from cantstop_protocol.codec import decode_message, encode
from cantstop_protocol.limits import SUBPROTOCOL
from cantstop_protocol.table import GameOptions, Table
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.net.server import Server
from cantstop_server.rooms.outcome import World
from cantstop_server.rules.legal import Dice

M = TypeVar("M", bound=messages.Message)

SECONDS = 20
"""How long a scripted client waits before the test fails; far above what is ever needed."""


class WireClient:
    """One connection. Replies are matched by id, everything else is kept in order."""

    def __init__(self, websocket: ClientConnection) -> None:
        self.websocket = websocket
        self.greeting: messages.Greeting
        self.heard: deque[messages.Message] = deque()
        self.updates: list[messages.Update] = []
        self.table: Table | None = None
        self.seat: int | None = None
        self._ids = count(1)

    async def hello(
        self, name: str, token: str | None = None, instance: str | None = None
    ) -> messages.Message:
        return await self.ask(
            commands.Hello(
                id=self.next_id(),
                name=name,
                token=token or f"{name:x<40}",
                instance=instance or secrets.token_hex(8),
            )
        )

    def next_id(self) -> int:
        return next(self._ids)

    async def create(self, **options: Any) -> messages.Message:
        bots = options.pop("bots", ())
        password = options.pop("password", "")
        role = options.pop("role", "player")
        reply = await self.ask(
            commands.Create(
                id=self.next_id(), options=GameOptions(**options), password=password, role=role
            )
        )
        for kind in bots:
            await self.expect_ok(commands.AddBot(id=self.next_id(), kind=kind))
        return reply

    async def join(self, code: str, **fields: Any) -> messages.Message:
        return await self.ask(commands.Join(id=self.next_id(), room=code, **fields))

    async def do(self, kind: Callable[..., commands.Command], /, **fields: Any) -> messages.Message:
        """Send a command of this kind and give its reply."""
        return await self.ask(kind(id=self.next_id(), **fields))

    async def expect_ok(self, command: commands.Command) -> None:
        reply = await self.ask(command)
        assert isinstance(reply, messages.Ok), reply

    async def ask(self, command: commands.Command) -> messages.Message:
        await self.websocket.send(encode(command))
        return await self.reply_to(command.id)

    async def reply_to(self, id: int | None) -> messages.Message:
        """The reply that names this id; what comes before it is kept."""
        while True:
            message = await self.receive()
            if getattr(message, "re", -1) == id:
                return message
            self.heard.append(message)

    async def receive(self) -> messages.Message:
        async with asyncio.timeout(SECONDS):
            message = decode_message(await self.websocket.recv())
        if isinstance(message, messages.Update):
            self.updates.append(message)
            self.table = message.table
        elif isinstance(message, messages.Entered):
            self.table = message.table
            self.seat = message.seat
        return message

    async def wait_for(self, kind: type[M], **fields: object) -> M:
        """The next message of this kind, of those kept and those to come."""
        while True:
            message = self.heard.popleft() if self.heard else await self.receive()
            if isinstance(message, kind) and all(
                getattr(message, field) == value for field, value in fields.items()
            ):
                return message

    async def until(self, condition: Callable[[Table], bool]) -> Table:
        """The first table that fits, of the present one and those to come."""
        while self.table is None or not condition(self.table):
            await self.receive()
        return self.table

    async def play_on(self) -> Table:
        """Make plain moves whenever it is this client's turn, until the game is over."""
        await self.until(lambda t: t.phase != "waiting")
        while True:
            table = await self.until(
                lambda t: t.phase != "playing" or (t.turn is not None and t.turn.seat == self.seat)
            )
            if table.phase != "playing":
                break
            await self.move(table)
        # The stop that wins shows the end already; the news of the end follows it.
        while self.updates[-1].more:
            await self.receive()
        return table

    async def move(self, table: Table) -> messages.Message:
        """One plain decision: the first option, and a stop after it when it is possible."""
        turn = table.turn
        assert turn is not None
        match turn.decision:
            case "choose":
                return await self.do(commands.Choose, ply=turn.ply, option=1)
            case "roll_or_stop" if turn.rule_of_28 >= 20 or turn.busting_rolls > 200:
                return await self.do(commands.Stop, ply=turn.ply)
            case _:
                return await self.do(commands.Roll, ply=turn.ply)

    async def drop(self) -> None:
        """Break the connection off without a farewell."""
        self.websocket.transport.abort()
        await self.websocket.wait_closed()


@asynccontextmanager
async def connected(port: int, name: str | None = None, **hello: Any) -> AsyncIterator[WireClient]:
    """A client that has heard the greeting, and has said hello if a name is given."""
    async with connect(
        f"ws://127.0.0.1:{port}",
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        compression=None,
        max_size=2**20,
    ) as websocket:
        client = WireClient(websocket)
        client.greeting = cast("messages.Greeting", await client.receive())
        if name is not None:
            reply = await client.hello(name, **hello)
            assert isinstance(reply, messages.Welcome), reply
        yield client


@asynccontextmanager
async def serving(
    database: Path,
    *,
    world: World | None = None,
    limits: Limits | None = None,
    private: bool = False,
    bot_delay: float = 0.0,
    **more: Any,
) -> AsyncIterator[Server]:
    """A real server on a free loopback port; ``more`` are further options of its configuration."""
    config = ServerConfig(
        database=str(database),
        port=0,
        name="test table",
        bot_delay=bot_delay,
        private=private,
        busy_timeout=0.05,
        # Tests ask again and again whether a room is gone.
        limits=replace(
            limits or Limits(command_rate=100_000, command_burst=100_000),
            list_rate=100_000,
            list_burst=100_000,
        ),
        **more,
    )
    async with Server(config, world) as server:
        yield server


def scripted_world(dice: Iterable[Dice]) -> World:
    """A world whose dice and clock are known; the last roll is repeated for ever."""
    rolls = deque(dice)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    ticks = count()

    def roll() -> Dice:
        return rolls.popleft() if len(rolls) > 1 else rolls[0]

    games = count(1)
    return World(
        roll_dice=roll,
        now=lambda: start + timedelta(seconds=next(ticks)),
        game_id=lambda: f"game{next(games)}",
    )
