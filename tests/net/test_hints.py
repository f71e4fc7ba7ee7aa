"""Hints in a room that allows them."""

from pathlib import Path

import pytest
from wire import connected, serving

from cantstop_protocol import commands, messages
from cantstop_protocol.codes import ErrorCode


async def test_who_is_to_move_learns_what_each_alternative_is_worth(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await ann.create(seats=1, hints=True)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        table = await ann.until(lambda t: t.turn is not None)
        assert table.turn is not None
        first = await ann.do(commands.Hint, ply=table.turn.ply)
        assert isinstance(first, messages.Hinted)
        assert [found.action for found in first.alternatives] == ["roll"]
        await ann.move(table)
        table = await ann.until(lambda t: t.turn is not None and t.turn.decision == "choose")
        assert table.turn is not None
        seen = len(ann.updates)
        found = await ann.do(commands.Hint, ply=table.turn.ply)
        assert isinstance(found, messages.Hinted)
        assert {a.option for a in found.alternatives} == set(range(1, len(table.turn.options) + 1))
        values = [a.value for a in found.alternatives]
        assert values == sorted(values), "in solitaire fewer turns are better"
        again = await ann.do(commands.Hint, ply=table.turn.ply)
        assert isinstance(again, messages.Hinted)
        assert again.alternatives == found.alternatives
        assert len(ann.updates) == seen, "a hint is no event"


async def test_chances_lie_between_none_and_certainty(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await ann.create(seats=2, hints=True, bots=["random"])
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        table = await ann.until(lambda t: t.turn is not None and t.turn.seat == ann.seat)
        assert table.turn is not None
        found = await ann.do(commands.Hint, ply=table.turn.ply)
        assert isinstance(found, messages.Hinted)
        assert all(0 <= a.value <= 1 for a in found.alternatives)


@pytest.mark.parametrize(
    ("hints", "ply", "code"), [(False, 0, ErrorCode.NOT_ALLOWED), (True, 7, ErrorCode.STALE)]
)
async def test_a_hint_that_is_not_due_is_refused(
    tmp_path: Path, hints: bool, ply: int, code: ErrorCode
) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        await ann.create(seats=1, hints=hints)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ann.until(lambda t: t.turn is not None)
        refused = await ann.do(commands.Hint, ply=ply)
        assert isinstance(refused, messages.Error)
        assert refused.code is code
