"""Records and leaders over the wire, and which games count for the ratings."""

from pathlib import Path

import pytest
from wire import WireClient, connected, scripted_world, serving

from cantstop_protocol import commands, messages
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.standings import PlayerStats
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.net.server import Server


async def stats_of(client: WireClient, name: str = "") -> PlayerStats | None:
    reply = await client.do(commands.GetStats, name=name)
    assert isinstance(reply, messages.Stats)
    return reply.player


async def played(client: WireClient, **options: object) -> None:
    await client.create(**options)
    await client.expect_ok(commands.Start(id=client.next_id()))
    await client.play_on()
    await client.expect_ok(commands.Leave(id=client.next_id()))


async def test_a_rated_game_is_in_the_records_when_it_is_over(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await played(ann, target=1, bots=["random"])
        mine = await stats_of(ann)
        theirs = await stats_of(ann, "Random")
        assert mine is not None
        assert theirs is not None
        assert (mine.name, mine.bot, mine.games) == ("Ann", None, 1)
        assert (theirs.name, theirs.bot, theirs.games) == ("random", "random", 1)
        assert mine.wins == theirs.losses == int(mine.streak > 0)
        assert [(v.name, v.games, v.wins) for v in mine.opponents] == [("random", 1, mine.wins)]
        assert mine.rating is not None
        assert len(mine.history) == mine.rating.games == 1
        leaders = await ann.do(commands.GetLeaders)
        assert isinstance(leaders, messages.Leaders)
        assert [player.rank for player in leaders.rated] == [1, 2]
        assert (leaders.rated[0].name == "Ann") == (mine.wins == 1)
        assert leaders.solitaire == ()


async def test_solitaire_stands_apart(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await played(ann, seats=1, target=1)
        mine = await stats_of(ann)
        assert mine is not None
        assert (mine.games, mine.wins, mine.rating) == (0, 0, None)
        leaders = await ann.do(commands.GetLeaders)
        assert isinstance(leaders, messages.Leaders)
        assert leaders.rated == ()
        assert leaders.solitaire == mine.solitaire
        assert mine.solitaire[0].games == 1


async def test_nobody_has_no_record_and_a_newcomer_an_empty_one(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        assert await stats_of(ann, "nobody") is None
        mine = await stats_of(ann)
        assert mine is not None
        assert (mine.games, mine.habits, mine.rating) == (0, None, None)


async def test_a_room_with_hints_is_casual(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await ann.create(hints=True, target=1, bots=["random"])
        assert ann.table is not None
        assert ann.table.options.hints
        assert not ann.table.options.rated
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ann.play_on()
        mine = await stats_of(ann)
        assert mine is not None
        assert (mine.games, mine.rating) == (1, None)


async def test_a_rated_room_gives_no_hints(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await ann.create(bots=["random"])
        assert ann.table is not None
        assert ann.table.options.rated
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        table = await ann.until(lambda t: t.turn is not None and t.turn.seat == ann.seat)
        assert table.turn is not None
        refused = await ann.do(commands.Hint, ply=table.turn.ply)
        assert isinstance(refused, messages.Error)
        assert refused.code is ErrorCode.NOT_ALLOWED


async def with_autopilot(directory: Path, *, rolls_first: bool, wins: bool) -> PlayerStats:
    """Ann's record after a game against Ben in which she lets a computer play."""
    # A column of three steps: with these dice everybody who rolls climbs column 2 alone.
    world = scripted_world([(1, 1, 1, 1)])
    async with (
        serving(directory / "games.db", world=world) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        await ann.create(target=1)
        assert ann.table is not None
        await ben.join(ann.table.room)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        if rolls_first:
            table = await ann.until(lambda t: t.turn is not None and t.turn.seat == ann.seat)
            await ann.move(table)
        await ann.expect_ok(commands.Autopilot(id=ann.next_id(), kind="cautious"))
        if wins:
            await ann.until(lambda t: t.phase == "over")
        else:
            await ann.expect_ok(commands.Resign(id=ann.next_id()))
        assert ann.table is not None
        assert ann.table.result is not None
        assert (ann.table.result.winner == ann.seat) == wins
        mine = await stats_of(ann)
        assert mine is not None
        assert mine.games == 1
        return mine


@pytest.mark.parametrize(
    ("rolls_first", "wins", "rated"),
    [(False, False, False), (True, True, False), (True, False, True)],
    ids=["from the start", "to the win", "to the defeat"],
)
async def test_a_computer_that_was_asked_for_wins_no_rating_and_saves_none(
    tmp_path: Path, rolls_first: bool, wins: bool, rated: bool
) -> None:
    mine = await with_autopilot(tmp_path, rolls_first=rolls_first, wins=wins)
    assert (mine.rating is not None) == rated


async def test_records_are_told_at_a_rate(tmp_path: Path) -> None:
    limits = Limits(list_rate=0.001, list_burst=2)
    config = ServerConfig(database=str(tmp_path / "games.db"), port=0, limits=limits)
    async with Server(config) as server, connected(server.port, "Ann") as ann:
        assert isinstance(await ann.do(commands.GetStats), messages.Stats)
        assert isinstance(await ann.do(commands.GetLeaders), messages.Leaders)
        refused = await ann.do(commands.GetStats)
        assert isinstance(refused, messages.Error)
        assert refused.code is ErrorCode.TOO_FAST
