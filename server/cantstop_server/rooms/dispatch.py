"""One row for each command that a room takes: who may send it, when, and what it does."""

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from msgspec.structs import replace

from cantstop_protocol import commands
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.events import AnyEvent, Chatted, Contributed
from cantstop_protocol.messages import Aside
from cantstop_protocol.text import BadText, clean_chat
from cantstop_server.rooms import dicing, moderation, play, seating, witness
from cantstop_server.rooms.outcome import Outcome, World
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.state import Person, RoomState, SeatState
from cantstop_server.rules import course

Who = Literal["member", "seated", "creator"]
When = Literal["always", "between games"]


class Row(NamedTuple):
    """``who`` may send it, ``when`` the room takes it, and the change it makes."""

    who: Who
    when: When
    handle: Callable[[RoomState, Person, Any, World], Outcome]


def step(state: RoomState, person: Person, command: commands.Command, world: World) -> Outcome:
    """The room after a command of one of its members. Raises ``Refused``; then nothing changed."""
    row = ROWS[type(command)]
    _check_who(state, person, row.who)
    if row.when == "between games" and state.playing:
        raise Refused(ErrorCode.NOT_ALLOWED, "not while a game is being played")
    return row.handle(state, person, command, world)


def _check_who(state: RoomState, person: Person, who: Who) -> None:
    if state.seat_of(person.player) is None:
        if not state.is_member(person.player):
            raise Refused(ErrorCode.NOT_IN_ROOM, "you are not in this room any more: join it again")
        if who == "seated":
            raise Refused(ErrorCode.NOT_SEATED, "you are watching: only those seated may do this")
    if who == "creator" and state.creator != person.player:
        creator = None if state.creator is None else state.name_of(state.creator)
        raise Refused(ErrorCode.NOT_CREATOR, f"only {creator}, who runs this room, may do this")


def _change(outcome: tuple[RoomState, tuple[AnyEvent, ...]]) -> Outcome:
    return Outcome(*outcome)


def _seat(state: RoomState, person: Person) -> int:
    seat = state.seat_of(person.player)
    assert seat is not None
    return seat


def _own_move(state: RoomState, person: Person, ply: int) -> SeatState:
    held = play.check_move(state, person, ply)
    if held.autopilot is not None:
        raise Refused(
            ErrorCode.NOT_ALLOWED, f"{held.autopilot} plays for you: take your seat back first"
        )
    return held


def _in_time(state: RoomState, held: SeatState) -> RoomState:
    """The room with the overruns of the seat to move forgotten: its roll may come only when
    the witness answers."""
    if not held.overruns or state.position is None:
        return state
    return state.with_seat(state.position.seat, replace(held, overruns=0))


def _leave(state: RoomState, person: Person, command: commands.Leave, world: World) -> Outcome:
    seat = state.seat_of(person.player)
    if seat is None or not play.is_in_game(state, seat):
        return _change(seating.leave(state, person))
    resigned = play.resign(state, seat, world)
    left, events = seating.leave(resigned.state, person)
    return Outcome(left, (*resigned.events, *events), resigned.archive)


def _configure(
    state: RoomState, person: Person, command: commands.Configure, world: World
) -> Outcome:
    return _change(seating.configure(state, person, command.options))


def _add_bot(state: RoomState, person: Person, command: commands.AddBot, world: World) -> Outcome:
    return _change(seating.add_bot(state, command.kind, command.seat))


def _remove_bot(
    state: RoomState, person: Person, command: commands.RemoveBot, world: World
) -> Outcome:
    return _change(seating.remove_bot(state, command.seat))


def _swap_seats(
    state: RoomState, person: Person, command: commands.SwapSeats, world: World
) -> Outcome:
    return _change(seating.swap_seats(state, person, *command.seats))


def _kick(state: RoomState, person: Person, command: commands.Kick, world: World) -> Outcome:
    return moderation.kick(state, person, command.name, world)


def _lock(state: RoomState, person: Person, command: commands.Lock, world: World) -> Outcome:
    return moderation.lock(state, person, command.locked)


def _pass_room(
    state: RoomState, person: Person, command: commands.PassRoom, world: World
) -> Outcome:
    return moderation.pass_room(state, person, command.name)


