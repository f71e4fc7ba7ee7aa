"""What was sent on a connection long given up arrives in the end, and disturbs nobody."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from patience import until
from wire import connected, serving

from cantstop_protocol import commands, events, messages
from cantstop_protocol.codec import encode
from cantstop_protocol.codes import ByeCode

TOKEN = "a" * 64
INSTANCE = "0123456789abcdef"


def hello(id: int, instance: str = INSTANCE) -> commands.Hello:
    return commands.Hello(id=id, name="Ann", token=TOKEN, instance=instance)


async def test_a_hello_that_arrives_late_does_not_replace_the_newer_one_of_the_same_client(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port) as given_up,
        connected(server.port) as newer,
    ):
        assert isinstance(await newer.ask(hello(2)), messages.Welcome)
        entered = await newer.ask(commands.Create(id=3))
        assert isinstance(entered, messages.Entered)
        await given_up.websocket.send(encode(hello(1)))
        assert (await given_up.wait_for(messages.Bye)).code is ByeCode.REPLACED
        assert isinstance(await newer.ask(commands.AddBot(id=4, kind="keller")), messages.Ok)
        assert newer.updates, "the newer one is still in its room"


async def test_a_later_hello_of_the_same_client_and_any_of_another_run_replace_the_older(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port) as first,
        connected(server.port) as second,
        connected(server.port) as third,
    ):
        assert isinstance(await first.ask(hello(5)), messages.Welcome)
        assert isinstance(await second.ask(hello(6)), messages.Welcome)
        assert (await first.wait_for(messages.Bye)).code is ByeCode.REPLACED
        assert isinstance(await third.ask(hello(1, "another run")), messages.Welcome)
        assert (await second.wait_for(messages.Bye)).code is ByeCode.REPLACED


@pytest.mark.parametrize("joins", [False, True])
async def test_a_password_that_is_still_looked_at_lets_nobody_in_who_is_elsewhere_by_then(
    tmp_path: Path, joins: bool
) -> None:
    gate = threading.Event()
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ben") as ben,
        connected(server.port) as given_up,
        connected(server.port) as newer,
    ):
        await ben.create(password="tables")
        assert ben.table is not None
        command: commands.Command = commands.Create(id=3, password="sesame")
        if joins:
            command = commands.Join(id=3, room=ben.table.room, password="tables")
        assert isinstance(await given_up.ask(hello(2)), messages.Welcome)
        waits = loop.run_in_executor(None, gate.wait)
        await given_up.websocket.send(encode(command))
        given_up.websocket.transport.pause_reading()
        assert isinstance(await newer.ask(hello(4)), messages.Welcome)
        await newer.websocket.send(encode(command))
        gate.set()
        await waits
        assert isinstance(await newer.reply_to(3), messages.Entered)
        given_up.websocket.transport.resume_reading()
        await given_up.websocket.wait_closed()
        await until(lambda: len(server._listener._known) == 2)
        await newer.do(commands.Chat, text="here I am")
        assert any(isinstance(update.event, events.Chatted) for update in newer.updates)
