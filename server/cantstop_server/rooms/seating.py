"""Who is in a room: entering, leaving, being away, computer players, and what is to be played."""

import re
from collections.abc import Iterator
from itertools import count

from msgspec.structs import replace

from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.events import (
    AnyEvent,
    AutopilotSet,
    Away,
    Back,
    BotAdded,
    BotRemoved,
    Configured,
    Created,
    CreatorChanged,
    Joined,
    Left,
    SeatsSwapped,
)
from cantstop_protocol.table import GameOptions
from cantstop_server.players.registry import KINDS
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.state import Accepted, Person, RoomState, SeatState
from cantstop_server.rules.errors import InvalidSetup
from cantstop_server.rules.setup import make_setup

Change = tuple[RoomState, tuple[AnyEvent, ...]]


def open_room(
    code: str,
    title: str,
    password: bytes | None,
    options: GameOptions,
    person: Person,
    created_by: Accepted,
) -> Change:
    """A new room, its creator still outside; ``created_by`` is the command that opens it.

    Raises ``Refused`` for bad options.
    """
    check_options(options)
    state = RoomState(
        code=code,
        title=title,
        options=settled(options),
        creator=person.player,
        password=password,
        seats=(None,) * options.seats,
        created_by=created_by,
    )
    return state, (Created(person.name),)


def check_options(options: GameOptions) -> None:
    """Raises ``Refused`` for a game that could not be played to an end."""
    try:
        make_setup(options.seats, options.target)
    except InvalidSetup as error:
        raise Refused(ErrorCode.BAD_OPTIONS, str(error)) from error
    if options.dice == "witnessed" and options.seats < 2:
        raise Refused(
            ErrorCode.BAD_OPTIONS, "witnessed dice need two people: alone, dice=committed serves"
        )


def settled(options: GameOptions) -> GameOptions:
    """The options as a room has them: with hints it is a casual one."""
    return replace(options, rated=options.rated and not options.hints)


def enter(state: RoomState, person: Person, *, watch: bool, spectator_limit: int) -> Change:
    """A person joins, sits down from watching, or returns. The password has been checked."""
    index = state.seat_of(person.player)
    if index is not None:
        return _return(state, index, person)
    watching = any(spectator.player == person.player for spectator in state.spectators)
    if not watching:
        _check_admitted(state, person)
    if watch:
        if watching:
            return state, ()
        if len(state.spectators) >= spectator_limit:
            raise Refused(
                ErrorCode.ROOM_FULL, f"{spectator_limit} people watch already: try again later"
            )
        return _with_creator(
            replace(state, spectators=(*state.spectators, person)), (Joined(person.name, None),)
        )
    if state.playing:
        raise Refused(
            ErrorCode.ROOM_FULL, f"the game in {state.code} has begun: watch it, or join another"
        )
    state = _new_lineup(state)
    free = _free_seat(state)
    others = tuple(s for s in state.spectators if s.player != person.player)
    seat = SeatState(person.name, person.player)
    seated = replace(state, spectators=others).with_seat(free, seat)
    return _with_creator(seated, (Joined(person.name, free),))


def leave(state: RoomState, person: Person) -> Change:
    """A person leaves for good. A running game has already been resigned."""
    index = state.seat_of(person.player)
    if index is None:
        remaining = tuple(s for s in state.spectators if s.player != person.player)
        return _with_creator(replace(state, spectators=remaining), (Left(person.name, None),))
    state = replace(state, rematch=tuple(seat for seat in state.rematch if seat != index))
    seat = state.seats[index]
    assert seat is not None
    # The board of a game, also of one just over, keeps its names until seats are taken anew.
    kept = replace(seat, gone=True, autopilot=None, away=False) if state.game else None
    return _with_creator(state.with_seat(index, kept), (Left(person.name, index),))


def vanish(state: RoomState, person: Person) -> Change:
    """A person's connection is gone: a seat is held, a spectator is out."""
    index = state.seat_of(person.player)
    if index is None:
        return leave(state, person) if state.is_member(person.player) else (state, ())
    seat = state.seats[index]
    assert seat is not None
    if seat.away:
        return state, ()
    return state.with_seat(index, replace(seat, away=True)), (Away(seat.name, index),)


def unseat_away(state: RoomState) -> Change:
    """Between games, let go of the seats whose people have been away for too long."""
    events: tuple[AnyEvent, ...] = ()
    for seat in state.seats:
        if seat is not None and seat.player is not None and seat.away and not seat.gone:
            state, left = leave(state, Person(seat.player, seat.name))
            events = (*events, *left)
    return state, events


