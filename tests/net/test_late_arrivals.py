"""What was sent on a connection long given up arrives in the end, and disturbs nobody."""

from pathlib import Path

from wire import connected, serving

from cantstop_protocol import commands, messages
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
