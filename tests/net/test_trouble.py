"""What happens at the tables when the database, a computer player or a room fails."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from wire import WireClient, connected, serving

from cantstop_protocol import commands, events, messages
from cantstop_protocol.codec import encode
from cantstop_protocol.codes import ErrorCode, ExitCode
from cantstop_protocol.table import Table
from cantstop_server.rooms import bots, dispatch
from cantstop_server.rooms.outcome import World
from cantstop_server.rooms.table import Tables
from cantstop_server.rooms.world import real_world
from cantstop_server.rules.game import Game


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Another program holds the database for itself."""
    other = sqlite3.connect(database, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")
    finally:
        other.close()


async def solitaire(client: WireClient) -> str:
    entered = await client.create(seats=1)
    assert isinstance(entered, messages.Entered)
    await client.expect_ok(commands.Start(id=client.next_id()))
    await client.until(lambda t: t.phase == "playing")
    return entered.table.room


async def test_a_move_that_does_not_become_durable_is_undone_and_may_be_made_again(
    tmp_path: Path,
) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server, connected(server.port, "Ann") as ann:
        code = await solitaire(ann)
        before = ann.table
        assert before is not None
        assert before.turn is not None
        with locked(database):
            refused = await ann.do(commands.Roll, ply=before.turn.ply)
            assert isinstance(refused, messages.Error)
            assert refused.code is ErrorCode.STORAGE
            assert "Traceback" not in refused.message
            assert "locked" in (await ann.wait_for(messages.Notice)).message
            again = await ann.join(code)
            assert isinstance(again, messages.Entered)
            assert again.table == before
        assert isinstance(await ann.do(commands.Roll, ply=before.turn.ply), messages.Ok)
        assert "works again" in (await ann.wait_for(messages.Notice)).message
        await ann.play_on()


async def test_computer_players_wait_for_the_database_and_then_go_on(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with (
        serving(database, bot_delay=0.01) as server,
        connected(server.port, "Ann") as ann,
    ):
        await ann.create(seats=2, bots=["keller", "keller"], role="spectator")
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ann.until(lambda t: t.phase == "playing")
        with locked(database):
            await ann.wait_for(messages.Notice)
        while not (ann.updates and isinstance(ann.updates[-1].event, events.Revealed)):
            await ann.receive()
        numbers = [update.seq for update in ann.updates]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


async def test_who_drops_during_the_trouble_is_shown_as_away_after_it(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server, connected(server.port, "Ben") as ben:
        async with connected(server.port, "Ann") as ann:
            entered = await ann.create(seats=2)
            assert isinstance(entered, messages.Entered)
            await ben.join(entered.table.room)
            with locked(database):
                await ann.drop()
                await ben.wait_for(messages.Notice)
        await ben.until(lambda t: bool(t.seats[0] and t.seats[0].away))


@asynccontextmanager
async def room_and_visitor(database: Path) -> AsyncIterator[tuple[str, WireClient]]:
    """A room of Ann's with a free seat, and Ben, who is in no room."""
    async with (
        serving(database) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        entered = await ann.create(seats=2)
        assert isinstance(entered, messages.Entered)
        yield entered.table.room, ben


async def test_who_leaves_before_an_entering_that_fails_is_in_no_room(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with room_and_visitor(database) as (code, ben):
        join = commands.Join(id=ben.next_id(), room=code)
        leave = commands.Leave(id=ben.next_id())
        with locked(database):
            await ben.websocket.send(encode(join))
            await ben.websocket.send(encode(leave))
            for command in (join, leave):
                refused = await ben.reply_to(command.id)
                assert isinstance(refused, messages.Error)
                assert refused.code is ErrorCode.STORAGE
        assert isinstance(await ben.create(seats=2), messages.Entered)


async def test_a_room_whose_creation_failed_leaves_nothing_behind(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server, connected(server.port, "Ann") as ann:
        with locked(database):
            refused = await ann.create(seats=2)
            assert isinstance(refused, messages.Error)
            assert refused.code is ErrorCode.STORAGE
        listed = await ann.do(commands.ListRooms)
        assert isinstance(listed, messages.Rooms)
        assert listed.rooms == ()
        assert isinstance(await ann.create(seats=2), messages.Entered)


async def test_hello_during_the_trouble_is_refused_and_works_after_it(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server, connected(server.port) as ann:
        with locked(database):
            refused = await ann.hello("Ann")
            assert isinstance(refused, messages.Error)
            assert refused.code is ErrorCode.STORAGE
        assert isinstance(await ann.hello("Ann"), messages.Welcome)


class Raising:
    """A computer player that cannot decide anything."""

    kind = "keller"

    def choose(self, game: Game) -> int:
        raise RuntimeError("no idea")

    def stop(self, game: Game) -> bool:
        raise RuntimeError("no idea")


class OutOfRange(Raising):
    """A computer player that takes an option which is not there."""

    def choose(self, game: Game) -> int:
        return 99


@pytest.mark.parametrize("player", [Raising, OutOfRange])
async def test_a_computer_player_that_fails_is_told_of_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, player: type[Raising]
) -> None:
    monkeypatch.setattr(bots, "make_player", lambda kind: player())
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await ann.create(seats=2, bots=["keller"])
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ann.play_on()
        failed = [u.event for u in ann.updates if isinstance(u.event, events.BotFailed)]
        assert failed
        assert {event.seat for event in failed} == {1}


async def test_a_fault_in_one_room_changes_nothing_and_disturbs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    row = dispatch.ROWS[commands.Autopilot]
    monkeypatch.setitem(dispatch.ROWS, commands.Autopilot, row._replace(handle=broken))
    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        await solitaire(ann)
        await solitaire(ben)
        before = ann.table
        reply = await ann.do(commands.Autopilot, kind="keller")
        assert isinstance(reply, messages.Error)
        assert reply.code is ErrorCode.INTERNAL
        assert ann.table == before
        await asyncio.gather(ann.play_on(), ben.play_on())
    assert "ZeroDivisionError" in caplog.text


async def test_a_dice_source_that_fails_once_costs_nothing(tmp_path: Path) -> None:
    real = real_world()
    failures = iter([True])

    def roll() -> tuple[int, int, int, int]:
        if next(failures, False):
            raise OSError("no entropy")
        return real.roll_dice()

    world = World(roll, real.now, real.game_id)
    async with (
        serving(tmp_path / "games.db", world=world) as server,
        connected(server.port, "Ann") as ann,
    ):
        await solitaire(ann)
        assert ann.table is not None
        assert ann.table.turn is not None
        ply = ann.table.turn.ply
        failed = await ann.do(commands.Roll, ply=ply)
        assert isinstance(failed, messages.Error)
        assert failed.code is ErrorCode.INTERNAL
        assert isinstance(await ann.do(commands.Roll, ply=ply), messages.Ok)


async def test_a_fault_in_showing_a_table_puts_its_people_out_and_they_may_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter([True])

    encoded = Tables.encoded

    def shaky(tables: Tables, *shown: Any) -> Table:
        if next(failures, False):
            raise ZeroDivisionError
        return encoded(tables, *shown)

    async with (
        serving(tmp_path / "games.db") as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        code = await solitaire(ann)
        await solitaire(ben)
        assert ann.table is not None
        assert ann.table.turn is not None
        monkeypatch.setattr(Tables, "encoded", shaky)
        roll = commands.Roll(id=ann.next_id(), ply=ann.table.turn.ply)
        await ann.websocket.send(encode(roll))
        assert (await ann.wait_for(messages.Exit)).code is ExitCode.ROOM_FAULT
        back = await ann.join(code)
        assert isinstance(back, messages.Entered)
        assert back.table.turn is not None
        assert back.table.turn.ply == roll.ply + 1, "the roll was durable and is shown now"
        await asyncio.gather(ann.play_on(), ben.play_on())


async def test_a_spectator_whose_sitting_down_fails_goes_on_watching(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with room_and_visitor(database) as (code, ben):
        await ben.join(code, role="spectator")
        with locked(database):
            refused = await ben.join(code)
            assert isinstance(refused, messages.Error)
            assert refused.code is ErrorCode.STORAGE
        assert isinstance(await ben.do(commands.Chat, text="still watching"), messages.Ok)
        seated = await ben.join(code)
        assert isinstance(seated, messages.Entered)
        assert seated.seat == 1


async def test_a_create_sent_again_at_once_after_trouble_makes_a_whole_room(
    tmp_path: Path,
) -> None:
    database = tmp_path / "games.db"
    create = commands.Create(id=77)
    async with serving(database) as server, connected(server.port, "Ann") as ann:
        with locked(database):
            assert isinstance(await ann.ask(create), messages.Error)
        entered = await ann.ask(create)
        assert isinstance(entered, messages.Entered)
        assert [type(n.event) for n in entered.events] == [events.Created, events.Joined]
        listed = await ann.do(commands.ListRooms)
        assert isinstance(listed, messages.Rooms)
        assert [room.room for room in listed.rooms] == [entered.table.room]


async def test_who_is_known_says_hello_while_the_database_is_locked(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server:
        async with connected(server.port, "Ann"):
            pass
        with locked(database):
            async with connected(server.port, "Ann") as ann:
                listed = await ann.do(commands.ListRooms)
                assert isinstance(listed, messages.Rooms)
