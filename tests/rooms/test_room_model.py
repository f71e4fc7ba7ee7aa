"""A room under everything that people, clocks and the disk can do to it, in any order.

The real owner of a room runs on a clock, a journal and connections that do what the machine says.
After each step all that must hold of any room is checked, and each client that hears of it hears
every event once and in order.
"""

import hashlib
import random
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from typing import Any

import pytest
from fakeloop import FakeJournal, FakeLoop, FakeOutbox, surroundings
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from longrun import length
from room_checks import check_state
from sqlalchemy import create_engine

from cantstop_protocol import commands, messages
from cantstop_protocol.codec import decode_message
from cantstop_protocol.dice import Chain
from cantstop_protocol.limits import MAX_MESSAGE_BYTES
from cantstop_protocol.table import GameOptions
from cantstop_protocol.text import name_key
from cantstop_server.rooms.agenda import Delays, Task
from cantstop_server.rooms.dicing import asked_of, promise_of
from cantstop_server.rooms.memory import REMEMBERED_COMMANDS, is_repetition
from cantstop_server.rooms.outcome import World
from cantstop_server.rooms.owner import RoomOwner, Surroundings
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.seating import open_room
from cantstop_server.rooms.state import Accepted, Person, restored
from cantstop_server.rules.game import Phase
from cantstop_server.storage import players
from cantstop_server.storage.errors import NameTaken
from cantstop_server.storage.models import metadata
from cantstop_server.verify import verify_game

DELAYS = Delays(bot=1.0, absence=30.0, seat=120.0, room=600.0, game=7200.0)
SPECTATORS = 2
INSTANCE = "instance"
NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve")
SPELLINGS = {"Ann": (" ann ", "ANN", "\uff21nn"), "Ben": ("BEN",), "Cat": ("cat",)}

people = st.sampled_from(range(len(NAMES)))
ANY_OPTIONS = st.builds(
    GameOptions,
    seats=st.sampled_from([1, 2, 2, 3, 3, 4]),
    target=st.sampled_from([1, 1, 1, 2]),
    dead_markers=st.sampled_from(["removed", "kept"]),
    absence=st.sampled_from(["autopilot", "wait", "forfeit"]),
    decision_seconds=st.sampled_from([0, 0, 10, 60]),
    bank_seconds=st.sampled_from([0, 0, 30]),
    increment_seconds=st.sampled_from([0, 5]),
    dice=st.sampled_from(["committed", "committed", "witnessed"]),
)
OPTIONS = ANY_OPTIONS.filter(lambda options: options.seats > 1 or options.dice == "committed")
NAMED = st.sampled_from([*NAMES, "Nobody", "keller"])
PLY = st.integers(0, 12)
COMMANDS: st.SearchStrategy[tuple[type[commands.Command], dict[str, Any]]] = st.one_of(
    st.tuples(st.just(commands.Configure), st.fixed_dictionaries({"options": ANY_OPTIONS})),
    st.tuples(
        st.just(commands.AddBot),
        st.fixed_dictionaries(
            {
                "kind": st.sampled_from(["keller", "random", "hal"]),
                "seat": st.none() | st.integers(0, 3),
            }
        ),
    ),
    st.tuples(st.just(commands.RemoveBot), st.fixed_dictionaries({"seat": st.integers(0, 3)})),
    st.tuples(
        st.just(commands.SwapSeats),
        st.fixed_dictionaries({"seats": st.tuples(st.integers(0, 3), st.integers(0, 3))}),
    ),
    st.tuples(st.just(commands.Kick), st.fixed_dictionaries({"name": NAMED})),
    st.tuples(st.just(commands.Lock), st.fixed_dictionaries({"locked": st.booleans()})),
    st.tuples(st.just(commands.PassRoom), st.fixed_dictionaries({"name": NAMED})),
    st.tuples(
        st.just(commands.SetSpectatorChat),
        st.fixed_dictionaries({"mode": st.sampled_from(["apart", "merged", "muted"])}),
    ),
    st.tuples(st.just(commands.Rematch), st.just({})),
    st.tuples(st.just(commands.Resign), st.just({})),
    st.tuples(st.just(commands.Start), st.just({})),
    st.tuples(st.just(commands.Roll), st.fixed_dictionaries({"ply": PLY})),
    st.tuples(
        st.just(commands.Choose),
        st.fixed_dictionaries({"ply": PLY, "option": st.integers(1, 6)}),
    ),
    st.tuples(st.just(commands.Stop), st.fixed_dictionaries({"ply": PLY})),
    st.tuples(
        st.just(commands.Autopilot),
        st.fixed_dictionaries({"kind": st.sampled_from([None, "keller", "random", "hal"])}),
    ),
    st.tuples(st.just(commands.Chat), st.fixed_dictionaries({"text": st.sampled_from(["hi", ""])})),
)


