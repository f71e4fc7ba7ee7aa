"""The owner of one room: applies commands one at a time, and shows what has become durable.

The owner is synchronous. It keeps two states: ``state``, where the accepted commands have led,
and ``durable``, which the journal has written. Nobody is told of anything that is only in the
first; if the journal fails, the first goes back to the second. It never sees a socket: people
are player ids, and what they are to be sent goes to the outbox.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from cantstop_protocol.codec import encode
from cantstop_protocol.codes import ErrorCode, ExitCode
from cantstop_protocol.commands import Command, Hint
from cantstop_protocol.events import AnyEvent
from cantstop_protocol.limits import TAIL_EVENTS
from cantstop_protocol.messages import (
    Alternative,
    Entered,
    Error,
    Exit,
    Hinted,
    Message,
    Notice,
    NumberedEvent,
    Ok,
    Update,
)
from cantstop_server.rooms import moderation, play, seating, witness
from cantstop_server.rooms.agenda import Delays, Task, agenda
from cantstop_server.rooms.bots import bot_move, decide, is_thinking
from cantstop_server.rooms.clock import DecisionClock
from cantstop_server.rooms.coaching import hints
from cantstop_server.rooms.dispatch import step
from cantstop_server.rooms.memory import is_repetition, remembered
from cantstop_server.rooms.moves import move_between
from cantstop_server.rooms.outcome import Outcome, World
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.relief import has_clock, relieve, spend, time_up, warn
from cantstop_server.rooms.state import Person, RoomState, dump, dump_events
from cantstop_server.rooms.table import Tables
from cantstop_server.rooms.thinking import Thinkers, Thought
from cantstop_server.rooms.timers import Timers
from cantstop_server.rules import course
from cantstop_server.storage.errors import StorageError
from cantstop_server.storage.journal import Journal, RoomWrite

log = logging.getLogger(__name__)

MOST_MOVES: Final = 32
"""After so many events that were written as moves the whole room is written again."""

RETRY_SECONDS: Final = 1.0
"""How long after a failed write the owner tries again what nobody will send again."""

Reply = Callable[[Message], None]
Told = Callable[[StorageError | None], None]


class Outbox(Protocol):
    """Where messages to people go. Sending never waits; people without a connection are skipped."""

    def send(self, room: str, players: Iterable[int], frame: bytes) -> None: ...

    def hold(self, player: int) -> None: ...

    def let_go(self, player: int) -> None: ...

    def connected(self, room: str, player: int) -> bool: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every room of a server shares."""

    scope: str
    journal: Journal
    outbox: Outbox
    world: World
    thinkers: Thinkers
    delays: Delays
    spectator_limit: int
    on_put_out: Callable[[str, int], None]
    """This person's connection is not in this room any more."""
    on_emptied: Callable[[str], None]
    """Nobody's connection is in this room any more, but the room goes on."""
    on_closed: Callable[[str], None]
    """The room has ended."""
    on_event: Callable[[str, AnyEvent], None] = lambda room, event: None
    """This event of a room has become durable."""
    on_seats: Callable[[RoomState], None] = lambda state: None
    """The seats of a room have durably changed."""


class _Request(Struct, frozen=True):
    """A command that waits for its reply; ``person`` is None for the server's host.

    With ``last_seq`` its sender is on the way in, and has seen what happened until then.
    """

    person: Person | None
    instance: str
    id: int
    reply: Reply
    last_seq: int | None = None


class _Pending(Struct):
    """A write under way, and what to do once it is durable."""

    state: RoomState
    events: tuple[NumberedEvent, ...]
    put_out: int | None
    requests: list[_Request]
    moved_from: RoomState | None
    """The state before, if all that is between is a move that changed no seat."""
    filed: int | None = None
    """The number of the latest event, if the whole room is written, and its events get rows."""
    undone: bool = False
    """A write before it has failed, and with that this one."""


