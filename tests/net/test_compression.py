"""Compression is for those who ask for it, of a server that has it."""

from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol
from wire import WireClient, connected, serving

from cantstop_protocol import commands, messages
from cantstop_protocol.limits import SUBPROTOCOL


@pytest.mark.parametrize("offered", [False, True])
async def test_a_game_over_a_compressed_connection_beside_a_plain_one(
    tmp_path: Path, offered: bool
) -> None:
    async with (
        serving(tmp_path / "games.db", compression=offered) as server,
        connect(
            f"ws://127.0.0.1:{server.port}",
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression="deflate",
        ) as websocket,
        connected(server.port, "Ben") as ben,
    ):
        assert bool(websocket.protocol.extensions) is offered
        ann = WireClient(websocket)
        await ann.receive()
        assert isinstance(await ann.hello("Ann"), messages.Welcome)
        entered = await ann.create(seats=1, target=1)
        assert isinstance(entered, messages.Entered)
        await ben.join(entered.table.room, role="spectator")
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ann.play_on()
        await ben.until(lambda table: table.phase == "over")
        assert ben.table == ann.table
