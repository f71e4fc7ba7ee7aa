"""Everything malformed or out of place gets an error and disturbs nobody's game."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgpack
import pytest
from websockets.exceptions import ConnectionClosed
from wire import WireClient, connected, serving

from cantstop_protocol import commands, events, messages
from cantstop_protocol.codec import encode
from cantstop_protocol.codes import ByeCode, ErrorCode
from cantstop_protocol.limits import MAX_COMMAND_BYTES
from cantstop_server.config import Limits
from cantstop_server.rooms.outcome import World
from cantstop_server.rooms.world import real_world


def nested(depth: int) -> bytes:
    return b"\x91" * depth + b"\xc0"


SHAPES = {
    "empty": b"",
    "null": msgpack.packb(None),
    "true": msgpack.packb(True),
    "a number": msgpack.packb(7),
    "a string": msgpack.packb("roll"),
    "bytes": msgpack.packb(b"roll"),
    "a list": msgpack.packb(["roll", 1]),
    "an empty map": msgpack.packb({}),
    "no type": msgpack.packb({"id": 1}),
    "unknown type": msgpack.packb({"type": "cheat", "id": 1}),
    "a server's type": msgpack.packb({"type": "update", "id": 1}),
    "type is a list": msgpack.packb({"type": ["roll"], "id": 1}),
    "type is a map": msgpack.packb({"type": {"a": 1}, "id": 1}),
    "type is null": msgpack.packb({"type": None, "id": 1}),
    "integer keys": b"\x81\x01\x02",
    "no id": msgpack.packb({"type": "roll", "ply": 0}),
    "id is true": msgpack.packb({"type": "roll", "id": True, "ply": 0}),
    "id is a float": msgpack.packb({"type": "roll", "id": 1.0, "ply": 0}),
    "id is a string": msgpack.packb({"type": "roll", "id": "1", "ply": 0}),
    "id is zero": msgpack.packb({"type": "roll", "id": 0, "ply": 0}),
    "id is negative": msgpack.packb({"type": "roll", "id": -1, "ply": 0}),
    "id is huge": msgpack.packb({"type": "roll", "id": 2**63, "ply": 0}),
    "ply is missing": msgpack.packb({"type": "roll", "id": 1}),
    "ply is a bool": msgpack.packb({"type": "stop", "id": 1, "ply": False}),
    "ply is null": msgpack.packb({"type": "stop", "id": 1, "ply": None}),
    "option is zero": msgpack.packb({"type": "choose", "id": 1, "ply": 0, "option": 0}),
    "option is negative": msgpack.packb({"type": "choose", "id": 1, "ply": 0, "option": -1}),
    "option is a bool": msgpack.packb({"type": "choose", "id": 1, "ply": 0, "option": True}),
    "option is a column": msgpack.packb({"type": "choose", "id": 1, "ply": 0, "option": 12}),
    "an unknown field": msgpack.packb({"type": "roll", "id": 1, "ply": 0, "dice": [6, 6, 6, 6]}),
    "text is bytes": msgpack.packb({"type": "chat", "id": 1, "text": b"hi"}),
    "text is a number": msgpack.packb({"type": "chat", "id": 1, "text": 5}),
    "target is 0": msgpack.packb({"type": "create", "id": 1, "options": {"target": 0}}),
    "seats are 5": msgpack.packb({"type": "create", "id": 1, "options": {"seats": 5}}),
    "options are a list": msgpack.packb({"type": "create", "id": 1, "options": [2, 3]}),
    "an extension type": msgpack.packb(msgpack.ExtType(4, b"xxxx")),
    "a timestamp": msgpack.packb(msgpack.Timestamp(1, 0)),
    "cut short": encode(commands.Roll(id=1, ply=0))[:-3],
    "two messages": encode(commands.Roll(id=1, ply=0)) * 2,
    "not utf-8": b"\x82\xa4type\xa4chat\xa4text\xa2\xff\xfe",
    "a reserved byte": b"\xc1",
    "nested deeply": nested(3000),
    "nested within a command": b"\x83\xa4type\xa4chat\xa2id\x01\xa4text" + nested(500),
    "a list that claims to be huge": b"\xdd\xff\xff\xff\xff",
    "a map that claims to be huge": b"\xdf\xff\xff\xff\xff",
    "a string that claims to be huge": b"\xdb\xff\xff\xff\xff",
    "many fields": msgpack.packb({str(n): n for n in range(100)}),
    "a text frame": "roll",
    "JSON": '{"type": "roll", "id": 1, "ply": 0}',
}


def ann_begins() -> World:
    """Real dice, but for the draw: Ann in the first seat wins it."""
    real, draw = real_world(), deque([(6, 6, 6, 6), (1, 1, 1, 1)])
    return World(lambda: draw.popleft() if draw else real.roll_dice(), real.now, real.game_id)


@dataclass
class Table:
    port: int
    code: str
    ann: WireClient
    ben: WireClient


@pytest.fixture
async def game(tmp_path: Path) -> AsyncIterator[Table]:
    """Ann and Ben in a started game; Ann is to roll."""
    async with (
        serving(tmp_path / "games.db", world=ann_begins()) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        entered = await ann.create(seats=2)
        assert isinstance(entered, messages.Entered)
        await ben.join(entered.table.room)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ben.until(lambda t: t.phase == "playing")
        yield Table(server.port, entered.table.room, ann, ben)


async def finish(game: Table) -> None:
    tables = await asyncio.gather(game.ann.play_on(), game.ben.play_on())
    assert tables[0].result == tables[1].result
    assert tables[0].result is not None
    assert tables[0].result.winner is not None


async def test_each_malformed_frame_gets_an_error_and_the_game_ends_normally(game: Table) -> None:
    async with connected(game.port, "Mal") as mallory:
        for attacker in (mallory, game.ben):
            for name, frame in SHAPES.items():
                before = game.ann.table
                await attacker.websocket.send(frame)
                reply = await attacker.wait_for(messages.Error)
                assert reply.code is ErrorCode.MALFORMED, name
                assert reply.message, name
                assert "Traceback" not in reply.message
                assert game.ann.table == before, name
    await finish(game)


async def test_the_id_is_echoed_whenever_it_can_be_read(game: Table) -> None:
    await game.ann.websocket.send(msgpack.packb({"type": "cheat", "id": 77}))
    assert (await game.ann.reply_to(77)).code is ErrorCode.MALFORMED


async def test_a_frame_past_the_limit_ends_only_its_own_connection(game: Table) -> None:
    async with connected(game.port, "Mal") as mallory:
        await mallory.websocket.send(b"\xc0" * (MAX_COMMAND_BYTES + 1))
        with pytest.raises(ConnectionClosed) as closed:
            await mallory.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
    await finish(game)


async def test_out_of_phase_and_out_of_turn_moves_change_nothing(game: Table) -> None:
    ann, ben = game.ann, game.ben
    before = await ann.until(lambda t: t.phase == "playing")
    assert before.turn is not None
    ply = before.turn.ply

    async def refused(
        client: WireClient, code: ErrorCode, kind: type[commands.Command], /, **fields: object
    ) -> None:
        reply = await client.do(kind, **fields)
        assert isinstance(reply, messages.Error), reply
        assert reply.code is code

    await refused(ann, ErrorCode.NOT_ALLOWED, commands.Stop, ply=ply)
    await refused(ann, ErrorCode.NOT_ALLOWED, commands.Choose, ply=ply, option=1)
    await refused(ann, ErrorCode.STALE, commands.Roll, ply=ply + 1)
    for kind, fields in (
        (commands.Roll, {"ply": ply}),
        (commands.Stop, {"ply": ply}),
        (commands.Choose, {"ply": ply, "option": 1}),
    ):
        await refused(ben, ErrorCode.NOT_YOUR_TURN, kind, **fields)
    await refused(ann, ErrorCode.NOT_ALLOWED, commands.AddBot, kind="keller")
    await refused(ann, ErrorCode.ALREADY_IN_ROOM, commands.Create)
    await refused(ann, ErrorCode.ALREADY_IN_ROOM, commands.Join, room="ZZZZZ")
    await refused(
        ann,
        ErrorCode.ALREADY_IDENTIFIED,
        commands.Hello,
        name="Eve",
        token="e" * 40,
        instance="e" * 8,
    )
    async with connected(game.port, "Cat") as cat:
        await refused(cat, ErrorCode.NOT_IN_ROOM, commands.Roll, ply=ply)
        await refused(cat, ErrorCode.NOT_IN_ROOM, commands.Leave)
        await refused(cat, ErrorCode.NO_SUCH_ROOM, commands.Join, room="ZZZZZ")
        await refused(cat, ErrorCode.ROOM_FULL, commands.Join, room=game.code)
        await cat.join(game.code, role="spectator")
        await refused(cat, ErrorCode.NOT_SEATED, commands.Roll, ply=ply)
        await refused(cat, ErrorCode.NOT_SEATED, commands.Choose, ply=ply, option=1)
        await refused(cat, ErrorCode.NOT_SEATED, commands.Stop, ply=ply)
        await refused(cat, ErrorCode.NOT_SEATED, commands.Autopilot, kind="keller")
        assert cat.table is not None
        assert cat.table.turn == before.turn
    await finish(game)
    await refused(ann, ErrorCode.NOT_ALLOWED, commands.Roll, ply=ply)


async def test_before_hello_nothing_else_is_taken(game: Table) -> None:
    async with connected(game.port) as stranger:
        for command in (
            commands.ListRooms(id=1),
            commands.Create(id=2),
            commands.Join(id=3, room=game.code),
            commands.Chat(id=4, text="hi"),
            commands.Roll(id=5, ply=0),
        ):
            reply = await stranger.ask(command)
            assert isinstance(reply, messages.Error)
            assert reply.code is ErrorCode.NOT_IDENTIFIED


async def test_moves_that_arrive_together_have_one_effect(game: Table) -> None:
    ann = game.ann
    table = await ann.until(lambda t: t.phase == "playing")
    assert table.turn is not None
    ply = table.turn.ply
    frames = [encode(commands.Roll(id=i, ply=ply)) for i in (901, 902)]
    frames += [
        encode(commands.Choose(id=903, ply=ply + 1, option=1)),
        encode(commands.Choose(id=904, ply=ply + 1, option=1)),
        encode(commands.Stop(id=905, ply=ply + 2)),
        encode(commands.Stop(id=906, ply=ply + 2)),
        encode(commands.Roll(id=907, ply=ply + 2)),
    ]
    for frame in frames:
        await ann.websocket.send(frame)
    replies: dict[int, messages.Message] = {}
    while len(replies) < len(frames):
        message = await ann.receive()
        if isinstance(message, messages.Ok | messages.Error):
            assert message.re is not None
            replies[message.re] = message
    accepted = [id for id, reply in sorted(replies.items()) if isinstance(reply, messages.Ok)]
    assert accepted == [901, 903, 905]
    told = [type(u.event) for u in ann.updates if isinstance(u.event, MOVES)]
    assert told == [events.Rolled, events.Advanced, events.Stopped]
    assert ann.table is not None
    assert ann.table.turn is not None
    assert (ann.table.turn.seat, ann.table.turn.decision) != (ann.seat, "roll_or_stop")
    await finish(game)


MOVES = events.Rolled | events.Advanced | events.Stopped | events.Busted


async def test_one_request_sent_twice_has_one_effect_and_the_same_answer(game: Table) -> None:
    chat = commands.Chat(id=500, text="only once")
    first = await game.ann.ask(chat)
    second = await game.ann.ask(chat)
    assert first == second == messages.Ok(re=500)
    said = [u for u in game.ann.updates if isinstance(u.event, events.Chatted)]
    assert len(said) == 1


async def test_flooding_is_answered_politely_and_then_ended(tmp_path: Path) -> None:
    limits = Limits(command_rate=0.001, command_burst=20, refusal_rate=0.001, refusal_burst=30)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port, "Ann") as ann,
    ):
        codes = set()
        with suppress(ConnectionClosed):
            for _ in range(60):
                reply = await ann.do(commands.ListRooms)
                if isinstance(reply, messages.Error):
                    codes.add(reply.code)
        assert codes == {ErrorCode.TOO_FAST}
        assert (await ann.wait_for(messages.Bye)).code is ByeCode.FLOOD


async def test_chat_is_limited_for_itself(game: Table) -> None:
    replies = [await game.ann.do(commands.Chat, text=f"line {n}") for n in range(10)]
    refused = [reply for reply in replies if isinstance(reply, messages.Error)]
    assert refused
    assert {reply.code for reply in refused} == {ErrorCode.TOO_FAST}
    await finish(game)
