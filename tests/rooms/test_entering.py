"""What somebody is told who enters a room, or returns to it, while others play on."""

from datetime import UTC, datetime

from fakeloop import FakeJournal, FakeLoop, FakeOutbox, surroundings

from cantstop_protocol import commands, messages
from cantstop_protocol.codec import decode_message
from cantstop_protocol.codes import ExitCode
from cantstop_protocol.table import GameOptions
from cantstop_server.rooms.agenda import Delays, Task, agenda
from cantstop_server.rooms.bots import bot_move
from cantstop_server.rooms.outcome import World
from cantstop_server.rooms.owner import RoomOwner
from cantstop_server.rooms.seating import open_room, unseat_away
from cantstop_server.rooms.state import Accepted, Person, dump, load
from cantstop_server.rooms.timers import Timers

ANN, BEN = Person(1, "Ann"), Person(2, "Ben")
WORLD = World(lambda: (1, 2, 3, 4), lambda: datetime(2026, 1, 1, tzinfo=UTC), lambda: "game1")
DELAYS = Delays(bot=1.0, absence=30.0, seat=120.0, room=600.0, game=7200.0)


class Room:
    """A room of Ann and Ben whose journal writes when it is told to."""

    def __init__(self, **options: int) -> None:
        self.heard: dict[int, list[messages.Message]] = {1: [], 2: []}
        self.journal = FakeJournal()
        self.outbox = FakeOutbox(lambda player, frame: self.hear(player, decode_message(frame)))
        state, opening = open_room(
            "BADOK", "", None, GameOptions(**options), ANN, Accepted(1, "instance", 1)
        )
        self.owner = RoomOwner(state, (), surroundings(self.journal, self.outbox, WORLD, DELAYS))
        self.enter(ANN, opening=opening)
        self.write()

    def hear(self, player: int, message: messages.Message) -> None:
        self.heard[player].append(message)

    def enter(self, person: Person, last_seq: int = 0, **more: object) -> None:
        self.owner.enter(
            person,
            "instance",
            1,
            lambda message: self.hear(person.player, message),
            watch=False,
            last_seq=last_seq,
            **more,
        )
        self.outbox.inside.add(person.player)

    def do(self, person: Person, command: commands.Command) -> None:
        self.owner.submit(person, "instance", command, lambda m: self.hear(person.player, m))

    def write(self) -> None:
        while self.journal.waiting:
            self.journal.commit()


def test_who_returns_while_writes_are_under_way_gets_every_event_once_and_in_order() -> None:
    with FakeLoop():
        room = Room(seats=2)
        room.enter(BEN)
        room.write()
        seen = room.owner.durable.seq
        # Ben's client has connected anew before the server noticed that the old one is gone.
        room.do(ANN, commands.Chat(id=10, text="missed"))
        room.outbox.inside.discard(BEN.player)
        room.write()
        room.do(ANN, commands.Chat(id=11, text="under way"))
        room.owner.vanish(BEN)
        room.heard[BEN.player].clear()
        room.enter(BEN, last_seq=seen)
        room.do(ANN, commands.Chat(id=12, text="afterwards"))
        room.write()
    entered, update = room.heard[BEN.player]
    assert isinstance(entered, messages.Entered)
    assert isinstance(update, messages.Update)
    assert entered.complete
    assert [n.seq for n in entered.events] == list(range(seen + 1, entered.seq + 1))
    assert update.seq == entered.seq + 1


def test_who_joins_twice_at_once_gets_nothing_twice_or_out_of_order() -> None:
    with FakeLoop():
        room = Room(seats=2)
        room.enter(BEN)
        room.enter(BEN)
        room.do(ANN, commands.Chat(id=10, text="hello"))
        room.write()
    kinds = [type(message).__name__ for message in room.heard[BEN.player]]
    assert kinds == ["Entered", "Entered", "Update"]


def test_who_has_left_is_not_shown_as_away_after_a_restart() -> None:
    with FakeLoop():
        room = Room(seats=2)
        room.enter(BEN)
        room.do(ANN, commands.Start(id=10))
        room.do(BEN, commands.Leave(id=11))
        room.write()
    again = load(dump(room.owner.state))
    assert [(seat.away, seat.gone) for seat in again.seats if seat] == [
        (True, False),
        (False, True),
    ]
    assert unseat_away(again)[0].seat_of(ANN.player) is None


def test_a_game_that_ends_while_all_are_away_leaves_the_room_the_shorter_grace_time() -> None:
    with FakeLoop() as loop:
        room = Room(seats=3)
        for id in (10, 11):
            room.do(ANN, commands.AddBot(id=id, kind="keller"))
        room.do(ANN, commands.Start(id=12))
        room.do(ANN, commands.Resign(id=13))
        room.owner.vanish(ANN)
        room.write()
        assert room.owner.state.playing
        ended: list[Task] = []
        timers = Timers(ended.append)
        timers.arrange(agenda(room.owner.state, DELAYS, frozenset(), 0.0, present=False))
        room.owner.stop()
        loop.advance(10.0, lambda: None)
        state = room.owner.state
        while state.playing:
            state = bot_move(room.owner.state, "keller", room.owner._around.world).state
            room.owner.state = state
        timers.arrange(agenda(state, DELAYS, frozenset(), 0.0, present=False))
        loop.advance(DELAYS.room, lambda: None)
        assert Task.CLOSE in ended


def test_who_is_cut_off_for_what_could_not_be_stored_is_away_and_the_room_goes_on() -> None:
    with FakeLoop():
        room = Room(seats=2)
        room.enter(BEN)
        room.write()
        seen = room.owner.durable.seq

        def cut_off(message: messages.Message) -> None:
            room.outbox.inside.discard(ANN.player)
            room.owner.vanish(ANN)

        room.owner.submit(ANN, "instance", commands.Chat(id=10, text="lost"), cut_off)
        room.do(ANN, commands.Chat(id=11, text="lost, too"))
        room.journal.fail()
        room.do(BEN, commands.Chat(id=12, text="I am here"))
        room.write()
    assert room.owner.state == room.owner.durable
    updates = [m for m in room.heard[BEN.player] if isinstance(m, messages.Update)]
    assert [update.seq for update in updates if update.seq > seen] == [seen + 1, seen + 2]
    assert [seat.away for seat in updates[-1].table.seats if seat] == [True, False]


def test_whose_entering_fails_after_updates_were_kept_for_it_joins_again() -> None:
    with FakeLoop():
        room = Room(seats=2)
        room.enter(BEN)
        room.write()
        room.do(ANN, commands.Chat(id=10, text="first"))
        room.do(BEN, commands.Leave(id=11))
        room.enter(BEN, last_seq=3)
        room.journal.commit()
        assert not any(isinstance(m, messages.Update) and m.seq == 4 for m in room.heard[2])
        room.journal.fail()
        (farewell,) = [m for m in room.heard[2] if isinstance(m, messages.Exit)]
        assert farewell.code is ExitCode.ROOM_FAULT
