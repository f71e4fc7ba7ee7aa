"""Whole games over real sockets, kept in a real database file."""

import asyncio
import sqlite3
from pathlib import Path

from wire import connected, serving

from cantstop_protocol import commands, events, messages
from cantstop_protocol.codes import ErrorCode
from cantstop_server.storage.store import Store


async def test_two_people_and_a_computer_player_finish_a_game_that_is_kept(
    tmp_path: Path,
) -> None:
    database = tmp_path / "games.db"
    async with (
        serving(database) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
        connected(server.port, "Cat") as cat,
    ):
        entered = await ann.create(seats=3, bots=["keller"])
        assert isinstance(entered, messages.Entered)
        code = entered.table.room
        assert isinstance(await ben.join(code), messages.Entered)
        refused = await cat.join(code)
        assert isinstance(refused, messages.Error)
        assert refused.code is ErrorCode.ROOM_FULL
        assert "watch" in refused.message
        assert isinstance(await cat.join(code, role="spectator"), messages.Entered)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        tables = await asyncio.gather(ann.play_on(), ben.play_on(), cat.play_on())
    results = {table.result for table in tables}
    assert len(results) == 1
    result = results.pop()
    assert result is not None
    numbers = [update.seq for update in cat.updates]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    finished = [u for u in cat.updates if isinstance(u.event, events.Finished)]
    assert len(finished) == 1

    store = await Store.open(str(database))
    try:
        (game,) = await store.history()
        assert (game.id, game.status, game.winner) == (result.game, "finished", result.winner)
        assert [seat.name for seat in game.seats] == ["Ann", "keller", "Ben"]
        records = {record.name: record for record in await store.records()}
        assert sum(record.wins for record in records.values()) == 1
        assert records["Ann"].by_seats[3][0] == 1
        assert set(records["Ben"].against) == {"people", "keller"}
    finally:
        await store.close()
    assert sqlite3.connect(database).execute("pragma integrity_check").fetchone() == ("ok",)
