"""Dice that can be checked, over real sockets: by our client, by others, and over a kill."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import msgpack
import plain_dice
import pytest
from mortal import MortalServer, quiet_port
from plain_http import get
from wire import SECONDS, WireClient, connected, serving

from cantstop_client.address import parse_address
from cantstop_client.happenings import DiceChecked, Happening
from cantstop_client.identity import Identity
from cantstop_client.session import Session
from cantstop_protocol import commands, events, messages
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.dice import Chain
from cantstop_protocol.table import GameOptions, Table
from cantstop_server.config import Limits
from cantstop_server.rooms.world import real_world
from cantstop_server.storage.store import Store
from cantstop_server.verify import verify_game

NONCE = "5a" * 32
ROOT = bytes(range(32))


class Seated:
    """One of our own clients, without a face."""

    def __init__(self, port: int, name: str) -> None:
        address = parse_address(f"127.0.0.1:{port}")
        secret = name.encode().ljust(32, b"-")
        self.session = Session(address, name, Identity(secret), self._listen)
        self.told: list[DiceChecked] = []
        self.events: list[events.Event] = []
        self.table: Table | None = None
        self.seat: int | None = None
        self._changed = asyncio.Event()

    def _listen(self, happening: Happening) -> None:
        match happening:
            case DiceChecked():
                self.told.append(happening)
            case messages.Entered(table=table, seat=seat):
                self.table, self.seat = table, seat
            case messages.Update(table=table, event=event):
                self.table = table
                self.events.append(event)
        self._changed.set()

    async def do(self, kind: type[commands.Command], /, **fields: Any) -> Any:
        return await self.session.request(kind, **fields)

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(SECONDS):
            while not condition(self):
                self._changed.clear()
                await self._changed.wait()

    async def play(self) -> None:
        """Make plain moves until the game is over and its proof is shown."""
        while True:
            await self.until(lambda me: me.is_due or me.is_over)
            table = self.table
            assert table is not None
            if self.is_over:
                return
            assert table.turn is not None
            ply, decision = table.turn.ply, table.turn.decision
            if decision == "choose":
                await self.do(commands.Choose, ply=ply, option=1)
            elif decision == "roll_or_stop" and table.turn.rule_of_28 >= 20:
                await self.do(commands.Stop, ply=ply)
            else:
                await self.do(commands.Roll, ply=ply)
                await self.until(lambda me: me.ply != ply)  # noqa: B023

    @property
    def ply(self) -> int | None:
        turn = None if self.table is None else self.table.turn
        return None if turn is None else turn.ply

    @property
    def is_due(self) -> bool:
        table = self.table
        return table is not None and table.turn is not None and table.turn.seat == self.seat

    @property
    def is_over(self) -> bool:
        return bool(self.events) and isinstance(self.events[-1], events.Revealed)


@asynccontextmanager
async def seated(port: int, *names: str) -> AsyncIterator[list[Seated]]:
    people = [Seated(port, name) for name in names]
    try:
        for person in people:
            await person.session.open()
        yield people
    finally:
        for person in people:
            await person.session.close()


async def archived(database: Path) -> Any:
    store = await Store.open(str(database))
    try:
        (game,) = await store.find_game("")
    finally:
        await store.close()
    return game


@pytest.mark.parametrize("kind", ["committed", "witnessed"])
async def test_our_clients_do_it_all_by_themselves(tmp_path: Path, kind: str) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server, seated(server.port, "Ann", "Ben") as (ann, ben):
        entered = await ann.do(commands.Create, options=GameOptions(target=1, dice=kind))
        await ben.do(commands.Join, room=entered.table.room)
        # Nothing is waited for: what the clients ask for by themselves goes first.
        assert isinstance(await ann.do(commands.Start), messages.Ok)
        await asyncio.gather(ann.play(), ben.play())
        for person in (ann, ben):
            (told,) = person.told
            assert told.ok, told
            assert "with your client's number in it" in told.text
    game = await archived(database)
    verdict = verify_game(game)
    assert verdict.holds
    assert (verdict.kind, verdict.idle) == (kind, ())
    rolls = verdict.dice.rolls - verdict.drawn
    assert verdict.dice.witnessed == (rolls if kind == "witnessed" else 0)
    setup = (2, 1, "removed", game.setup.first)
    end = (game.status, game.winner, game.turns)
    assert plain_dice.check(game.id, setup, game.course, end, game.proof) is None


async def test_a_client_of_another_kind_adds_to_the_dice_and_checks_them(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        entered = await ann.create(seats=1, target=1)
        assert isinstance(entered, messages.Entered)
        assert entered.table.dice is not None
        promise = entered.table.dice.commitment
        await ann.expect_ok(commands.Contribute(id=ann.next_id(), commitment=promise, nonce=NONCE))
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await ann.play_on()
        told = [update.event for update in ann.updates]
        (started,) = [event for event in told if isinstance(event, events.Started)]
        assert started.dice is not None
        assert (started.dice.commitment, started.dice.nonces) == (promise, (NONCE,))
        revealed = told[-1]
        assert isinstance(revealed, events.Revealed)
        assert json.loads(revealed.proof)["commitment"] == promise
        result = revealed.result
        assert (
            plain_dice.check(
                started.game,
                (1, 1, "removed", revealed.first),
                revealed.course,
                ("finished", result.winner, result.turns),
                revealed.proof,
            )
            is None
        )
        assert ann.table is not None
        assert ann.table.dice is not None
        assert ann.table.dice.commitment != promise


@pytest.mark.parametrize(
    "value", ["", "5a", "5A" * 32, "5a" * 31 + "5", "5a" * 33, "5a" * 32 + "\n", "zz" * 32, 7, None]
)
async def test_a_number_of_the_wrong_form_is_malformed(tmp_path: Path, value: object) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann") as ann:
        entered = await ann.create(seats=1)
        assert isinstance(entered, messages.Entered)
        assert entered.table.dice is not None
        command = {
            "type": "contribute",
            "id": 99,
            "commitment": entered.table.dice.commitment,
            "nonce": value,
        }
        await ann.websocket.send(msgpack.packb(command))
        reply = await ann.reply_to(99)
        assert isinstance(reply, messages.Error)
        assert reply.code is ErrorCode.MALFORMED


class Witness:
    """What a client of another kind needs to witness."""

    def __init__(self, client: WireClient) -> None:
        self.client = client
        self.chain = Chain(ROOT)

    async def contribute(self) -> None:
        table = self.client.table
        assert table is not None
        assert table.dice is not None
        await self.client.expect_ok(
            commands.Contribute(
                id=self.client.next_id(),
                commitment=table.dice.commitment,
                nonce=NONCE,
                chain=self.chain.tip.hex(),
            )
        )

    async def answer(self) -> messages.Message:
        table = await self.client.until(lambda t: t.dice is not None and t.dice.roll is not None)
        assert table.dice is not None
        assert table.dice.roll is not None
        assert table.game is not None
        link = self.chain.link(table.dice.roll).hex()
        return await self.client.do(
            commands.Witness, game=table.game, roll=table.dice.roll, link=link
        )


async def ask(ann: WireClient) -> int:
    """Ann begins and rolls; Ben's seat is asked. The number of the roll."""
    table = await ann.until(lambda t: t.turn is not None)
    assert table.turn is not None
    await ann.expect_ok(commands.Roll(id=ann.next_id(), ply=table.turn.ply))
    assert ann.table is not None
    assert ann.table.dice is not None
    assert ann.table.dice.witness == 1
    assert ann.table.dice.roll is not None
    return ann.table.dice.roll