class Client:
    """What one person's program has been told over all its connections."""

    def __init__(self) -> None:
        self.seq = 0
        self.entering = False
        self.replies: dict[int, messages.Message] = {}
        self.outside()

    def outside(self) -> None:
        """The connection is in no room; what was seen of it stays known."""
        self.shown = False

    def hear(self, message: messages.Message) -> None:
        match message:
            case messages.Update(seq=seq):
                assert self.shown, f"event {seq} before the table was shown"
                assert seq == self.seq + 1, f"event {seq} after {self.seq}"
                self.seq = seq
            case messages.Entered(events=events, seq=seq, complete=complete):
                assert complete
                numbers = [numbered.seq for numbered in events]
                assert numbers == list(range(self.seq + 1, seq + 1))
                self.seq, self.shown = seq, True


class Room(RuleBasedStateMachine):
    """Five people, one room at a time, and one database."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = FakeLoop()
        self.loop.__enter__()
        self.engine = create_engine("sqlite://")
        metadata.create_all(self.engine)
        self.people = [Person(self.identify(name, name).player, name) for name in NAMES]
        self.ids = count(1)
        self.games = count(1)
        self.owner: RoomOwner | None = None
        self.slow_disk = False
        self.faults: list[AssertionError] = []
        self.last: tuple[Person, commands.Command] | None = None

    def teardown(self) -> None:
        self.loop.__exit__()
        self.engine.dispose()

    # The surroundings

    def identify(self, name: str, secret: str) -> Any:
        now = datetime(2026, 1, 1, tzinfo=UTC)
        token = hashlib.sha256(secret.encode()).digest()
        with self.engine.begin() as connection:
            return players.identify(connection, name, name_key(name), token, now)

    def around(self) -> Surroundings:
        start = datetime(2026, 1, 1, tzinfo=UTC)
        world = World(
            roll_dice=lambda: tuple(self.dice.randint(1, 6) for _ in range(4)),
            now=lambda: start + timedelta(seconds=self.loop.now),
            game_id=lambda: f"game{next(self.games)}",
            secret=lambda: self.dice.randbytes(32),
        )
        return surroundings(
            self.journal,
            self.outbox,
            world,
            DELAYS,
            spectator_limit=SPECTATORS,
            on_put_out=lambda room, player: self.drop(player),
            on_emptied=lambda room: self.fail_everybody(),
            on_closed=lambda room: self.closed(),
        )

    def deliver(self, player: int, frame: bytes) -> None:
        try:
            assert len(frame) <= MAX_MESSAGE_BYTES
            self.clients[player].hear(decode_message(frame))
        except AssertionError as fault:  # the owner survives whatever goes wrong in showing
            self.faults.append(fault)

    def drop(self, player: int) -> None:
        self.outbox.inside.discard(player)
        self.clients[player].outside()

    def fail_everybody(self) -> None:
        self.faults.append(AssertionError("a fault in showing what happened"))

    def closed(self) -> None:
        self.owner = None
        for player in tuple(self.outbox.inside):
            self.drop(player)

    def settle(self) -> None:
        while self.journal.waiting and not self.slow_disk:
            self.journal.commit()

    # What people do

    def enter(self, person: Person, *, watch: bool, opening: Any = ()) -> None:
        """As a connection does it: it is in the room from now on, unless that is refused."""
        assert self.owner is not None
        client = self.clients[person.player]

        def reply(message: messages.Message) -> None:
            if isinstance(message, messages.Error):
                self.drop(person.player)
            client.hear(message)

        try:
            self.owner.enter(
                person,
                INSTANCE,
                next(self.ids),
                reply,
                watch=watch,
                last_seq=client.seq,
                opening=opening,
            )
        except Refused:
            return
        self.outbox.inside.add(person.player)

    def send(self, person: Person, command: commands.Command) -> messages.Message | None:
        """The reply, None while it waits for the disk."""
        assert self.owner is not None
        owner, before = self.owner, self.owner.state
        late = owner._clock.is_up(before)
        watching = before.seat_of(person.player) is None
        client = self.clients[person.player]
        owner.submit(person, INSTANCE, command, lambda m: client.replies.update({command.id: m}))
        reply = client.replies.get(command.id)
        if not late:
            if isinstance(reply, messages.Error):
                assert owner.state == before, "a refused command changed something"
            if watching and before.playing and not isinstance(command, commands.Kick):
                assert owner.state.position == before.position
        if isinstance(command, commands.Roll | commands.Choose | commands.Stop) and (
            before.position is None or command.ply != before.position.ply
        ):
            assert isinstance(reply, messages.Error), "a move for another decision was taken"
        self.last = (person, command)
        self.settle()
        return client.replies.get(command.id)

    @initialize(options=OPTIONS, seed=st.integers(0, 2**32), watch=st.booleans())
    def open(self, options: GameOptions, seed: int, watch: bool) -> None:
        self.dice = random.Random(seed)
        self.journal = FakeJournal()
        self.outbox = FakeOutbox(self.deliver)
        self.clients = {person.player: Client() for person in self.people}
        creator = self.people[0]
        state, opening = open_room("BADOK", "", None, options, creator, Accepted(1, INSTANCE, 0))
        self.owner = RoomOwner(state, (), self.around())
        self.enter(creator, watch=watch, opening=opening)
        self.settle()

    @precondition(lambda self: self.owner is None)
    @rule(options=OPTIONS, watch=st.booleans())
    def open_again(self, options: GameOptions, watch: bool) -> None:
        assert not self.loop.waiting(), "timers of a room that is gone"
        self.slow_disk = False
        self.open(options, self.dice.getrandbits(32), watch)

    @precondition(lambda self: self.owner is not None)
    @rule(who=people, watch=st.booleans(), again=st.booleans())
    def join(self, who: int, watch: bool, again: bool) -> None:
        """Enter, or return over a new connection, or ask twice over the same."""
        person = self.people[who]
        if person.player in self.outbox.inside and not again:
            # The newer connection says hello first: the older one is closed.
            self.drop(person.player)
            self.owner.vanish(person)
        self.enter(person, watch=watch)
        self.settle()

    @precondition(lambda self: self.owner is not None)
    @rule(who=people, secret=st.sampled_from(["stolen", "guessed"]))
    def wrong_token(self, who: int, secret: str) -> None:
        before = self.owner.state
        for name in (NAMES[who], *SPELLINGS.get(NAMES[who], ())):
            with pytest.raises(NameTaken):
                self.identify(name.strip(), secret)
        assert self.owner.state == before

    @precondition(lambda self: self.owner is not None)
    @rule(who=people)
    def vanish(self, who: int) -> None:
        person = self.people[who]
        if person.player in self.outbox.inside:
            self.drop(person.player)
        self.owner.vanish(person)
        self.settle()

    @precondition(lambda self: self.owner is not None)
    @rule(who=people)
    def leave(self, who: int) -> None:
        person = self.people[who]
        owner, client, was_in = self.owner, self.clients[person.player], self.is_in(person)
        id = next(self.ids)

        def reply(message: messages.Message) -> None:
            failed = isinstance(message, messages.Error) and was_in
            if failed and owner.durable.is_member(person.player):
                self.outbox.inside.add(person.player)

        seq = client.seq
        owner.submit(person, INSTANCE, commands.Leave(id=id), reply)
        self.last = (person, commands.Leave(id=id))
        if was_in and not owner.state.is_member(person.player):
            self.outbox.inside.discard(person.player)
        self.settle()
        assert client.seq >= seq

    @precondition(lambda self: self.owner is not None)
    @rule(who=people, wanted=COMMANDS)
    def command(self, who: int, wanted: tuple[type[commands.Command], dict[str, Any]]) -> None:
        kind, given = wanted
        person = self.people[who]
        assume(self.is_in(person))
        self.send(person, kind(id=next(self.ids), **given))

    @precondition(lambda self: self.owner is not None and self.owner.state.creator is not None)
    @rule(wanted=COMMANDS)
    def command_of_the_creator(self, wanted: tuple[type[commands.Command], dict[str, Any]]) -> None:
        person = self.person(self.owner.state.creator)
        assume(self.is_in(person))
        self.send(person, wanted[0](id=next(self.ids), **wanted[1]))

    @precondition(lambda self: self.owner is not None and not self.owner.state.playing)
    @rule()
    def fill_and_start(self) -> None:
        creator = self.owner.state.creator
        assume(creator is not None and self.is_in(self.person(creator)))
        for _ in self.owner.state.seats:
            self.send(self.person(creator), commands.AddBot(id=next(self.ids), kind="random"))
        self.send(self.person(creator), commands.Start(id=next(self.ids)))

    @precondition(lambda self: self.owner is not None and self.owner.state.playing)
    @rule(moves=st.integers(1, 30), twice=st.booleans())
    def right_moves(self, moves: int, twice: bool) -> None:
        """Whoever is to move does, as long as it is somebody who is there."""
        for _ in range(moves):
            if self.owner is None:
                return
            state = self.owner.state
            awaited, position = state.awaited_seat(), state.position
            if awaited is None or awaited[1].player_kind or position is None:
                return
            person = self.person(awaited[1].player)
            if not self.is_in(person) or self.owner._clock.is_up(state):
                return
            if asked_of(state) is not None and not self.send_word():
                return
            state = self.owner.state
            if state.position is not position:
                continue
            kind, given = right_move(position.phase, stop=self.dice.random() < 0.5)
            command = kind(id=next(self.ids), ply=position.ply, **given)
            reply = self.send(person, command)
            assert not isinstance(reply, messages.Error), reply
            if twice:
                twin = self.send(person, kind(id=next(self.ids), ply=position.ply, **given))
                assert isinstance(twin, messages.Error), "a double click had two effects"

    @precondition(lambda self: self.owner is not None and self.owner.state.playing)
    @rule(off=st.sampled_from([-2, -1, 1, 2]), who=st.none() | people)
    def wrong_move(self, off: int, who: int | None) -> None:
        """The right kind of move, for another decision or by somebody else."""
        state = self.owner.state
        awaited, position = state.awaited_seat(), state.position
        assume(awaited is not None and position is not None)
        mover = awaited[1].player if who is None else self.people[who].player
        assume(mover is not None and self.is_in(self.person(mover)))
        kind, given = right_move(position.phase, stop=True)
        ply = max(0, position.ply + (off if mover == awaited[1].player else 0))
        assume(ply != position.ply or mover != awaited[1].player)
        reply = self.send(self.person(mover), kind(id=next(self.ids), ply=ply, **given))
        assert isinstance(reply, messages.Error), "a wrong move was taken"

    @precondition(lambda self: self.owner is not None and self.last is not None)
    @rule()
    def the_same_again(self) -> None:
        """A command that had its effect is sent once more: no effect, the same answer."""
        person, command = self.last
        state = self.owner.state
        known = is_repetition(state, person, INSTANCE, command.id)
        assume(known)
        replies: list[messages.Message] = []
        self.owner.submit(person, INSTANCE, command, replies.append)
        assert self.owner.state == state
        self.settle()
        if replies and self.journal.state is not None and not self.slow_disk:
            assert replies == [messages.Ok(re=command.id)]

    # The dice

    @precondition(lambda self: self.owner is not None)
    @rule(who=people, right=st.booleans())
    def contribute(self, who: int, right: bool) -> None:
        """What the client of somebody seated does by itself, with the promise or another."""
        person, promise = self.people[who], promise_of(self.owner.state)
        assume(self.is_in(person) and promise is not None)
        chain = chain_of(person)
        self.send(
            person,
            commands.Contribute(
                id=next(self.ids),
                commitment=promise.commitment if right else "ab" * 32,
                nonce=chain.link(9).hex(),
                chain=chain.tip.hex(),
            ),
        )

    @precondition(lambda self: self.owner is not None and asked_of(self.owner.state) is not None)
    @rule(who=people, right=st.booleans())
    def witness(self, who: int, right: bool) -> None:
        """A word from whoever it is: it counts from the one who was asked, if it is right."""
        state, person = self.owner.state, self.people[who]
        asked, game = asked_of(state), state.game
        assume(self.is_in(person))
        number = game.dice.rolls + 1
        link = chain_of(person).link(number if right else number + 1).hex()
        word = commands.Witness(id=next(self.ids), game=game.id, roll=number, link=link)
        reply = self.send(person, word)
        counts = right and state.seat_of(person.player) == asked.witness
        assert isinstance(reply, messages.Error) is not counts

    def send_word(self) -> bool:
        """Let the witness answer, if that is somebody who is there."""
        state = self.owner.state
        asked, game = asked_of(state), state.game
        person = self.person(state.seats[asked.witness].player)
        if not self.is_in(person):
            return False
        number = game.dice.rolls + 1
        word = commands.Witness(
            id=next(self.ids), game=game.id, roll=number, link=chain_of(person).link(number).hex()
        )
        reply = self.send(person, word)
        assert not isinstance(reply, messages.Error), reply
        return True

    # What happens by itself

    @precondition(lambda self: self.owner is not None)
    @rule(seconds=st.sampled_from([0.0, 0.5, 1.0, 5.0, 10.0, 31.0, 130.0, 601.0]))
    def time_passes(self, seconds: float) -> None:
        self.loop.advance(seconds, self.settle)

    @precondition(lambda self: self.owner is not None and self.slow_disk)
    @rule()
    def one_write(self) -> None:
        if self.journal.waiting:
            self.journal.commit()

    @precondition(lambda self: self.owner is not None)
    @rule(slow=st.booleans())
    def disk(self, slow: bool) -> None:
        self.slow_disk = slow
        self.settle()

    @precondition(lambda self: self.owner is not None)
    @rule()
    def disk_fails(self) -> None:
        before = self.owner.durable
        if self.journal.waiting:
            self.journal.fail()
            if self.owner is not None:
                assert self.owner.state.seq == before.seq

    @precondition(lambda self: self.owner is not None and self.journal.state is not None)
    @rule(down=st.sampled_from([0.0, 3.0, 100_000.0]))
    def killed_and_started_again(self, down: float) -> None:
        before = self.owner.durable
        self.owner.stop()
        self.journal.lose()
        for player in self.people:
            self.drop(player.player)
        assert not self.loop.waiting(), "timers of a server that is gone"
        self.loop.now += down
        state, tail, filed = self.journal.recalled()
        assert state.position == before.position, "the dice or the board changed"
        assert [seat and seat.bank for seat in state.seats] == [s and s.bank for s in before.seats]
        self.owner = RoomOwner(state, tail, self.around(), filed)
        self.owner.wake()
        self.settle()

    # What always holds

    @invariant()
    def everyone_was_told_everything_in_order(self) -> None:
        if self.faults:
            raise self.faults[0]

    @invariant()
    def what_holds_of_every_room(self) -> None:
        if self.owner is None:
            return
        for state in (self.owner.state, self.owner.durable):
            if state.seq:
                check_state(state, SPECTATORS)
        assert self.owner.durable.seq == len(self.journal.events)
        remembered = self.owner.state.accepted
        assert len(remembered) <= len(NAMES)
        assert all(len(known.ids) <= REMEMBERED_COMMANDS for known in remembered)
        game = self.owner.durable.game
        if game is not None:
            archived = [kept for kept in self.journal.games if kept.id == game.id]
            assert bool(archived) == (game.result is not None)
            assert all(verify_game(kept).holds for kept in archived)

    @invariant()
    def what_is_durable_would_be_taken_up_as_it_is(self) -> None:
        if self.owner is not None and self.owner.durable.seq:
            state, tail, _ = self.journal.recalled()
            assert state == restored(self.owner.durable)
            assert [n.seq for n in tail] == list(range(1, state.seq + 1))

    @invariant()
    def what_was_shown_is_durable(self) -> None:
        if self.owner is not None:
            for client in self.clients.values():
                assert client.seq <= self.owner.durable.seq

    @invariant()
    def people_in_the_room_are_up_to_date(self) -> None:
        if self.owner is None or self.journal.waiting:
            return
        for player in self.outbox.inside:
            assert self.clients[player].seq == self.owner.durable.seq
            assert player in self.owner.durable.present()

    @invariant()
    def a_room_that_nobody_is_in_ends_in_time(self) -> None:
        if self.owner is None or self.journal.waiting or self.owner._trouble:
            return
        state = self.owner.state
        if not state.present() and (state.people() or not state.playing):
            grace = DELAYS.game if state.playing else DELAYS.room
            due, timer = self.owner._timers._running[Task.CLOSE]
            assert not timer.cancelled()
            assert due.delay <= grace, "a room that stays longer than it should"

    # Helpers

    def person(self, player: int | None) -> Person:
        return next(person for person in self.people if person.player == player)

    def is_in(self, person: Person) -> bool:
        return person.player in self.outbox.inside


@cache
def chain_of(person: Person) -> Chain:
    """The chain of somebody's client, the same one in every game of these tests."""
    return Chain(hashlib.sha256(person.name.encode()).digest())


def right_move(phase: Phase, *, stop: bool) -> tuple[type[commands.Command], dict[str, Any]]:
    if phase is Phase.CHOOSE:
        return commands.Choose, {"option": 1}
    if phase is Phase.ROLL_OR_STOP and stop:
        return commands.Stop, {}
    return commands.Roll, {}


TestRoom = Room.TestCase
TestRoom.settings = settings(
    max_examples=length(60, 1500),
    stateful_step_count=length(40, 60),
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