class RoomOwner:
    """One room. All methods are called on the event loop and return at once."""

    def __init__(
        self,
        state: RoomState,
        tail: Iterable[NumberedEvent],
        around: Surroundings,
        filed: int = 0,
    ) -> None:
        """``filed`` is the number of the latest event that has a row of its own."""
        self.code = state.code
        self.state = state
        self.durable = state
        self._around = around
        self._tail = deque(tail, maxlen=TAIL_EVENTS)
        self._filed = filed
        self._unfiled = [numbered for numbered in self._tail if numbered.seq > filed]
        self._withheld: set[int] = set()
        self._pending: deque[_Pending] = deque()
        self._timers = Timers(self._due)
        self._retry_timer: asyncio.TimerHandle | None = None
        self._clock = DecisionClock(asyncio.get_running_loop().time)
        self._tables = Tables()
        self._seen: tuple[object, object, tuple[int, ...]] | None = None
        self._hinting: set[int] = set()
        self._trouble = False
        self._closing = False

    def submit(self, person: Person, instance: str, command: Command, reply: Reply) -> None:
        """A command of somebody in the room; the reply follows once its effect is durable."""
        if isinstance(command, Hint):
            self._hint(person, command, reply)
            return
        request = _Request(person, instance, command.id, reply)
        if is_repetition(self.state, person, instance, command.id):
            self._answer_when_durable(request)
            return
        try:
            self._check_open()
            if has_clock(self.state.options):
                outcome = self._timed_step(person, command)
            else:
                outcome = step(self.state, person, command, self._around.world)
        except Refused as refusal:
            reply(Error(re=command.id, code=refusal.code, message=refusal.message))
        except Exception:
            log.exception("room %s: a fault in %s", self.code, type(command).__name__)
            reply(Error(re=command.id, code=ErrorCode.INTERNAL, message=_INTERNAL))
        else:
            self._apply(outcome, request)

    def _timed_step(self, person: Person, command: Command) -> Outcome:
        """A step that takes its time from somebody's clock. Raises ``Refused``."""
        if self._clock.is_up(self.state):
            # It came too late, by however little: the clock's step comes first.
            self._apply(time_up(self.state, self._around.world))
        elapsed = self._clock.elapsed(self.state)
        outcome = step(self.state, person, command, self._around.world)
        seat = self.state.seat_of(person.player)
        return outcome.leading_to(spend(self.state, outcome.state, elapsed, seat))

    def _hint(self, person: Person, command: Hint, reply: Reply) -> None:
        """What somebody's alternatives are worth. It changes nothing and is no event."""
        try:
            self._check_open()
            step(self.state, person, command, self._around.world)
            if person.player in self._hinting:
                raise Refused(ErrorCode.TOO_FAST, "your last hint is still being worked out")
        except Refused as refusal:
            reply(Error(re=command.id, code=refusal.code, message=refusal.message))
            return
        position = self.state.position
        assert position is not None

        def tell(thought: Thought[tuple[Alternative, ...]]) -> None:
            self._hinting.discard(person.player)
            try:
                reply(Hinted(re=command.id, ply=command.ply, alternatives=thought()))
            except Exception:
                log.exception("room %s: no hint", self.code)
                reply(Error(re=command.id, code=ErrorCode.INTERNAL, message=_INTERNAL))

        self._hinting.add(person.player)
        self._around.thinkers.ask(partial(hints, position), tell)

    def enter(
        self,
        person: Person,
        instance: str,
        id: int,
        reply: Reply,
        *,
        watch: bool,
        last_seq: int = 0,
        opening: tuple[AnyEvent, ...] = (),
    ) -> None:
        """Let somebody in; raises ``Refused``. ``opening`` are events of the room's creation."""
        self._check_open()
        state, events = seating.enter(
            self.state, person, watch=watch, spectator_limit=self._around.spectator_limit
        )
        request = _Request(person, instance, id, reply, last_seq)
        self._apply(Outcome(state, (*opening, *events)), request)

    def vanish(self, person: Person) -> None:
        """Somebody's connection is gone."""
        if not self._closing:
            self._apply(Outcome(*seating.vanish(self.state, person)))

    def wake(self) -> None:
        """Take up the room after a restart: computer players go on, the grace time begins."""
        self._clock.hold_away(self.state)
        self._look_around()

    def expel(self, name: str, id: int, reply: Reply) -> None:
        """The server's host puts somebody out for good. Raises ``Refused``."""
        self._check_open()
        elapsed = self._clock.elapsed(self.state)
        outcome = moderation.kick(self.state, _HOST, name, self._around.world)
        outcome = outcome.leading_to(spend(self.state, outcome.state, elapsed, None))
        self._apply(outcome, _Request(None, "", id, reply))

    def close(self, code: ExitCode, message: str, told: Told = lambda error: None) -> None:
        """End the room: a running game is abandoned, everyone is told, everything is freed.

        ``told`` is called once that is durable, or has failed.
        """
        if self._closing:
            told(None)
            return
        if self.state.playing:
            self._apply(play.abandon(self.state, self._around.world.now()))
        self._closing = True
        self._timers.stop()
        self._stop_retry()
        self._around.journal.append(
            RoomWrite(
                scope=self._around.scope,
                room=self.code,
                state=None,
                events=(),
                forget_through=0,
                archive=None,
                done=partial(self._closed, code, message, told),
            )
        )

    def stop(self) -> None:
        """The process is about to end: the room stays in the journal as it is."""
        self._closing = True
        self._timers.stop()
        self._stop_retry()

    def _check_open(self) -> None:
        if self._closing:
            raise Refused(ErrorCode.NO_SUCH_ROOM, f"the room {self.code} is closing")

    def _apply(self, outcome: Outcome, request: _Request | None = None) -> None:
        """Take a step's outcome as the state, and send it on its way to the journal."""
        if not outcome.is_move:
            outcome = witness.settled(self.state, outcome, self._around.world)
        before = self.state
        events = tuple(map(NumberedEvent, count(before.seq + 1), outcome.events))
        accepted = outcome.state.accepted
        if request is not None and request.person is not None:
            accepted = remembered(outcome.state, request.person, request.instance, request.id)
        after = replace(outcome.state, seq=before.seq + len(events), accepted=accepted)
        if events:
            # Until the write is made nothing has changed: a fault in that leaves all as it was.
            pending, write = self._write_of(outcome, before, after, events, request)
            self._unfiled = [] if write.move is None else [*self._unfiled, *events]
            self._pending.append(pending)
        self.state = after
        if outcome.aside is not None:
            spectators = [spectator.player for spectator in self.durable.spectators]
            self._around.outbox.send(self.code, spectators, encode(outcome.aside))
        if events:
            self._around.journal.append(write)
        elif request is not None:
            self._answer_when_durable(request)

    def _write_of(
        self,
        outcome: Outcome,
        before: RoomState,
        after: RoomState,
        events: tuple[NumberedEvent, ...],
        request: _Request | None,
    ) -> tuple[_Pending, RoomWrite]:
        """What is written of a step: the move if it is one, otherwise the whole room."""
        requests = [] if request is None else [request]
        moved_from = before if outcome.is_move and before.seats is after.seats else None
        pending = _Pending(after, events, outcome.put_out, requests, moved_from)
        scope, done = self._around.scope, partial(self._done, pending)
        if moved_from and len(self._unfiled) < MOST_MOVES and before is self._last_stored():
            move = move_between(before, after, bool(request), outcome.events)
            if move is not None:
                return pending, RoomWrite(
                    scope, self.code, None, (), 0, None, done, after.seq, move
                )
        unfiled = (*self._unfiled, *events)
        pending.filed = after.seq
        return pending, RoomWrite(
            scope=scope,
            room=self.code,
            state=dump(after),
            events=(dump_events(unfiled),),
            forget_through=max(0, unfiled[0].seq - TAIL_EVENTS),
            archive=outcome.archive,
            done=done,
            seq=after.seq,
        )

    def _last_stored(self) -> RoomState:
        """The state that the journal was given last."""
        return self._pending[-1].state if self._pending else self.durable

    def _answer_when_durable(self, request: _Request) -> None:
        if self._pending:
            self._pending[-1].requests.append(request)
        else:
            self._answer(request)

    def _answer(self, request: _Request) -> None:
        id, reply = request.id, request.reply
        if request.person is None or request.last_seq is None:
            reply(Ok(re=id))
            return
        try:
            reply(self._entered(id, request.person, request.last_seq))
            self._withheld.discard(request.person.player)
        except Exception:
            log.exception("room %s: a fault in showing the table", self.code)
            reply(Error(re=id, code=ErrorCode.INTERNAL, message=_INTERNAL))

    def _entered(self, id: int, person: Person, last_seq: int) -> Entered:
        events = tuple(n for n in self._tail if n.seq > last_seq)
        oldest = self._tail[0].seq if self._tail else self.durable.seq + 1
        return Entered(
            re=id,
            seat=self.durable.seat_of(person.player),
            seq=self.durable.seq,
            events=events,
            complete=last_seq <= self.durable.seq and oldest <= last_seq + 1,
            table=self._tables.encoded(self.durable, self._clock.seconds_left(self.durable)),
        )

    def _done(self, pending: _Pending, error: StorageError | None) -> None:
        """The journal's answer to a write, in the order in which they were appended."""
        self._pending.popleft()
        if error is not None:
            self._failed(pending, error)
            return
        seats, self.durable = self.durable.seats, pending.state
        if not self._pending:
            self._clock.follow(self.state)
        self._tail.extend(pending.events)
        self._filed = pending.filed or self._filed
        # Who is answered gets the update in the same write: that is the dearest part of both.
        outbox = self._around.outbox
        answered = [request.person.player for request in pending.requests if request.person]
        for player in answered:
            outbox.hold(player)
        try:
            self._show(pending, new_seats=self.durable.seats is not seats)
        finally:
            for player in answered:
                outbox.let_go(player)
        if self._trouble:
            self._trouble = False
            self._notify("the database works again: the game goes on")
        self._arrange()

    def _show(self, pending: _Pending, *, new_seats: bool) -> None:
        """Tell the room what has become durable, and answer those who have asked for it."""
        try:
            if new_seats:
                self._around.on_seats(self.durable)
            for numbered in pending.events:
                self._around.on_event(self.code, numbered.event)
            self._publish(pending)
            self._put_out(pending)
        except Exception:
            log.exception("room %s: a fault in showing event %d", self.code, self.durable.seq)
            self._put_everyone_out()
        for request in pending.requests:
            self._answer(request)

    def _put_out(self, pending: _Pending) -> None:
        if pending.put_out is not None:
            farewell = Exit(
                room=self.code, code=ExitCode.KICKED, message="you have been put out of the room"
            )
            self._around.outbox.send(self.code, [pending.put_out], encode(farewell))
            self._around.on_put_out(self.code, pending.put_out)

    def _put_out_with_a_gap(self, player: int) -> None:
        """Somebody was to get with an entering what happened meanwhile, and the entering failed."""
        self._withheld.discard(player)
        self._around.outbox.send(self.code, [player], encode(self._join_again()))
        self._around.on_put_out(self.code, player)

    def _join_again(self) -> Exit:
        return Exit(
            room=self.code,
            code=ExitCode.ROOM_FAULT,
            message="a fault in the server: nothing of the game is lost, join the room again",
        )

    def _put_everyone_out(self) -> None:
        """What became durable cannot be shown: whoever joins again gets the whole table anew."""
        farewell = self._join_again()
        self._around.outbox.send(self.code, self.durable.present(), encode(farewell))
        self._around.on_emptied(self.code)
        self._try_again_later()

    def _publish(self, pending: _Pending) -> None:
        # Who is on the way in, with this write or one behind it, gets all that with ``Entered``.
        newcomers = [
            request.person.player
            for write in (pending, *self._pending)
            for request in write.requests
            if request.person is not None and request.last_seq is not None
        ]
        people = self._present(pending.state)
        if newcomers:
            self._withheld.update(player for player in people if player in newcomers)
            people = tuple(player for player in people if player not in newcomers)
        if not people:
            return
        left = self._clock.seconds_left(pending.state)
        table = self._tables.encoded(pending.state, left, pending.moved_from)
        last = pending.events[-1].seq
        for numbered in pending.events:
            update = Update(
                seq=numbered.seq,
                event=numbered.event,
                table=table,
                more=numbered.seq != last,
            )
            self._around.outbox.send(self.code, people, encode(update))

    def _present(self, state: RoomState) -> tuple[int, ...]:
        """``state.present()``, looked up anew only when somebody has come or gone."""
        seen = self._seen
        if seen is None or seen[0] is not state.seats or seen[1] is not state.spectators:
            self._seen = seen = (state.seats, state.spectators, state.present())
        return seen[2]

    def _failed(self, pending: _Pending, error: StorageError) -> None:
        """Go back to what is durable; whoever asked for more is told that it had no effect."""
        if not pending.undone:
            # What an answer below leads to builds on this, and not on what is still to fail.
            # Its epoch is new: should the write be there all the same, no restart takes it up.
            self.state = replace(self.durable, epoch=self.state.epoch + 1)
            self._unfiled = [n for n in self._tail if n.seq > self._filed]
            for behind in self._pending:
                behind.undone = True
        for request in pending.requests:
            request.reply(Error(re=request.id, code=ErrorCode.STORAGE, message=str(error)))
            if request.person is not None and request.person.player in self._withheld:
                self._put_out_with_a_gap(request.person.player)
        if not self._trouble:
            self._trouble = True
            log.error("room %s: rolled back to event %d: %s", self.code, self.durable.seq, error)
            self._notify(f"the database does not take the game down, so it waits: {error}")
        if self.durable.seq == 0:
            self._never_was()
        else:
            self._try_again_later()

    def _never_was(self) -> None:
        """The room's very creation has failed: nobody is in it, and a resend makes another."""
        if not self._pending:
            self.stop()
            self._around.on_closed(self.code)

    def _try_again_later(self) -> None:
        self._timers.stop()
        if self._retry_timer is None and not self._closing:
            loop = asyncio.get_running_loop()
            self._retry_timer = loop.call_later(RETRY_SECONDS, self._retry)

    def _stop_retry(self) -> None:
        if self._retry_timer is not None:
            self._retry_timer.cancel()
            self._retry_timer = None

    def _retry(self) -> None:
        self._retry_timer = None
        for person in self.durable.people():
            present = person.player in self.durable.present()
            if present and not self._around.outbox.connected(self.code, person.player):
                self.vanish(person)
        self._look_around()

    def _notify(self, message: str) -> None:
        self._around.outbox.send(self.code, self.durable.present(), encode(Notice(message=message)))

    def _look_around(self) -> None:
        """Look what has changed meanwhile, then see to what happens by itself."""
        if not self._pending:
            self._clock.follow(self.state)
        self._arrange()

    def _arrange(self) -> None:
        """Arrange for what happens by itself. While a write is under way nothing is arranged."""
        if self._closing or self._pending:
            return
        elapsed = self._clock.elapsed(self.state)
        self._timers.arrange(
            agenda(
                self.state,
                self._around.delays,
                self._clock.held,
                elapsed,
                present=bool(self._present(self.state)),
            )
        )

    def _due(self, task: Task) -> None:
        """A timer has run out: take the step it stands for."""
        if self._closing:
            return
        if self._pending:
            self._timers.again(task)  # what is under way looks around again when it is done
            return
        self._attempt(task, partial(self._do, task))

    def _attempt(self, task: Task, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception:
            log.exception("room %s: a fault in %s", self.code, task)
            self._timers.again(task)
            self._try_again_later()

    def _do(self, task: Task) -> None:
        world = self._around.world
        match task:
            case Task.CLOSE:
                self.close(ExitCode.ROOM_CLOSED, "nobody has been here for too long")
            case Task.BOT_MOVE:
                self._bot_move()
            case Task.TIME_WARNING:
                self._apply(warn(self.state))
            case Task.TIME_UP:
                self._apply(time_up(self.state, world))
            case Task.RELIEF:
                self._apply(relieve(self.state, world))
            case Task.UNSEAT:
                self._apply(Outcome(*seating.unseat_away(self.state)))
            case Task.WITNESS:
                outcome = witness.pass_on(self.state, world)
                elapsed = self._clock.elapsed(self.state)
                self._apply(outcome.leading_to(spend(self.state, outcome.state, elapsed, None)))

    def _bot_move(self) -> None:
        """Let the computer player decide, here or, if that takes long, on another thread."""
        kind, position = self._bot_kind(), self.state.position
        assert position is not None
        decision = partial(decide, position, kind)
        if is_thinking(position, kind):
            self._around.thinkers.ask(decision, partial(self._thought, self._awaited_bot()))
        else:
            self._apply(bot_move(self.state, kind, self._around.world, decision))

    def _awaited_bot(self) -> Hashable:
        """What names the decision that a computer player is to make now, None if none is."""
        present = bool(self._present(self.state))
        due = agenda(self.state, self._around.delays, self._clock.held, 0.0, present=present)
        awaited = due.get(Task.BOT_MOVE)
        return None if awaited is None else awaited.key

    def _thought(self, awaited: Hashable, decision: Thought[course.Action | None]) -> None:
        """A computer player has thought; it counts if that very decision is still due."""
        if self._closing or self._awaited_bot() != awaited:
            return
        if self._pending:
            self._timers.again(Task.BOT_MOVE)  # as for what is due
            return
        kind, world = self._bot_kind(), self._around.world
        self._attempt(
            Task.BOT_MOVE, lambda: self._apply(bot_move(self.state, kind, world, decision))
        )

    def _bot_kind(self) -> str:
        awaited = self.state.awaited_seat()
        assert awaited is not None
        assert awaited[1].player_kind is not None
        return awaited[1].player_kind

    def _closed(self, code: ExitCode, message: str, told: Told, error: StorageError | None) -> None:
        if error is not None:
            self._closing = False
            self._failed(_Pending(self.durable, (), None, [], None), error)
            told(error)
            return
        farewell = Exit(room=self.code, code=code, message=message)
        self._around.outbox.send(self.code, self.state.present(), encode(farewell))
        self._around.on_closed(self.code)
        told(None)


_HOST: Final = Person(-1, "the host")
_INTERNAL: Final = "a fault in the server: nothing has changed, try again"
