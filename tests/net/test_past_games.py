"""Games that have ended, asked for over the wire."""

from pathlib import Path

import pytest
from generated_games import generated_games
from wire import connected, serving

from cantstop_protocol import commands, messages
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.events import Abandoned, Finished, Started
from cantstop_protocol.limits import STEPS_IN_RECORD
from cantstop_server.config import Limits
from cantstop_server.rooms.replay import game_steps
from cantstop_server.storage import transfer
from cantstop_server.storage.store import Store
from cantstop_server.storage.types import ArchivedGame

GAMES = generated_games(7, 40)


async def fill(database: Path, games: list[ArchivedGame]) -> None:
    store = await Store.open(str(database))
    await store.writing(lambda connection: [transfer.take_game(connection, g) for g in games])
    await store.close()


async def test_a_game_that_was_just_played_comes_with_the_tables_that_were_seen(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await ann.create(seats=2, target=1, bots=["random"])
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        while (table := await ann.until(lambda t: t.phase == "over" or t.turn is not None)).turn:
            if table.turn.seat == ann.seat:
                await ann.move(table)
            else:
                ply = table.turn.ply
                await ann.until(lambda t, ply=ply: t.turn is None or t.turn.ply != ply)
        record = await ann.do(commands.GetGame)
        assert isinstance(record, messages.GameRecord)
        steps = list(record.steps)
        while len(steps) < record.total:
            more = await ann.do(commands.GetGame, game=record.game, first=len(steps))
            assert isinstance(more, messages.GameRecord)
            assert more.first == len(steps)
            steps += more.steps
        moves = [
            u.event
            for u in ann.updates
            if type(u.event).__name__
            in ("Started", "Rolled", "Advanced", "Busted", "Stopped", "Finished")
        ]
        assert [type(step.event) for step in steps] == [type(event) for event in moves]
        assert [step.event for step in steps[1:]] == moves[1:]
        seen = {type(u.event).__name__: u.table for u in ann.updates}
        last = steps[-1].table
        assert last.owners == seen["Finished"].owners
        assert [s and s.markers for s in last.seats] == [
            s and s.markers for s in seen["Finished"].seats
        ]
        assert last.result == seen["Finished"].result
        assert len(record.turn_ends) == last.result.turns


async def test_every_kind_of_game_comes_in_parts_that_are_the_whole(tmp_path: Path) -> None:
    await fill(tmp_path / "games.db", GAMES)
    limits = Limits(game_rate=1e6, game_burst=10**6, command_rate=1e6, command_burst=10**6)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port, "Watcher") as ann,
    ):
        for game in GAMES:
            steps: list[messages.GameStep] = []
            while True:
                part = await ann.do(commands.GetGame, game=game.id, first=len(steps))
                assert isinstance(part, messages.GameRecord)
                assert len(part.steps) <= STEPS_IN_RECORD
                if not part.steps:
                    break
                steps += part.steps
            assert part.total == len(steps)
            assert steps == game_steps(game)
            assert isinstance(steps[0].event, Started)
            assert isinstance(steps[-1].event, Finished | Abandoned)
            assert steps[-1].table.phase == "over"
            assert steps[-1].table.result is not None
            assert steps[-1].table.result.winner == game.winner


@pytest.mark.parametrize(
    ("game", "reason"),
    [("", "no game has ended"), ("nope", "no game 'nope' has ended here")],
)
async def test_a_game_that_is_not_there_is_an_error(tmp_path: Path, game: str, reason: str) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        refused = await ann.do(commands.GetGame, game=game)
        assert isinstance(refused, messages.Error)
        assert (refused.code, refused.message) == (ErrorCode.NO_SUCH_GAME, reason)


async def test_an_ambiguous_beginning_is_an_error_and_too_many_questions_wait(
    tmp_path: Path,
) -> None:
    await fill(tmp_path / "games.db", GAMES[:2])
    limits = Limits(game_rate=0.0, game_burst=2)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port, "Ann") as ann,
    ):
        refused = await ann.do(commands.GetGame, game="g")
        assert isinstance(refused, messages.Error)
        assert "several games begin with 'g'" in refused.message
        assert isinstance(await ann.do(commands.GetGame, game="g00001"), messages.GameRecord)
        refused = await ann.do(commands.GetGame)
        assert isinstance(refused, messages.Error)
        assert refused.code is ErrorCode.TOO_FAST
