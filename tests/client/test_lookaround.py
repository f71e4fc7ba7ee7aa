"""Short visits to servers: a real one, and one that is not there."""

import asyncio
from pathlib import Path

import pytest
from wire import connected, serving

from cantstop_client.address import parse_address
from cantstop_client.lookaround import visit, visit_all
from cantstop_client.settings import Settings, load_settings
from cantstop_protocol import commands


@pytest.fixture
def settings(data_directory: Path, tmp_path: Path) -> Settings:
    return load_settings({"name": "Ann"}, {}, tmp_path / "none")


async def test_rooms_and_held_seats_are_seen(tmp_path: Path, settings: Settings) -> None:
    async with serving(tmp_path / "games.db") as server:
        address = parse_address(f"127.0.0.1:{server.port}")
        empty = await visit(address, settings)
        assert (empty.server, empty.held, empty.rooms, empty.trouble) == ("test table", (), (), "")
        async with connected(server.port, "Ben") as ben:
            await ben.create(seats=3)
            seen, nobody = await visit_all([address, parse_address("127.0.0.1:1")], settings)
            await ben.do(commands.Leave)
    (room,) = seen.rooms
    assert (room.names, room.free_seats) == (("Ben",), 2)
    assert "cannot reach 127.0.0.1:1: connection refused" in nobody.trouble
    assert "\n" not in nobody.trouble


async def test_a_server_that_says_nothing_holds_nobody_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cantstop_client.lookaround._SECONDS", 0.05)
    silent = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with silent:
        port = silent.sockets[0].getsockname()[1]
        seen = await visit(parse_address(f"127.0.0.1:{port}"), settings)
    assert f"127.0.0.1:{port}" in seen.trouble