def _set_spectator_chat(
    state: RoomState, person: Person, command: commands.SetSpectatorChat, world: World
) -> Outcome:
    return moderation.set_spectator_chat(state, person, command.mode)


def _rematch(state: RoomState, person: Person, command: commands.Rematch, world: World) -> Outcome:
    return play.rematch(state, _seat(state, person), person.name, world)


def _resign(state: RoomState, person: Person, command: commands.Resign, world: World) -> Outcome:
    return play.resign(state, _seat(state, person), world)


def _start(state: RoomState, person: Person, command: commands.Start, world: World) -> Outcome:
    return play.start(state, world)


def _roll(state: RoomState, person: Person, command: commands.Roll, world: World) -> Outcome:
    held = _own_move(state, person, command.ply)
    return play.roll(_in_time(state, held), world)


def _choose(state: RoomState, person: Person, command: commands.Choose, world: World) -> Outcome:
    _own_move(state, person, command.ply)
    return play.act(state, course.Choose(command.option - 1), world)


def _stop(state: RoomState, person: Person, command: commands.Stop, world: World) -> Outcome:
    _own_move(state, person, command.ply)
    return play.act(state, course.Stop(), world)


def _hint(state: RoomState, person: Person, command: commands.Hint, world: World) -> Outcome:
    """May the person ask? What the answer is takes long: the owner finds it out."""
    if not state.options.hints:
        raise Refused(
            ErrorCode.NOT_ALLOWED, "this room plays without hints: hints=on makes it a casual one"
        )
    _own_move(state, person, command.ply)
    return Outcome(state, ())


def _autopilot(
    state: RoomState, person: Person, command: commands.Autopilot, world: World
) -> Outcome:
    return play.set_autopilot(state, person, _seat(state, person), command.kind)


def _contribute(
    state: RoomState, person: Person, command: commands.Contribute, world: World
) -> Outcome:
    seat = _seat(state, person)
    changed = dicing.contribute(state, person, command)
    if changed is state:
        return Outcome(state, ())
    return Outcome(changed, (Contributed(person.name, seat),))


def _witness(state: RoomState, person: Person, command: commands.Witness, world: World) -> Outcome:
    return witness.answer(state, _seat(state, person), command, world)


def _chat(state: RoomState, person: Person, command: commands.Chat, world: World) -> Outcome:
    try:
        text = clean_chat(command.text)
    except BadText as error:
        raise Refused(ErrorCode.BAD_TEXT, str(error)) from error
    seat = state.seat_of(person.player)
    if seat is None and state.spectator_chat != "merged":
        if state.spectator_chat == "muted":
            raise Refused(ErrorCode.NOT_ALLOWED, "spectators' chat is off in this room")
        return Outcome(state, (), aside=Aside(name=person.name, text=text))
    return Outcome(state, (Chatted(person.name, seat, text),))


ROWS: Final[dict[type[commands.Command], Row]] = {
    commands.Leave: Row("member", "always", _leave),
    commands.Configure: Row("creator", "between games", _configure),
    commands.AddBot: Row("creator", "between games", _add_bot),
    commands.RemoveBot: Row("creator", "between games", _remove_bot),
    commands.SwapSeats: Row("creator", "between games", _swap_seats),
    commands.Kick: Row("creator", "always", _kick),
    commands.Lock: Row("creator", "always", _lock),
    commands.PassRoom: Row("creator", "always", _pass_room),
    commands.SetSpectatorChat: Row("creator", "always", _set_spectator_chat),
    commands.Rematch: Row("seated", "between games", _rematch),
    commands.Resign: Row("seated", "always", _resign),
    commands.Start: Row("creator", "between games", _start),
    commands.Roll: Row("seated", "always", _roll),
    commands.Choose: Row("seated", "always", _choose),
    commands.Stop: Row("seated", "always", _stop),
    commands.Hint: Row("seated", "always", _hint),
    commands.Autopilot: Row("seated", "always", _autopilot),
    commands.Contribute: Row("seated", "always", _contribute),
    commands.Witness: Row("seated", "always", _witness),
    commands.Chat: Row("member", "always", _chat),
}
