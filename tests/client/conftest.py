"""A scripted server, tables to look at, and a data directory of one's own for each test."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import scenes
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from cantstop_client.address import Address, parse_address
from cantstop_protocol.codec import decode_command, encode
from cantstop_protocol.commands import Command, Hello
from cantstop_protocol.limits import SUBPROTOCOL
from cantstop_protocol.messages import Greeting, Message, Welcome
from cantstop_protocol.table import Columns, Seat, Table, Turn

SECONDS = 90
"""How long anything may take before a test fails; far above what is ever needed."""

LENGTHS = (3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3)
GOLDENS = Path(__file__).parent / "goldens"


class Peer:
    """The server's end of one connection, driven by a script."""

    def __init__(self, websocket: ServerConnection) -> None:
        self.websocket = websocket

    async def tell(self, *messages: Message) -> None:
        for message in messages:
            await self.websocket.send(encode(message))

    async def hear(self) -> Command:
        return decode_command(await self.websocket.recv())

    async def welcome(self, server: str = "5e", name: str = "Ann") -> Hello:
        """The opening up to the point where the client is known."""
        await self.tell(Greeting(server=server, name="den", software="test", bots=("keller",)))
        hello = await self.hear()
        assert isinstance(hello, Hello)
        await self.tell(Welcome(re=hello.id, name=name, rooms=()))
        return hello

    async def until_gone(self) -> None:
        try:
            while True:
                await self.websocket.recv()
        except ConnectionClosed:
            pass


Script = Callable[[Peer], Awaitable[None]]


@pytest.fixture
def scripted() -> Callable[..., Any]:
    """A server that plays one script for each connection, in order; the last one again and again.

    When a script ends, its connection is closed. A failed assertion in one fails the test.
    """

    @asynccontextmanager
    async def serve_scripts(
        *scripts: Script, subprotocol: str = SUBPROTOCOL
    ) -> AsyncIterator[Address]:
        left = list(scripts)
        failures: list[BaseException] = []

        async def play(websocket: ServerConnection) -> None:
            script = left.pop(0) if len(left) > 1 else left[0]
            try:
                await script(Peer(websocket))
            except ConnectionClosed:
                pass
            except BaseException as error:
                failures.append(error)
                raise

        async with (
            serve(
                play,
                "127.0.0.1",
                0,
                subprotocols=[Subprotocol(subprotocol)],
                compression=None,
                close_timeout=1,
            ) as server,
            asyncio.timeout(SECONDS),
        ):
            yield parse_address(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        if failures:
            raise failures[0]

    return serve_scripts


@pytest.fixture
def data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory that nobody else uses."""
    directory = tmp_path / "data"
    monkeypatch.setenv("CANTSTOP_DATA_DIR", str(directory))
    monkeypatch.setenv("CANTSTOP_CONFIG_DIR", str(tmp_path / "config"))
    for name in ("CANTSTOP_NAME", "CANTSTOP_SERVER", "CANTSTOP_MDNS_INTERFACES", "CANTSTOP_PORT"):
        monkeypatch.delenv(name, raising=False)
    return directory


@pytest.fixture
def columns() -> Callable[..., Columns]:
    """Steps by column, ``columns({7: 3})``."""

    def make(steps: dict[int, int] | None = None) -> Columns:
        return tuple((steps or {}).get(column, 0) for column in range(2, 13))  # type: ignore[return-value]

    return make


@pytest.fixture
def seat(columns: Callable[..., Columns]) -> Callable[..., Seat]:
    """A seat, ``seat("Ann", {7: 3})``."""

    def make(name: str, markers: dict[int, int] | None = None, **fields: Any) -> Seat:
        usual: dict[str, Any] = {"bot": None, "autopilot": None, "away": False, "resigned": False}
        return Seat(name=name, markers=columns(markers), **(usual | fields))

    return make


@pytest.fixture
def turn(columns: Callable[..., Columns]) -> Callable[..., Turn]:
    """A turn, ``turn(0, "roll_or_stop", {7: 3})``."""

    def make(
        seat: int = 0,
        decision: str = "roll",
        runners: dict[int, int] | None = None,
        **fields: Any,
    ) -> Turn:
        usual: dict[str, Any] = {
            "number": 1,
            "ply": 1,
            "dice": None,
            "options": (),
            "busting_rolls": 0,
            "rule_of_28": 0,
        }
        return Turn(seat=seat, decision=decision, runners=columns(runners), **(usual | fields))  # type: ignore[arg-type]

    return make


@pytest.fixture
def table(seat: Callable[..., Seat]) -> Callable[..., Table]:
    """A table with a game between Ann and keller, unless told otherwise."""

    def make(*seats: Seat | None, owners: dict[int, int] | None = None, **fields: Any) -> Table:
        sitting = seats or (seat("Ann"), seat("keller", bot="keller"))
        return scenes.table(*sitting, owners=owners, **{"title": "", **fields})

    return make


@pytest.fixture
def goldens() -> Path:
    """Where the golden files are."""
    return GOLDENS


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, list[str]], None]:
    """Compares lines with the file of that name; ``CANTSTOP_WRITE_GOLDENS=1`` writes it."""
    import os

    def check(name: str, lines: list[str]) -> None:
        assert re.fullmatch(r"[a-z0-9_]+", name)
        path = GOLDENS / f"{name}.txt"
        text = "\n".join(lines) + "\n"
        if os.environ.get("CANTSTOP_WRITE_GOLDENS"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        assert path.read_text("utf-8") == text

    return check
