"""History over the wire."""

from pathlib import Path

import pytest
from many_games import fill_games
from wire import connected, serving

from cantstop_protocol import commands, messages
from cantstop_protocol.codes import ErrorCode
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.net.server import Server


async def test_pages_follow_each_other_and_hold_every_game_once(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    await fill_games(str(database), 40)
    async with serving(database) as server, connected(server.port, "Ann") as ann:
        seen: list[str] = []
        after = None
        while True:
            page = await ann.do(commands.ListGames, limit=15, after=after)
            assert isinstance(page, messages.Games)
            seen += [game.game for game in page.games]
            after = page.games[-1].cursor
            if not page.more:
                break
        assert len(seen) == len(set(seen)) == 40
        assert seen == sorted(seen, reverse=True), "the newest first"


async def test_a_question_narrows_it_down(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    await fill_games(str(database), 60)
    async with serving(database) as server, connected(server.port, "Ann") as ann:
        everything = await ann.do(commands.ListGames, limit=50)
        assert isinstance(everything, messages.Games)
        wanted = next(
            game for game in everything.games if len(game.seats) == 2 and game.winner is not None
        )
        winner = wanted.seats[wanted.winner or 0].name
        found = await ann.do(
            commands.ListGames,
            player=winner.upper(),
            seats=2,
            target=wanted.target,
            dead_markers=wanted.dead_markers,
            result="won",
            since=int(wanted.ended or 0),
            until=int(wanted.ended or 0) + 1,
        )
        assert isinstance(found, messages.Games)
        assert found.games == (wanted,)
        assert not found.more


async def test_a_running_game_comes_first_and_is_marked(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    await fill_games(str(database), 3)
    async with serving(database) as server, connected(server.port, "Ann") as ann:
        await ann.create(bots=["keller"])
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ann.until(lambda table: table.turn is not None)

        async def listed(**fields: object) -> list[str]:
            page = await ann.do(commands.ListGames, **fields)
            assert isinstance(page, messages.Games)
            return [game.status for game in page.games]

        first = await ann.do(commands.ListGames)
        assert isinstance(first, messages.Games)
        assert len(first.games) == 4
        running = first.games[0]
        assert (running.status, running.ended, running.cursor) == ("unfinished", None, None)
        assert [seat.name for seat in running.seats] == ["Ann", "keller"]
        assert await listed(player="ANN") == ["unfinished"]
        assert await listed(player="Ann", opponent="keller", kind="keller") == ["unfinished"]
        assert await listed(player="Ann", opponent="Ann") == []
        assert await listed(player="Ann", seats=3) == []
        assert await listed(player="Ann", target=2) == []
        assert await listed(player="Ann", dead_markers="kept") == []
        assert await listed(player="Ann", kind="random") == []
        assert await listed(player="Ann", result="finished") == []
        assert await listed(player="Ann", until=253_402_300_799) == []
        assert await listed(player="Ann", since=0) == ["unfinished"]
        await ann.expect_ok(commands.Leave(id=ann.next_id()))
        assert await listed(player="Ann") == ["finished"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"after": "nonsense"}, "this is no cursor"),
        ({"result": "won"}, "who won? that needs a player"),
        ({"result": "lost", "opponent": "Ben"}, "who lost? that needs a player"),
    ],
)
async def test_a_question_without_sense_is_refused(
    tmp_path: Path, fields: dict[str, str], said: str
) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        refused = await ann.do(commands.ListGames, **fields)
        assert isinstance(refused, messages.Error)
        assert refused.code is ErrorCode.BAD_QUESTION
        assert said in refused.message


async def test_lists_have_a_rate(tmp_path: Path) -> None:
    limits = Limits(list_rate=0.001, list_burst=3)
    config = ServerConfig(database=str(tmp_path / "games.db"), port=0, limits=limits)
    async with Server(config) as server, connected(server.port, "Ann") as ann:
        for kind in (commands.ListGames, commands.ListRooms, commands.ListGames):
            assert not isinstance(await ann.do(kind), messages.Error)
        refused = await ann.do(commands.ListGames)
        assert isinstance(refused, messages.Error)
        assert refused.code is ErrorCode.TOO_FAST


async def test_a_stranger_learns_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port) as stranger:
        refused = await stranger.do(commands.ListGames)
        assert isinstance(refused, messages.Error)
        assert refused.code is ErrorCode.NOT_IDENTIFIED
