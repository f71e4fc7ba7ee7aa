"""Moves as what they add to a room: what is taken up of them, and what is more than a move."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from fakeloop import FakeJournal, FakeLoop, FakeOutbox, surroundings
from roomscript import ANN, BEN
from wire import scripted_world

from cantstop_protocol import commands
from cantstop_protocol.events import Chatted
from cantstop_protocol.messages import NumberedEvent
from cantstop_protocol.table import GameOptions
from cantstop_server.rooms import owner
from cantstop_server.rooms.agenda import Delays
from cantstop_server.rooms.moves import recall
from cantstop_server.rooms.owner import MOST_MOVES, RoomOwner
from cantstop_server.rooms.seating import open_room
from cantstop_server.rooms.state import Accepted, RoomState, SeatState, dump, dump_events, restored
from cantstop_server.rules.errors import BadCourse
from cantstop_server.rules.game import Phase
from cantstop_server.storage.types import LiveRoom

DELAYS = Delays(bot=1.0, absence=60.0, seat=60.0, room=60.0, game=60.0)
MIXED = (1, 2, 3, 4)


class Table:
    """A room of two people whose writes are kept one by one."""

    def __init__(
        self, game: str = "first", bots: int = 0, *, promised: bool = False, **options: Any
    ) -> None:
        self.journal = FakeJournal()
        options = {"seats": 2 + bots, **options}
        state, opening = open_room(
            "BADOK", "", None, GameOptions(**options), ANN, Accepted(1, "run", 1)
        )
        secret = (lambda: bytes(32)) if promised else None
        world = replace(scripted_world((MIXED,)), game_id=lambda: game, secret=secret)
        outbox = FakeOutbox(lambda player, frame: None)
        around = surroundings(self.journal, outbox, world, DELAYS)
        self.owner = RoomOwner(state, (), around)
        self.owner.enter(ANN, "run", 1, print, watch=False, opening=opening)
        self.owner.enter(BEN, "run", 1, print, watch=False)
        self.ids = iter(range(2, 1000))
        for _ in range(bots):
            self.do(commands.AddBot, kind="random")
        self.do(commands.Start)
        self.write()

    def do(self, kind: type[commands.Command], /, **fields: object) -> None:
        position = self.owner.state.position
        person = ANN if position is None else (ANN, BEN)[position.seat]
        self.owner.submit(person, "run", kind(id=next(self.ids), **fields), print)

    def move(self, kind: type[commands.Command], /, **fields: object) -> None:
        assert self.owner.state.position is not None
        self.do(kind, ply=self.owner.state.position.ply, **fields)

    def turn(self) -> None:
        """A whole turn: a roll, a choice, a stop."""
        self.move(commands.Roll)
        self.move(commands.Choose, option=1)
        self.move(commands.Stop)

    def turns(self, number: int) -> None:
        """So many turns, each written at its end."""
        for _ in range(number):
            self.turn()
            self.write()

    def awaited(self) -> SeatState:
        """Whoever is to move."""
        awaited = self.owner.state.awaited_seat()
        assert awaited is not None
        return awaited[1]

    def write(self) -> None:
        while self.journal.waiting:
            self.journal.commit()


@pytest.fixture(autouse=True)
def loop() -> Iterator[FakeLoop]:
    with FakeLoop() as loop:
        yield loop


@pytest.fixture
def table(loop: FakeLoop) -> Table:
    return Table()


def written(table: Table) -> list[bool]:
    """Of each write that waits, whether it is a move."""
    return [write.move is not None for write in table.journal.waiting]


def test_a_roll_a_choice_and_a_stop_are_moves_once_their_sender_is_known(table: Table) -> None:
    table.turn()
    table.turn()
    table.write()
    table.turn()
    assert written(table) == [True, True, True]
    assert all(len(write.move or b"") < 200 for write in table.journal.waiting)


def test_what_is_not_a_move_is_written_with_the_whole_room(table: Table) -> None:
    table.turn()
    table.turn()
    table.write()
    for kind, fields in (
        (commands.Chat, {"text": "hello"}),
        (commands.Autopilot, {"kind": "keller"}),
        (commands.Resign, {}),
    ):
        table.do(kind, **fields)
    assert written(table) == [False, False, False]


def test_a_move_behind_something_that_is_not_written_is_written_with_it(table: Table) -> None:
    table.turn()
    table.turn()
    table.write()
    table.do(commands.Autopilot, kind=None)
    assert written(table) == [], "the seat is hers already"
    table.move(commands.Roll)
    assert written(table) == [False]


def test_a_room_is_written_again_after_so_many_moves(table: Table) -> None:
    for _ in range(40):
        table.turn()
        if not table.owner.state.playing:
            break
    moves = written(table)
    assert moves.count(False) >= 3
    assert max(len(run) for run in "".join("m" if m else " " for m in moves).split()) <= MOST_MOVES
    table.write()


@pytest.mark.parametrize("dice", ["committed", "witnessed"])
def test_promised_dice_go_on_where_they_were(dice: str) -> None:
    table = Table(promised=True, dice=dice)
    for _ in range(40):
        position = table.owner.state.position
        assert position is not None
        if position.phase is Phase.CHOOSE:
            table.move(commands.Choose, option=1)
        elif position.phase is Phase.ROLL_OR_STOP and position.ply % 2:
            table.move(commands.Stop)
        else:
            table.move(commands.Roll)
        table.write()
        assert recall(room_of(table)).state == restored(table.owner.durable)
    assert table.owner.durable.game is not None
    assert table.owner.durable.game.dice is not None
    assert table.owner.durable.game.dice.rolls > 10


def test_a_computer_players_move_and_a_resignation_are_moves(loop: FakeLoop) -> None:
    table = Table(bots=1)
    while table.awaited().bot is None:
        table.turn()
        table.write()
    loop.advance(DELAYS.bot, lambda: None)
    assert written(table) == [True]
    table.write()
    assert recall(room_of(table)).state == restored(table.owner.durable)
    table.owner.submit(ANN, "run", commands.Resign(id=next(table.ids)), print)
    assert written(table) == [True]
    table.write()
    assert recall(room_of(table)).state == restored(table.owner.durable)


def test_a_move_that_was_taken_back_is_not_taken_up(table: Table) -> None:
    table.turns(2)
    table.move(commands.Roll)
    table.write()
    table.move(commands.Choose, option=1)
    table.move(commands.Roll)
    assert written(table) == [True, True]
    table.journal.fail_though_kept()
    table.move(commands.Choose, option=2)
    assert written(table) == [False]
    table.write()
    again = recall(room_of(table)).state
    assert again == restored(table.owner.durable)
    assert again.game is not None
    assert again.game.course.endswith("1234b")


def test_after_a_failed_write_no_event_is_missing(table: Table) -> None:
    table.turns(3)
    table.move(commands.Roll)
    table.journal.fail()
    table.do(commands.Chat, text="hello")
    table.write()
    state, tail, number = recall(room_of(table))
    assert number == state.seq
    assert [numbered.seq for numbered in tail] == list(range(1, state.seq + 1))


def test_a_fault_in_making_a_write_leaves_all_as_it_was(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table.turns(2)
    before = table.owner.state
    with monkeypatch.context() as patched:
        for name in ("dump", "move_between"):
            patched.setattr(owner, name, lambda *_: 1 / 0)
        for kind, fields in ((commands.Chat, {"text": "hello"}), (commands.Roll, {"ply": 6})):
            with suppress(ZeroDivisionError):
                table.do(kind, **fields)
    assert table.owner.state is before
    assert table.journal.waiting == []
    table.turn()
    table.write()
    assert recall(room_of(table)).state == restored(table.owner.durable)


def test_a_room_with_a_move_missing_is_not_taken_up_wrongly(table: Table) -> None:
    table.turns(4)
    room = room_of(table)
    with pytest.raises(BadCourse, match="does not follow"):
        recall(replace(room, moves=room.moves[1:]))


def room_of(table: Table, *, older: tuple[bytes, ...] = ()) -> LiveRoom:
    assert table.journal.state is not None
    moves = (*older, *table.journal.moves)
    return LiveRoom("BADOK", table.journal.state, tuple(table.journal.rows), moves)


def test_the_room_is_taken_up_as_its_last_move_has_left_it(table: Table) -> None:
    table.turns(4)
    state, tail, number = recall(room_of(table))
    assert state == restored(table.owner.durable)
    assert number < state.seq
    assert [numbered.seq for numbered in tail] == list(range(1, state.seq + 1))


def test_moves_of_a_room_that_had_the_code_before_are_passed_over() -> None:
    before, now = Table("before"), Table("now")
    while len(before.journal.moves) < 20:
        before.turn()
        before.write()
    now.turn()
    now.write()
    assert recall(room_of(now, older=tuple(before.journal.moves))) == recall(room_of(now))


def test_moves_that_are_in_the_state_already_are_passed_over(table: Table) -> None:
    table.turns(4)
    table.do(commands.Chat, text="hello")
    table.write()
    again: RoomState = recall(room_of(table)).state
    assert again == restored(table.owner.durable)
    assert again.game is not None
    assert again.game.course.count(".") == 4


def test_a_padded_room_with_its_latest_events_in_it_is_read(table: Table) -> None:
    for _ in range(3):
        table.turn()
    table.write()
    table.do(commands.Chat, text="hello")
    table.write()
    state, tail, _ = recall(room_of(table))
    values = msgspec.msgpack.decode(dump(table.owner.durable))
    values["recent"] = [[n.seq, msgspec.msgpack.encode(n.event)] for n in tail[-4:]]
    padded = msgspec.msgpack.encode([values, bytes(100)])
    again = recall(LiveRoom("BADOK", padded, (dump_events(tail[:-4]),)))
    assert again == (state, tail, state.seq - 4)


def test_events_from_before_they_were_written_together_are_read() -> None:
    blob = b"\x84\xa4type\xa7chatted\xa4name\xa3Ann\xa4seat\x00\xa4text\xa2hi"
    state, _ = open_room("BADOK", "", None, GameOptions(), ANN, Accepted(1, "run", 1))
    room = LiveRoom("BADOK", dump(state), ((7, blob),))
    (numbered,) = recall(room).tail
    assert numbered == NumberedEvent(7, Chatted("Ann", 0, "hi"))
    assert recall(LiveRoom("BADOK", dump(state), (dump_events([numbered]),))).tail == [numbered]
