"""The example session of the protocol's README: parsed from it, and recorded from a real server.

``python tests/support/transcript.py`` prints the session as it is to stand in the README.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol
from wire import SECONDS, scripted_world, serving

from cantstop_protocol.limits import SUBPROTOCOL

SECRET: Final = bytes(range(32))
SERVER: Final = "6f1d0c6a93e2475fb18e20c45d7a3b09"
ROOM: Final = "BADOK"
SOFTWARE: Final = "cantstop 0.1.0"
AS_BEFORE: Final = {"…": "as before"}

COMMANDS: Final[tuple[dict[str, Any], ...]] = (
    {"type": "create", "options": {"seats": 1, "target": 1}},
    {"type": "start"},
    {"type": "roll", "ply": 0},
    {"type": "roll", "ply": 0},
    {"type": "choose", "ply": 1, "option": 1},
    {"type": "roll", "ply": 2},
    {"type": "choose", "ply": 3, "option": 1},
    {"type": "stop", "ply": 4},
    {"type": "leave"},
)
DICE: Final = [(6, 6, 5, 1), (6, 6, 6, 6)]

_WIDTH: Final = 96
_HEX_TYPES: Final = ("greeting", "hello", "welcome", "create", "start", "roll", "ok", "error")


class Frame(NamedTuple):
    """One frame: ``sender`` is ``→`` for the client and ``←`` for the server."""

    sender: str
    value: dict[str, Any]
    hex: str = ""


async def record(directory: Path) -> list[Frame]:
    """Play the session on a real server. What is random about a server is made the same."""
    async with (
        serving(directory / "games.db", world=scripted_world(DICE)) as server,
        connect(
            f"ws://127.0.0.1:{server.port}",
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            proxy=None,
        ) as socket,
    ):
        greeting = await _receive(socket)
        told = {
            greeting["server"]: SERVER,
            greeting["name"]: "Friday night",
            greeting["software"]: SOFTWARE,
        }
        frames = [Frame("←", _renamed(greeting, told))]
        token = hmac.new(SECRET, SERVER.encode(), hashlib.sha256).hexdigest()
        hello = {"type": "hello", "name": "Ann", "token": token, "instance": "k2v9x0qd"}
        for id, command in enumerate((hello, *COMMANDS), 1):
            tag, *fields = command.items()
            sent = dict((tag, ("id", id), *fields))
            await socket.send(msgpack.packb(sent))
            frames.append(Frame("→", sent))
            while True:
                message = await _receive(socket)
                if message["type"] == "entered":
                    told[message["table"]["room"]] = ROOM
                frames.append(Frame("←", _renamed(message, told)))
                if message.get("re") == id:
                    break
    return frames


def render(frames: list[Frame]) -> str:
    """The frames as they stand in the README."""
    lines = []
    seen: set[tuple[str, str]] = set()
    table: dict[str, Any] = {}
    for sender, value, _ in frames:
        kind = (value["type"], value.get("event", {}).get("type", ""))
        in_hex = kind not in seen and (kind[0] in _HEX_TYPES or kind[1] == "rolled")
        seen.add(kind)
        shown = value
        if table and "table" in value and not in_hex:
            changed = {k: v for k, v in value["table"].items() if v != table[k]}
            shown = value | {"table": AS_BEFORE | changed}
        table = value.get("table", table)
        lines.append(f"{sender} {_notation(shown, 2)}")
        if in_hex:
            digits = msgpack.packb(value).hex()
            lines += [f"  {digits[i : i + _WIDTH]}" for i in range(0, len(digits), _WIDTH)]
    return "\n".join(lines)


def parse(block: str) -> list[Frame]:
    """The frames of a rendered session, their tables whole."""
    frames = []
    table: dict[str, Any] = {}
    for text in re.split(r"^(?=[→←] )", block, flags=re.MULTILINE)[1:]:
        value, end = json.JSONDecoder().raw_decode(text, 2)
        if AS_BEFORE.items() <= value.get("table", {}).items():
            changed = {k: v for k, v in value["table"].items() if k not in AS_BEFORE}
            assert changed.keys() <= table.keys(), changed
            value["table"] = table | changed
        table = value.get("table", table)
        frames.append(Frame(text[0], value, "".join(text[end:].split())))
    return frames


async def _receive(socket: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(SECONDS):
        message: dict[str, Any] = msgpack.unpackb(await socket.recv())
    return message


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """The value with other names for what is random."""
    match value:
        case dict():
            return {key: _renamed(item, names) for key, item in value.items()}
        case list():
            return [_renamed(item, names) for item in value]
        case str():
            return names.get(value, value)
    return value


def _notation(value: Any, indent: int, before: int = 0) -> str:
    """JSON, on one line where it fits behind as many characters."""
    line = json.dumps(value, ensure_ascii=False)
    if indent + before + len(line) <= _WIDTH or not isinstance(value, dict | list):
        return line
    pad = "\n" + " " * (indent + 2)
    items = f",{pad}".join(_items(value, indent + 2))
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{pad}{items}\n{' ' * indent}{closing}"


def _items(value: Any, indent: int) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            name = f"{json.dumps(key, ensure_ascii=False)}: "
            yield name + _notation(item, indent, len(name) + 1)
    else:
        for item in value:
            yield _notation(item, indent)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(render(asyncio.run(record(Path(name)))))
