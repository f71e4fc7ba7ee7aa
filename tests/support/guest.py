"""A person at a table: the real session of the client, and somebody who plays plainly."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from random import Random
from typing import Any

from chronicle import Chronicle

from cantstop_client.address import Address, parse_address
from cantstop_client.errors import ClientError
from cantstop_client.happenings import DiceChecked, Ended, Happening, Lost
from cantstop_client.identity import Identity
from cantstop_client.session import Session
from cantstop_client.view import RoomView, View, receive
from cantstop_protocol import commands, events, messages
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.table import GameOptions, Turn

HASTE = 0.02
"""How much of the waiting between two attempts is really waited."""

PATIENCE = 300
"""Seconds without any news after which a guest gives up; far above what is ever needed."""

_PASSING = {ErrorCode.TOO_FAST, ErrorCode.STORAGE, ErrorCode.INTERNAL}
_OVERTAKEN = {ErrorCode.STALE, ErrorCode.NOT_YOUR_TURN, ErrorCode.NOT_ALLOWED}


class Guest:
    """Somebody whose client keeps the connection up by itself. Chance is passed in.

    What is heard is checked on arrival: every event of the room one after the other, none left
    out, none twice.
    """

    def __init__(self, name: str, port: int, chronicle: Chronicle, random: Random) -> None:
        self.name = name
        self.view = View()
        self.lost = 0
        """How often the connection broke."""
        self.double_clicks = 0
        self.waits: list[float] = []
        """Seconds from each move to the update that shows it."""
        self._chronicle = chronicle
        self._random = random
        self._room: str | None = None
        self._seq = 0
        self._watching = False
        self._lines = 0
        self._news = asyncio.Event()
        self._fault: BaseException | None = None
        address: Address = parse_address(f"127.0.0.1:{port}")
        self.session = Session(
            address,
            name,
            Identity(hashlib.sha256(name.encode()).digest()),
            self._hear,
            random=random.random,
            pause=self._pause,
        )

    @property
    def room(self) -> RoomView:
        assert self.view.room is not None
        return self.view.room

    async def arrive(self) -> None:
        """Connect, however often it takes."""
        while True:
            try:
                await self.session.open()
            except ClientError:
                await asyncio.sleep(HASTE)
            else:
                return

    async def open_table(self, seats: int, bots: int, **options: Any) -> str:
        """Open a room with so many seats, some of computer players; its code."""
        entered = await self.ask(commands.Create, options=GameOptions(seats=seats, **options))
        assert isinstance(entered, messages.Entered), entered
        for _ in range(bots):
            added = await self.ask(commands.AddBot, kind="keller")
            assert isinstance(added, messages.Ok), added
        return entered.table.room

    async def join(self, code: str, **fields: Any) -> None:
        entered = await self.ask(commands.Join, room=code, **fields)
        assert isinstance(entered, messages.Entered), entered

    async def start(self) -> None:
        started = await self.ask(commands.Start)
        assert isinstance(started, messages.Ok), started

    async def play(self, more: Callable[[], bool]) -> None:
        """Play one's own moves, and another game after each for as long as ``more``; then leave."""
        while True:
            room = self.room
            if room.table.phase == "over":
                if not more():
                    break
                await self._play_again(room)
            elif room.is_mine and room.turn is not None and room.witness is None:
                await self._move(room.turn, room.decision)
            else:
                await self.wait()
        await self.leave()

    async def watch(self, code: str) -> None:
        """Watch a room until it ends or nobody is left in it.

        The others do not wait for a spectator who is away: more may happen than the room keeps.
        """
        self._watching = True
        await self.join(code, role="spectator")
        while self.view.room is not None and any(
            seat and not seat.bot and not seat.left for seat in self.room.table.seats
        ):
            await self.wait()
        await self.leave()

    async def leave(self) -> None:
        if self._room is not None:
            self._chronicle.leaving.add(self._room)
        reply = await self.ask(commands.Leave)
        # A spectator is out of a room with the connection, and of one that closes with the room;
        # then there is nothing to leave.
        gone = (ErrorCode.NOT_IN_ROOM, ErrorCode.NO_SUCH_ROOM)
        assert isinstance(reply, messages.Ok) or reply.code in gone, reply

    async def until_no_room_is_left(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                if not (await self.ask(commands.ListRooms)).rooms:
                    return
                await asyncio.sleep(HASTE)

    async def close(self) -> None:
        await self.session.close()

    async def ask(self, kind: type[commands.Command], /, **fields: Any) -> Any:
        """The reply to a command; asked again when it was only too early."""
        while True:
            self._check()
            reply = await self.session.request(kind, **fields)
            if not (isinstance(reply, messages.Error) and reply.code in _PASSING):
                return reply
            await asyncio.sleep(HASTE)

    async def wait(self) -> None:
        """Wait for any news."""
        self._check()
        self._news.clear()
        async with asyncio.timeout(PATIENCE):
            await self._news.wait()
        self._check()

    async def _move(self, turn: Turn, decision: tuple[str, int] | None) -> None:
        kind: type[commands.Command] = commands.Roll
        fields: dict[str, Any] = {"ply": turn.ply}
        if turn.decision == "choose":
            kind = commands.Choose
            fields["option"] = self._random.randint(1, len(turn.options))
        elif turn.decision == "roll_or_stop" and (
            turn.rule_of_28 >= 20 or turn.busting_rolls > 200
        ):
            kind = commands.Stop
        if self._random.random() < 0.1:
            await self._chat()
        began = asyncio.get_running_loop().time()
        if self._random.random() < 0.05:
            self.double_clicks += 1
            replies = await asyncio.gather(self.ask(kind, **fields), self.ask(kind, **fields))
            assert sum(isinstance(reply, messages.Ok) for reply in replies) <= 1, replies
        else:
            replies = [await self.ask(kind, **fields)]
            self.waits.append(asyncio.get_running_loop().time() - began)
        for reply in replies:
            assert isinstance(reply, messages.Ok) or reply.code in _OVERTAKEN, reply
        moved = self.room.decision != decision or self.room.witness is not None
        assert moved, "the reply came before the update"

    async def _chat(self) -> None:
        """Say something that nobody has said before: it must be heard exactly once."""
        assert self._room is not None
        self._lines += 1
        line = f"{self.name} says {self._lines}"
        self._chronicle.said.append((self._room, line))
        reply = await self.ask(commands.Chat, text=line)
        assert isinstance(reply, messages.Ok), reply

    async def _play_again(self, room: RoomView) -> None:
        present = [s for s in room.table.seats if s and not (s.bot or s.left or s.away)]
        own = None if room.seat is None else room.table.seats[room.seat]
        if own is not None and own.rematch and not all(seat.rematch for seat in present):
            await self.wait()
            return
        reply = await self.ask(commands.Rematch)
        assert isinstance(reply, messages.Ok) or reply.code in _OVERTAKEN, reply

    def _hear(self, happening: Happening) -> None:
        try:
            self._note(happening)
        except BaseException as fault:
            self._fault = fault
            raise
        finally:
            self._news.set()

    def _note(self, happening: Happening) -> None:
        match happening:
            case messages.Entered():
                self._enter(happening)
            case messages.Update(seq=seq, event=event, table=table):
                assert table.room == self._room, f"{self.name}: an update of {table.room}"
                self._follow(seq, event)
                self._chronicle.table(table)
            case messages.Exit():
                self._room = None
            case DiceChecked(ok=False, text=text):
                # Who was cut off while a roll waited for it was passed over.
                assert "it came too late" in text, text
            case DiceChecked(game=game):
                self._chronicle.checked[game] += 1
            case Lost():
                self.lost += self.view.connection == "connected"
            case Ended(reason=reason):
                raise AssertionError(f"{self.name}'s session ended: {reason}")
        self.view, _ = receive(self.view, happening)
        room = self.view.room
        if room is not None and self._room is not None:
            assert self._watching or not room.gap
            assert room.seq == self._seq

    def _enter(self, entered: messages.Entered) -> None:
        begins = entered.table.room != self._room
        self._room = entered.table.room
        if begins or (self._watching and not entered.complete):
            self._seq = entered.events[0].seq - 1
        else:
            assert entered.complete, f"{self.name} missed events of {self._room}"
        for numbered in entered.events:
            self._follow(numbered.seq, numbered.event)
        assert entered.seq == self._seq, f"{self.name} has {self._seq} of {entered.seq}"
        self._chronicle.table(entered.table)

    def _follow(self, seq: int, event: events.Event) -> None:
        assert self._room is not None
        assert seq == self._seq + 1, f"{self.name}: event {seq} of {self._room} after {self._seq}"
        self._seq = seq
        self._chronicle.event(self._room, seq, event)

    def _check(self) -> None:
        if self._fault is not None:
            raise self._fault

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds * HASTE)
