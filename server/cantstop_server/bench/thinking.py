"""What the strong player costs: a turn's time, and whether other rooms notice it think."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from cantstop_protocol import commands
from cantstop_protocol.codec import decode_message, encode
from cantstop_protocol.events import Finished
from cantstop_protocol.limits import SUBPROTOCOL
from cantstop_protocol.messages import Entered, Error, Message, Update
from cantstop_protocol.table import GameOptions, Table
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.net.server import Server
from cantstop_server.players.expert.library import DUEL, network
from cantstop_server.players.expert.player import ExpertPlayer
from cantstop_server.players.expert.position import View
from cantstop_server.players.expert.solution import NumpySolver, Solution
from cantstop_server.rules.setup import make_setup
from cantstop_server.simulate import play_game, seeded_dice

_WARM_UP: Final = 20
_PAUSE: Final = 0.02
"""Seconds between moves, so that they meet the others at all stages of their turns."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Times in milliseconds."""

    median: float
    p95: float
    highest: float


@dataclass(frozen=True, slots=True)
class ThinkingBench:
    """``turn`` is the time of one core that the solution of a turn takes, over so many ``turns``
    of games of the strong player against itself. ``alone`` and ``beside`` are how long the answer
    to a move takes in a room of its own, and beside ``rooms`` rooms where two strong players play
    each other at the usual pace."""

    turns: int
    turn: Spread
    rooms: int
    moves: int
    alone: Spread
    beside: Spread

    def as_dict(self) -> dict[str, object]:
        """The same as plain values that JSON can hold."""
        return asdict(self)


def run_thinking_bench(games: int, rooms: int, moves: int, seed: int) -> ThinkingBench:
    """Measure. Raises ``ValueError`` for numbers below 1."""
    if min(games, rooms, moves) < 1:
        raise ValueError("the numbers of games, rooms and moves are at least 1")
    times = turn_times(games, seed)
    alone = asyncio.run(_move_times(0, moves))
    beside = asyncio.run(_move_times(rooms, moves))
    return ThinkingBench(len(times), _spread(times), rooms, moves, _spread(alone), _spread(beside))


def format_thinking(result: ThinkingBench) -> str:
    """The result for people."""
    rows = (
        (f"a turn ({result.turns:,} turns)", result.turn),
        (f"a move ({result.moves:,} moves)", result.alone),
        (f"a move beside {result.rooms} rooms", result.beside),
    )
    lines = [f"{'milliseconds':<28}{'median':>10}{'95 %':>10}{'highest':>10}"]
    lines += [f"{name:<28}{s.median:>10.1f}{s.p95:>10.1f}{s.highest:>10.1f}" for name, s in rows]
    return "\n".join(lines)


def turn_times(games: int, seed: int) -> list[float]:
    """What each turn of so many games costs, in seconds of one core."""
    solver = NumpySolver(network(DUEL))
    times: list[float] = []
    last: list[tuple[View, Solution]] = []

    def solve(view: View) -> Solution:
        if not last or last[-1][0] != view:
            start = thread_time()
            last[:] = [(view, solver.solve(view))]
            times.append(thread_time() - start)
        return last[-1][1]

    player, dice = ExpertPlayer(solve), seeded_dice(seed)
    play_game(make_setup(2), (player, player), dice)  # Builds the tables, which a server does once.
    times.clear()
    for number in range(games):
        play_game(make_setup(2, first=number % 2), (player, player), dice)
    return times


def _spread(seconds: list[float]) -> Spread:
    ordered = sorted(1000 * taken for taken in seconds)
    return Spread(median(ordered), ordered[int(0.95 * (len(ordered) - 1))], ordered[-1])


async def _move_times(rooms: int, moves: int) -> list[float]:
    """How long the answers to moves of a solitaire game take, in seconds."""
    limits = Limits(rooms_per_person=10_000, command_rate=1e6, command_burst=1_000_000)
    with TemporaryDirectory() as folder:
        config = ServerConfig(database=str(Path(folder) / "bench.db"), port=0, limits=limits)
        async with Server(config) as server, AsyncExitStack() as stack:
            for number in range(rooms):
                watcher = await stack.enter_async_context(_client(server.port, f"watcher{number}"))
                await watcher.watch_experts()
                reading = asyncio.create_task(watcher.read_on())
                stack.callback(reading.cancel)
            client = await stack.enter_async_context(_client(server.port, "mover"))
            await client.ask(commands.Create(id=client.next_id(), options=GameOptions(seats=1)))
            for _ in range(_WARM_UP):
                await client.move()
            times = []
            for _ in range(moves):
                times.append(await client.move())
                await asyncio.sleep(_PAUSE)
            return times


@asynccontextmanager
async def _client(port: int, name: str) -> AsyncIterator["_Client"]:
    url, protocols = f"ws://127.0.0.1:{port}", [Subprotocol(SUBPROTOCOL)]
    async with connect(url, subprotocols=protocols, compression=None) as connection:
        client = _Client(connection)
        await connection.recv()
        token, instance = secrets.token_hex(20), secrets.token_hex(8)
        await client.ask(
            commands.Hello(id=client.next_id(), name=name, token=token, instance=instance)
        )
        yield client


class _Client:
    """Just enough of a client to make moves and to wait for their answers."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._ids = count(1)
        self._table: Table | None = None

    def next_id(self) -> int:
        return next(self._ids)

    async def ask(self, command: commands.Command) -> Message:
        await self._connection.send(encode(command))
        while True:
            message = await self._receive()
            if getattr(message, "re", None) == command.id:
                if isinstance(message, Error):
                    raise RuntimeError(message.message)
                return message

    async def watch_experts(self) -> None:
        """Open a room where two strong players play."""
        options = GameOptions(seats=2)
        await self.ask(commands.Create(id=self.next_id(), options=options, role="spectator"))
        for _ in range(options.seats):
            await self.ask(commands.AddBot(id=self.next_id(), kind="expert"))
        await self.ask(commands.Start(id=self.next_id()))

    async def read_on(self) -> None:
        """Read, and start the next game when one is over."""
        while True:
            message = await self._receive()
            if isinstance(message, Update) and isinstance(message.event, Finished):
                await self.ask(commands.Start(id=self.next_id()))

    async def move(self) -> float:
        """Make a plain move in solitaire: how long the answer took, in seconds."""
        while self._table is None or self._table.turn is None:
            await self.ask(commands.Start(id=self.next_id()))
        turn, number = self._table.turn, self.next_id()
        command: commands.Command
        match turn.decision:
            case "choose":
                command = commands.Choose(id=number, ply=turn.ply, option=1)
            case "roll_or_stop" if turn.busting_rolls > 200:
                command = commands.Stop(id=number, ply=turn.ply)
            case _:
                command = commands.Roll(id=number, ply=turn.ply)
        start = perf_counter()
        await self.ask(command)
        return perf_counter() - start

    async def _receive(self) -> Message:
        message = decode_message(await self._connection.recv())
        if isinstance(message, Update | Entered):
            self._table = message.table
        return message