async def witnessed_game(ann: WireClient, ben: WireClient) -> Witness:
    """A game in which Ben can witness and Ann begins."""
    entered = await ann.create(seats=2, dice="witnessed")
    assert isinstance(entered, messages.Entered)
    await ben.join(entered.table.room)
    witness = Witness(ben)
    await witness.contribute()
    while True:
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        table = await ann.until(lambda t: t.turn is not None)
        assert table.turn is not None
        if table.turn.seat == 0:
            return witness
        await ann.expect_ok(commands.Resign(id=ann.next_id()))
        await ben.until(lambda t: t.phase == "over")
        await witness.contribute()


async def test_a_witness_that_does_not_answer_is_waited_for_just_so_long(tmp_path: Path) -> None:
    limits = Limits(command_rate=1e5, command_burst=100_000, witness_seconds=0.05)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        await witnessed_game(ann, ben)
        number = await ask(ann)
        await ann.until(lambda t: t.dice is not None and t.dice.roll is None)
        told = [u.event for u in ann.updates if isinstance(u.event, events.Witnessed)]
        assert told == [events.Witnessed(number, None, None, None)]
        rolled = await ann.receive()
        assert isinstance(rolled, messages.Update)
        assert isinstance(rolled.event, events.Rolled | events.Busted)


