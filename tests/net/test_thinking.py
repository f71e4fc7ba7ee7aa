"""Computer players that take long over a decision."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from wire import WireClient, connected, serving

from cantstop_protocol import commands, events, messages
from cantstop_server.config import Limits
from cantstop_server.rooms import bots
from cantstop_server.rules.game import Game


class Ponderer:
    """A computer player that thinks until it is allowed to answer, and is watched doing so."""

    kind = "expert"

    def __init__(self) -> None:
        self.allowed = threading.Event()
        self.thinking = self.most = 0
        self._lock = threading.Lock()

    def choose(self, game: Game) -> int:
        self._ponder()
        return len(game.options) - 1

    def stop(self, game: Game) -> bool:
        self._ponder()
        return True

    def _ponder(self) -> None:
        with self._lock:
            self.thinking += 1
            self.most = max(self.most, self.thinking)
        self.allowed.wait()
        with self._lock:
            self.thinking -= 1


@pytest.fixture
def ponderer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ponderer]:
    player = Ponderer()
    real = bots.make_player
    monkeypatch.setattr(
        bots, "make_player", lambda kind: player if kind == "expert" else real(kind)
    )
    yield player
    player.allowed.set()


def patient(**changed: float) -> Limits:
    return Limits(command_rate=100_000, command_burst=100_000, **changed)  # type: ignore[arg-type]


async def watch_expert(client: WireClient) -> str:
    """A room in which a thinking player is alone at the table."""
    entered = await client.create(seats=1, bots=["expert"], role="spectator")
    assert isinstance(entered, messages.Entered)
    await client.expect_ok(commands.Start(id=client.next_id()))
    return entered.table.room


async def wait_for_event(client: WireClient, kind: type[events.Event]) -> events.AnyEvent:
    seen = 0
    while True:
        for update in client.updates[seen:]:
            if isinstance(update.event, kind):
                return update.event
        seen = len(client.updates)
        await client.receive()


async def test_while_it_thinks_other_rooms_play_on(tmp_path: Path, ponderer: Ponderer) -> None:
    async with (
        serving(tmp_path / "games.db", limits=patient()) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        await watch_expert(ann)
        await wait_for_event(ann, events.Rolled)
        await ben.create(seats=2, bots=["keller"])
        await ben.expect_ok(commands.Start(id=ben.next_id()))
        assert (await ben.play_on()).phase == "over"
        assert isinstance(ann.updates[-1].event, events.Rolled)
        ponderer.allowed.set()
        await ann.until(lambda t: t.phase == "over")
        failed = [u for u in ann.updates if isinstance(u.event, events.BotFailed)]
        assert failed == []


async def test_only_so_many_think_at_a_time(tmp_path: Path, ponderer: Ponderer) -> None:
    async with (
        serving(tmp_path / "games.db", limits=patient(thinkers=2)) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
        connected(server.port, "Cat") as cat,
        connected(server.port, "Dan") as dan,
    ):
        for client in (ann, ben, cat, dan):
            await watch_expert(client)
            await wait_for_event(client, events.Rolled)
        ponderer.allowed.set()
        for client in (ann, ben, cat, dan):
            await client.until(lambda t: t.phase == "over")
        assert 1 <= ponderer.most <= 2


async def test_one_that_hangs_is_told_of_and_the_game_goes_on(
    tmp_path: Path, ponderer: Ponderer
) -> None:
    async with (
        serving(tmp_path / "games.db", limits=patient(thinking_seconds=0.02)) as server,
        connected(server.port, "Ann") as ann,
    ):
        await watch_expert(ann)
        await wait_for_event(ann, events.BotFailed)
        await wait_for_event(ann, events.Advanced)
        await wait_for_event(ann, events.Stopped)
        ponderer.allowed.set()


async def test_a_thought_that_comes_too_late_changes_nothing(
    tmp_path: Path, ponderer: Ponderer
) -> None:
    async with (
        serving(tmp_path / "games.db", limits=patient()) as server,
        connected(server.port, "Ann") as ann,
    ):
        await ann.create(seats=1)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ann.expect_ok(commands.Autopilot(id=ann.next_id(), kind="expert"))
        await wait_for_event(ann, events.Rolled)
        await ann.expect_ok(commands.Autopilot(id=ann.next_id(), kind=None))
        table = ann.table
        assert table is not None
        assert table.turn is not None
        assert table.turn.decision == "choose"
        ponderer.allowed.set()
        assert isinstance(await ann.move(table), messages.Ok)
        assert (await ann.play_on()).phase == "over"
        moved = [u.event for u in ann.updates if isinstance(u.event, events.Advanced)]
        rolled = [u.event for u in ann.updates if isinstance(u.event, events.Rolled)]
        assert len(moved) == len(rolled)


async def test_a_server_that_ends_while_one_thinks_ends_at_once(
    tmp_path: Path, ponderer: Ponderer
) -> None:
    async with (
        serving(tmp_path / "games.db", limits=patient()) as server,
        connected(server.port, "Ann") as ann,
    ):
        await watch_expert(ann)
        await wait_for_event(ann, events.Rolled)
    ponderer.allowed.set()