def configure(state: RoomState, person: Person, options: GameOptions) -> Change:
    """Change what is to be played; those seated move together. Raises ``Refused``."""
    check_options(options)
    options = settled(options)
    state = _new_lineup(state)
    taken = tuple(seat for seat in state.seats if seat)
    if len(taken) > options.seats:
        raise Refused(
            ErrorCode.BAD_OPTIONS,
            f"{len(taken)} seats are taken: {options.seats} would not be enough",
        )
    seats = state.seats
    if options.seats != len(seats):
        seats = (*taken, *(None,) * (options.seats - len(taken)))
    changed = replace(state, options=options, seats=seats, next_first=None)
    return changed, (Configured(person.name, options),)


def add_bot(state: RoomState, kind: str, wanted: int | None = None) -> Change:
    """Give a seat to a computer player: the first free one, or the wanted. Raises ``Refused``.

    A wanted seat may hold a computer player, which goes.
    """
    check_kind(kind)
    state = _new_lineup(state)
    events: tuple[AnyEvent, ...] = ()
    index = _free_seat(state) if wanted is None else wanted
    held = _seat_at(state, index)
    if held is not None:
        state, events = remove_bot(state, index)
    names = {seat.name for seat in state.seats if seat}
    name = next(name for name in _bot_names(kind) if name not in names)
    seated = state.with_seat(index, SeatState(name, bot=kind))
    return seated, (*events, BotAdded(name, index, kind))


def remove_bot(state: RoomState, index: int) -> Change:
    """Take a computer player out of its seat. Raises ``Refused``."""
    seat = _seat_at(state, index)
    if seat is None or seat.bot is None:
        raise Refused(ErrorCode.NOT_ALLOWED, f"no computer player sits in seat {index + 1}")
    return _new_lineup(state).with_seat(index, None), (BotRemoved(seat.name, index),)


def swap_seats(state: RoomState, person: Person, first: int, second: int) -> Change:
    """Let two seats, taken or free, change places. Raises ``Refused``."""
    state = _new_lineup(state)
    one, other = _seat_at(state, first), _seat_at(state, second)
    swapped = state.with_seat(first, other).with_seat(second, one)
    return swapped, (SeatsSwapped(person.name, (first, second)),)


def check_kind(kind: str) -> None:
    """Raises ``Refused`` unless there is such a kind of computer player."""
    if kind not in KINDS:
        raise Refused(
            ErrorCode.NOT_ALLOWED,
            f"there is no computer player {kind!r}: choose one of {', '.join(KINDS)}",
        )


def is_bot_name(name: str) -> bool:
    """Whether a name is kept for computer players."""
    return re.fullmatch(rf"({'|'.join(KINDS)})( ?\d+)?", name.casefold()) is not None


def free_gone_seats(state: RoomState) -> RoomState:
    """The room between games: seats of people who left during the last one are free again."""
    return replace(state, seats=tuple(None if seat and seat.gone else seat for seat in state.seats))


def _return(state: RoomState, index: int, person: Person) -> Change:
    seat = state.seats[index]
    assert seat is not None
    if not seat.away:
        return state, ()
    events: tuple[AnyEvent, ...] = (Back(person.name, index),)
    # The name may be spelled another way since.
    seat = replace(seat, away=False, name=person.name)
    if seat.relief == "away":
        seat = replace(seat, autopilot=None, relief=None)
        events = (*events, AutopilotSet(person.name, index, None))
    return _with_creator(state.with_seat(index, seat), events)


def _new_lineup(state: RoomState) -> RoomState:
    """The room as others are about to sit in it: the board of the last game is cleared."""
    return replace(free_gone_seats(state), game=None, position=None, rematch=())


def _with_creator(state: RoomState, events: tuple[AnyEvent, ...]) -> Change:
    """Pass the room on when its creator is no member any more."""
    if state.creator is not None and state.is_member(state.creator):
        return state, events
    people = state.people()
    if not people:
        return replace(state, creator=None), events
    heir = people[0]
    announced = () if state.creator == heir.player else (CreatorChanged(heir.name),)
    return replace(state, creator=heir.player), (*events, *announced)


def _free_seat(state: RoomState) -> int:
    for index, seat in enumerate(state.seats):
        if seat is None:
            return index
    raise Refused(
        ErrorCode.ROOM_FULL,
        f"all {len(state.seats)} seats of {state.code} are taken: watch it, or join another",
    )


def _seat_at(state: RoomState, index: int) -> SeatState | None:
    if not 0 <= index < len(state.seats):
        raise Refused(
            ErrorCode.NOT_ALLOWED, f"there is no seat {index + 1}: 1 to {len(state.seats)}"
        )
    return state.seats[index]


def _check_admitted(state: RoomState, person: Person) -> None:
    if person.player == state.creator:
        return
    if person.player in state.banned:
        raise Refused(ErrorCode.NOT_ADMITTED, f"you were put out of {state.code}: join another")
    if state.locked:
        raise Refused(ErrorCode.NOT_ADMITTED, f"{state.code} is locked: ask its creator to open it")


def _bot_names(kind: str) -> Iterator[str]:
    yield kind
    for number in count(2):
        yield f"{kind} {number}"