async def test_a_wrong_link_is_refused_and_the_right_one_still_counts(tmp_path: Path) -> None:
    limits = Limits(command_rate=1e5, command_burst=100_000, witness_seconds=SECONDS)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
    ):
        witness = await witnessed_game(ann, ben)
        number = await ask(ann)
        assert ann.table is not None
        wrong = await ben.do(commands.Witness, game=ann.table.game, roll=number, link=NONCE)
        assert isinstance(wrong, messages.Error)
        assert wrong.code is ErrorCode.NOT_ALLOWED
        stop = await ann.do(commands.Stop, ply=0)
        assert isinstance(stop, messages.Error)
        assert "is asked to witness" in stop.message
        assert isinstance(await witness.answer(), messages.Ok)
        link = witness.chain.link(number).hex()
        told = [u.event for u in ben.updates if isinstance(u.event, events.Witnessed)]
        assert [(word.seat, word.link) for word in told] == [(1, link)]


async def rolls_of(port: int, code: str, count: int) -> list[Any]:
    """Return to a solitaire game and play on until so many rolls were made: all of them."""
    async with connected(port, "Ann") as ann:
        entered = await ann.join(code)
        assert isinstance(entered, messages.Entered)
        seen = [n.event for n in entered.events]

        def rolled() -> list[Any]:
            told = [*seen, *(update.event for update in ann.updates)]
            return [e.dice for e in told if isinstance(e, events.Rolled | events.Busted)]

        while len(rolled()) < count:
            assert ann.table is not None
            await ann.move(ann.table)
        return rolled()[:count]


async def test_a_server_that_is_killed_rolls_the_same_again(tmp_path: Path) -> None:
    database, other = tmp_path / "games.db", tmp_path / "other.db"
    server = MortalServer(database, quiet_port(Random(4)))
    try:
        await server.start()
        async with connected(server.port, "Ann") as ann:
            entered = await ann.create(seats=1)
            assert isinstance(entered, messages.Entered)
            code = entered.table.room
            await ann.expect_ok(commands.Start(id=ann.next_id()))
        await server.kill()
        for suffix in ("", "-wal", "-shm"):
            file = Path(f"{database}{suffix}")
            if file.exists():
                shutil.copy(file, f"{other}{suffix}")
        await server.start()
        first = await rolls_of(server.port, code, 8)
        await server.kill()
        await server.start()
        sixteen = await rolls_of(server.port, code, 16)
        assert sixteen[:8] == first
        await server.kill()
        again = MortalServer(other, server.port)
        try:
            await again.start()
            assert await rolls_of(again.port, code, 16) == sixteen
        finally:
            await again.kill()
    finally:
        await server.kill()


async def test_a_roll_that_waits_outlives_a_kill(tmp_path: Path) -> None:
    server = MortalServer(tmp_path / "games.db", quiet_port(Random(5)), witness_seconds=SECONDS)
    try:
        await server.start()
        async with connected(server.port, "Ann") as ann, connected(server.port, "Ben") as ben:
            witness = await witnessed_game(ann, ben)
            number = await ask(ann)
            assert ann.table is not None
            code = ann.table.room
            await server.kill()
        await server.start()
        async with connected(server.port, "Ann") as ann, connected(server.port, "Ben") as ben:
            await ann.join(code)
            witness.client = ben
            await ben.join(code)
            assert isinstance(await witness.answer(), messages.Ok)
            await ann.until(lambda t: t.dice is not None and t.dice.roll is None)
            told = [u.event for u in ann.updates if isinstance(u.event, events.Witnessed)]
            assert [(word.roll, word.seat) for word in told] == [(number, 1)]
    finally:
        await server.kill()


async def test_nothing_secret_is_in_the_log_or_the_numbers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made: list[bytes] = []
    real = real_world()

    def secret() -> bytes:
        assert real.secret is not None
        made.append(real.secret())
        return made[-1]

    caplog.set_level("DEBUG", logger="cantstop_server")
    world = replace(real, secret=secret)
    async with (
        serving(tmp_path / "games.db", world=world) as server,
        seated(server.port, "Ann", "Ben") as (ann, ben),
    ):
        entered = await ann.do(commands.Create, options=GameOptions(target=1, dice="witnessed"))
        await ben.do(commands.Join, room=entered.table.room)
        await ann.do(commands.Start)
        numbers = await get(server.port, "/metrics")
        await asyncio.gather(ann.play(), ben.play())
        shown = [*map(repr, ann.events[:-1]), repr(entered), caplog.text, repr(numbers)]
    assert len(made) == 2
    for text in shown:
        assert not any(one.hex() in text or repr(one) in text for one in made)
