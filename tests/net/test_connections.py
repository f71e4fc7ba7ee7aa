"""Who is who: names, tokens, returns, replacements, versions, shutdown."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol
from wire import connected, serving

from cantstop_protocol import commands, events, messages
from cantstop_protocol.codec import encode
from cantstop_protocol.codes import ByeCode, ErrorCode, ExitCode
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.errors import ServerError
from cantstop_server.net.server import Server
from cantstop_server.players.registry import KINDS
from cantstop_server.storage.store import Store

ANN_TOKEN = "a" * 64


async def test_a_name_belongs_to_its_token(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server:
        async with connected(server.port, "Ann", token=ANN_TOKEN) as ann:
            assert ann.greeting.bots == KINDS
        async with connected(server.port) as thief:
            for name in ("Ann", "ANN", " ann ", "\uff21nn"):
                reply = await thief.hello(name, token="b" * 64)
                assert isinstance(reply, messages.Error)
                assert reply.code is ErrorCode.NAME_TAKEN
            welcome = await thief.hello("Ben", token="b" * 64)
            assert isinstance(welcome, messages.Welcome)
        async with connected(server.port, "ann", token=ANN_TOKEN):
            pass


async def test_tokens_are_kept_only_as_hashes(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server, connected(server.port, "Ann", token=ANN_TOKEN):
        pass
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Ann" in files
    assert ANN_TOKEN.encode() not in files


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "\u200b",
        "a\x1b[31mb",
        "a\x9bb",
        "a\u202eb",
        "a\nb",
        "x" * 21,
        "\u754c" * 11,
        "keller",
        "Random 2",
        "/ann",
        "\u2800",
    ],
)
async def test_names_that_cannot_be_are_refused_and_another_may_follow(
    tmp_path: Path, name: str
) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port) as client:
        reply = await client.hello(name)
        assert isinstance(reply, messages.Error)
        assert reply.code is ErrorCode.BAD_NAME
        assert isinstance(await client.hello("Ann"), messages.Welcome)


@pytest.mark.parametrize("offered", [["cantstop.9"], ["chat"], None])
async def test_another_version_is_refused_in_words(
    tmp_path: Path, offered: list[str] | None
) -> None:
    async with serving(tmp_path / "games.db") as server:
        protocols = [Subprotocol(name) for name in offered] if offered else None
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{server.port}", subprotocols=protocols)
        assert refused.value.response.status_code == 400
        assert b"cantstop.1" in refused.value.response.body


async def test_a_returning_player_gets_the_pending_dice_and_what_was_missed(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ben") as ben:
        async with connected(server.port, "Ann", token=ANN_TOKEN) as ann:
            entered = await ann.create(seats=2)
            assert isinstance(entered, messages.Entered)
            code = entered.table.room
            await ben.join(code)
            await ann.expect_ok(commands.Start(id=ann.next_id()))
            table = await ann.until(lambda t: t.phase == "playing")
            mover = ann if table.turn and table.turn.seat == 0 else ben
            assert table.turn is not None
            assert isinstance(await mover.do(commands.Roll, ply=table.turn.ply), messages.Ok)
            await ann.until(lambda t: t.turn is not None and t.turn.decision == "choose")
            pending = ann.table
            seen = ann.updates[-1].seq
            await ann.drop()
        await ben.until(lambda t: bool(t.seats[0] and t.seats[0].away))
        async with connected(server.port, "Ann", token=ANN_TOKEN) as ann:
            back = await ann.join(code, last_seq=seen)
            assert isinstance(back, messages.Entered)
            assert back.complete
            assert [type(n.event) for n in back.events] == [events.Away, events.Back]
            assert pending is not None
            assert back.table.turn == pending.turn
            assert back.seat == 0


async def test_the_newest_connection_wins_and_the_late_close_of_the_old_is_harmless(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ann", token=ANN_TOKEN) as old,
        connected(server.port, "Ann", token=ANN_TOKEN) as new,
    ):
        bye = await old.wait_for(messages.Bye)
        assert bye.code is ByeCode.REPLACED
        with pytest.raises(ConnectionClosed):
            await old.receive()
        entered = await new.create(seats=1)
        assert isinstance(entered, messages.Entered)
        await old.websocket.close()
        assert isinstance(await new.do(commands.Start), messages.Ok)
        assert new.table is not None
        assert not new.table.seats[0].away


async def test_private_rooms_ask_newcomers_for_the_password(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        entered = await ann.create(seats=3, password="swordfish")
        assert isinstance(entered, messages.Entered)
        code = entered.table.room
        for password in ("", "tuna", "swordfish "):
            reply = await ben.join(code, password=password)
            assert isinstance(reply, messages.Error)
            assert reply.code is ErrorCode.BAD_PASSWORD
        assert isinstance(await ben.join(code.lower(), password="swordfish"), messages.Entered)
        rooms = await ben.do(commands.ListRooms)
        assert isinstance(rooms, messages.Rooms)
        assert [(room.room, room.private, room.free_seats) for room in rooms.rooms] == [
            (code, True, 1)
        ]


async def test_two_joins_for_the_last_seat_give_it_to_one(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
        connected(server.port, "Cat") as cat,
    ):
        entered = await ann.create(seats=2)
        assert isinstance(entered, messages.Entered)
        replies = await asyncio.gather(*(c.join(entered.table.room) for c in (ben, cat)))
        assert sorted(type(reply).__name__ for reply in replies) == ["Entered", "Error"]
        refused = next(reply for reply in replies if isinstance(reply, messages.Error))
        assert refused.code is ErrorCode.ROOM_FULL


async def test_shutdown_tells_everyone_and_the_next_start_has_the_same_dice(
    tmp_path: Path,
) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server:
        client = connected(server.port, "Ann", token=ANN_TOKEN)
        ann = await client.__aenter__()
        entered = await ann.create(seats=2, bots=["keller"])
        assert isinstance(entered, messages.Entered)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        table = await ann.until(lambda t: bool(t.turn and t.turn.seat == 0))
        assert table.turn is not None
        await ann.expect_ok(commands.Roll(id=ann.next_id(), ply=table.turn.ply))
        before = await ann.until(lambda t: t.turn is not None and t.turn.ply > table.turn.ply)
    assert (await ann.wait_for(messages.Bye)).code is ByeCode.SHUTDOWN
    await client.__aexit__(None, None, None)
    with sqlite3.connect(database) as opened:
        assert opened.execute("pragma integrity_check").fetchone() == ("ok",)
    opened.close()
    async with (
        serving(database) as server,
        connected(server.port, "Ann", token=ANN_TOKEN) as ann,
    ):
        back = await ann.join(entered.table.room)
        assert isinstance(back, messages.Entered)
        assert back.seat == 0
        assert back.table.turn == before.turn
        await ann.play_on()


async def test_a_private_server_ends_its_games_as_abandoned(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with (
        serving(database, private=True) as server,
        connected(server.port, "Ann") as ann,
    ):
        await ann.create(seats=1)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await server.__aexit__(None, None, None)
        assert (await ann.wait_for(messages.Exit)).code is ExitCode.ROOM_CLOSED
    store = await Store.open(str(database))
    (game,) = await store.history()
    records = await store.records()
    await store.close()
    assert game.status == "abandoned"
    assert [record for record in records if record.games] == []


async def test_a_room_ends_when_everyone_has_been_away_for_the_grace_time(
    tmp_path: Path,
) -> None:
    database = tmp_path / "games.db"
    limits = Limits(game_grace=0.0)
    async with serving(database, limits=limits) as server, connected(server.port, "Ben") as ben:
        async with connected(server.port, "Ann") as ann:
            entered = await ann.create(seats=1)
            assert isinstance(entered, messages.Entered)
            await ann.expect_ok(commands.Start(id=ann.next_id()))
        async with asyncio.timeout(20):
            while True:
                rooms = await ben.do(commands.ListRooms)
                assert isinstance(rooms, messages.Rooms)
                if not rooms.rooms:
                    break
                await asyncio.sleep(0)
    store = await Store.open(str(database))
    (game,) = await store.history()
    await store.close()
    assert game.status == "abandoned"


async def test_computer_players_alone_finish_their_game_and_the_room_ends(
    tmp_path: Path,
) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server:
        async with connected(server.port, "Ann") as ann:
            await ann.create(seats=2, bots=["keller", "random"], role="spectator")
            await ann.expect_ok(commands.Start(id=ann.next_id()))
        async with connected(server.port, "Ben") as ben, asyncio.timeout(20):
            while True:
                rooms = await ben.do(commands.ListRooms)
                assert isinstance(rooms, messages.Rooms)
                if not rooms.rooms:
                    break
                await asyncio.sleep(0)
    store = await Store.open(str(database))
    (game,) = await store.history()
    await store.close()
    assert game.status == "finished"


async def test_a_client_that_never_says_hello_is_told_and_closed(tmp_path: Path) -> None:
    limits = Limits(hello_timeout=0.05)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port) as stranger,
    ):
        assert (await stranger.wait_for(messages.Bye)).code is ByeCode.IDLE


async def test_a_full_server_says_so(tmp_path: Path) -> None:
    limits = Limits(connections=1)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port, "Ann"),
    ):
        with pytest.raises(InvalidStatus) as refused:
            async with connected(server.port, "Ben"):
                pass
        assert refused.value.response.status_code == 503


async def test_a_port_in_use_is_one_clear_line(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server:
        config = ServerConfig(database=str(tmp_path / "other.db"), port=server.port)
        with pytest.raises(ServerError, match=f"port {server.port}.*--port"):
            async with Server(config):
                pass


async def test_a_second_host_on_the_same_database_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db"):
        with pytest.raises(ServerError, match="another"):
            async with serving(tmp_path / "games.db"):
                pass


async def test_leaving_and_returning_at_once_keeps_the_connection_in_the_room(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        entered = await ann.create(seats=2)
        assert isinstance(entered, messages.Entered)
        code = entered.table.room
        async with connected(server.port, "Ben") as ben:
            await ben.join(code)
            await ann.websocket.send(encode(commands.Leave(id=901)))
            await ann.websocket.send(encode(commands.Join(id=902, room=code)))
            assert await ann.reply_to(901) == messages.Ok(re=901)
            assert isinstance(await ann.reply_to(902), messages.Entered)
            assert isinstance(await ann.do(commands.Chat, text="back"), messages.Ok)
            await ben.do(commands.Chat, text="hello again")
            await ann.wait_for(messages.Update)


async def test_a_leave_whose_answer_was_lost_is_sent_again_without_returning(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ben") as ben,
    ):
        entered = await ben.create(seats=2)
        assert isinstance(entered, messages.Entered)
        code = entered.table.room
        leave = commands.Leave(id=700, room=code)
        async with connected(server.port, "Ann", token=ANN_TOKEN, instance="i" * 16) as ann:
            reply = await ann.ask(leave)
            assert isinstance(reply, messages.Error)
            assert reply.code is ErrorCode.NOT_IN_ROOM
        async with connected(server.port, "Ann", token=ANN_TOKEN, instance="i" * 16) as ann:
            await ann.join(code)
            assert await ann.ask(leave) == messages.Ok(re=700)
        async with connected(server.port, "Ann", token=ANN_TOKEN, instance="i" * 16) as ann:
            assert await ann.ask(leave) == messages.Ok(re=700), "the same answer once more"
        rooms = await ben.do(commands.ListRooms)
        assert isinstance(rooms, messages.Rooms)
        assert [room.names for room in rooms.rooms] == [("Ben",)]


async def test_a_create_sent_again_gives_the_same_room_and_role(tmp_path: Path) -> None:
    create = commands.Create(id=600, role="spectator")
    async with serving(tmp_path / "games.db") as server:
        codes = set()
        async with connected(server.port, "Ben") as ben:
            for _ in range(2):
                async with connected(server.port, "Ann", token=ANN_TOKEN, instance="i" * 16) as ann:
                    for _ in range(2):
                        entered = await ann.ask(create)
                        assert isinstance(entered, messages.Entered)
                        assert entered.seat is None
                        codes.add(entered.table.room)
                    if len(codes) == 1:
                        await ben.join(entered.table.room)
        assert len(codes) == 1


async def test_a_room_whose_creator_only_watched_has_a_new_one_after_a_restart(
    tmp_path: Path,
) -> None:
    database = tmp_path / "games.db"
    async with (
        serving(database) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        entered = await ann.create(seats=2, role="spectator")
        assert isinstance(entered, messages.Entered)
        await ben.join(entered.table.room)
    async with serving(database) as server, connected(server.port, "Ben") as ben:
        back = await ben.join(entered.table.room)
        assert isinstance(back, messages.Entered)
        assert back.table.creator == "Ben"
        assert isinstance(await ben.do(commands.AddBot, kind="keller"), messages.Ok)


async def test_an_old_leave_that_is_repeated_after_a_return_puts_nobody_out(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ben") as ben,
        connected(server.port, "Ann") as ann,
    ):
        entered = await ben.create(seats=2)
        assert isinstance(entered, messages.Entered)
        await ann.join(entered.table.room)
        leave = commands.Leave(id=700)
        assert await ann.ask(leave) == messages.Ok(re=700)
        await ann.join(entered.table.room)
        assert await ann.ask(leave) == messages.Ok(re=700)
        assert isinstance(await ann.do(commands.Chat, text="still here"), messages.Ok)
        await ann.drop()
        await ben.until(lambda t: bool(t.seats[1] and t.seats[1].away))


async def test_time_that_runs_out_is_told_and_twice_brings_the_autopilot(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        entered = await ann.create(seats=2, decision_seconds=1)
        assert isinstance(entered, messages.Entered)
        await ben.join(entered.table.room)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        while not (ann.updates and isinstance(ann.updates[-1].event, events.AutopilotSet)):
            await ann.receive()
        told = [type(u.event) for u in ann.updates]
        assert told.count(events.TimeUp) == 2


async def test_an_absent_player_is_played_for_until_the_return(tmp_path: Path) -> None:
    limits = Limits(absence_grace=0.0)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port, "Ben") as ben,
    ):
        async with connected(server.port, "Ann", token=ANN_TOKEN) as ann:
            entered = await ann.create(seats=2, target=5)
            assert isinstance(entered, messages.Entered)
            await ben.join(entered.table.room)
            await ann.expect_ok(commands.Start(id=ann.next_id()))
        while not (ben.table and ben.table.seats[0] and ben.table.seats[0].autopilot):
            # Either may have been drawn to begin.
            if ben.table and ben.table.turn and ben.table.turn.seat == ben.seat:
                await ben.move(ben.table)
            else:
                await ben.receive()
        async with connected(server.port, "Ann", token=ANN_TOKEN) as ann:
            back = await ann.join(entered.table.room)
            assert isinstance(back, messages.Entered)
            assert back.table.seats[0] is not None
            assert back.table.seats[0].autopilot is None


async def test_a_kicked_person_is_told_and_stays_out(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        entered = await ann.create(seats=2)
        assert isinstance(entered, messages.Entered)
        code = entered.table.room
        await ben.join(code)
        assert isinstance(await ann.do(commands.Kick, name="ben"), messages.Ok)
        assert (await ben.wait_for(messages.Exit)).code is ExitCode.KICKED
        refused = await ben.join(code)
        assert isinstance(refused, messages.Error)
        assert refused.code is ErrorCode.NOT_ADMITTED
        assert isinstance(await ben.create(seats=1), messages.Entered)


async def test_spectators_talk_among_themselves(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Cat") as cat,
        connected(server.port, "Dan") as dan,
    ):
        entered = await ann.create(seats=1)
        assert isinstance(entered, messages.Entered)
        for spectator in (cat, dan):
            await spectator.join(entered.table.room, role="spectator")
        assert isinstance(await cat.do(commands.Chat, text="psst"), messages.Ok)
        for spectator in (cat, dan):
            assert (await spectator.wait_for(messages.Aside)).text == "psst"
        await ann.do(commands.Chat, text="anybody there?")
        assert not any(isinstance(message, messages.Aside) for message in ann.heard)


async def test_connections_from_one_address_are_bounded(tmp_path: Path) -> None:
    limits = Limits(connections_per_address=1)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port, "Ann"),
    ):
        with pytest.raises(InvalidStatus) as refused:
            async with connected(server.port, "Ben"):
                pass
        assert refused.value.response.status_code == 429


async def test_passwords_may_not_be_tried_for_long(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Mal") as mallory,
    ):
        entered = await ann.create(seats=2, password="swordfish")
        assert isinstance(entered, messages.Entered)
        replies = [await mallory.join(entered.table.room, password=f"guess {n}") for n in range(8)]
        codes = [reply.code for reply in replies if isinstance(reply, messages.Error)]
        assert codes[:5] == [ErrorCode.BAD_PASSWORD] * 5
        assert codes[-1] is ErrorCode.TOO_FAST


async def test_a_list_of_rooms_shows_free_seats_first(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        assert isinstance(await ann.create(seats=1), messages.Entered)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        async with connected(server.port, "Ben") as ben:
            entered = await ben.create(seats=2)
            assert isinstance(entered, messages.Entered)
            listed = await ben.do(commands.ListRooms)
            assert isinstance(listed, messages.Rooms)
            assert [room.free_seats for room in listed.rooms] == [1, 0]


async def test_updates_of_one_step_say_that_more_follow(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await ann.create(seats=1, target=1)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ann.play_on()
        *_, stopped, finished, revealed = ann.updates
        assert (type(stopped.event), stopped.more) == (events.Stopped, True)
        assert (type(finished.event), finished.more) == (events.Finished, True)
        assert (type(revealed.event), revealed.more) == (events.Revealed, False)
        assert stopped.table == finished.table == revealed.table


async def test_the_clock_that_a_returning_player_is_shown_is_the_one_that_runs(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ben") as ben:
        async with connected(server.port, "Ann", token=ANN_TOKEN) as ann:
            entered = await ann.create(seats=2, decision_seconds=600)
            assert isinstance(entered, messages.Entered)
            code = entered.table.room
            await ben.join(code)
            await ann.expect_ok(commands.Start(id=ann.next_id()))
            await ann.until(lambda t: t.phase == "playing")
        async with connected(server.port, "Ann", token=ANN_TOKEN) as ann:
            first = await ann.join(code)
            again = await ann.join(code)
            assert isinstance(first, messages.Entered)
            assert isinstance(again, messages.Entered)
            assert first.table.turn is not None
            assert again.table.turn is not None
            assert 0 < (first.table.turn.seconds_left or 0) < 600
            assert (again.table.turn.seconds_left or 0) <= first.table.turn.seconds_left


async def test_a_welcome_names_the_rooms_where_a_seat_is_held(tmp_path: Path) -> None:
    database = tmp_path / "games.db"

    async def rooms_of(server: Server, name: str) -> tuple[str, ...]:
        async with connected(server.port) as again:
            welcome = await again.hello(name)
            assert isinstance(welcome, messages.Welcome)
            return welcome.rooms

    async with serving(database) as server, connected(server.port, "Ben") as ben:
        async with connected(server.port, "Ann") as ann:
            entered = await ann.create(seats=2)
            assert isinstance(entered, messages.Entered)
            code = entered.table.room
            await ben.join(code)
        assert await rooms_of(server, "Ann") == (code,)
        assert await rooms_of(server, "Cat") == ()
        async with connected(server.port, "Ann") as ann:
            assert isinstance(await ann.do(commands.Leave, room=code), messages.Ok)
        assert await rooms_of(server, "Ann") == ()
    async with serving(database) as server:
        assert await rooms_of(server, "Ben") == (code,)
        assert await rooms_of(server, "Ann") == ()
