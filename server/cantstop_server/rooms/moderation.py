"""What the creator of a room may do with the people in it."""

from msgspec.structs import replace

from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.events import (
    AnyEvent,
    CreatorChanged,
    Kicked,
    Left,
    LockSet,
    SpectatorChatSet,
)
from cantstop_protocol.table import SpectatorChat
from cantstop_server.rooms import play, seating
from cantstop_server.rooms.outcome import Outcome, World
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.state import Person, RoomState


def kick(state: RoomState, person: Person, name: str, world: World) -> Outcome:
    """Put somebody out for good; a running game is resigned for them. Raises ``Refused``."""
    target = _member(state, person, name)
    index = state.seat_of(target.player)
    resigned = Outcome(state, ())
    if index is not None and play.is_in_game(state, index):
        resigned = play.resign(state, index, world)
    left, events = seating.leave(resigned.state, target)
    told: tuple[AnyEvent, ...] = tuple(
        Kicked(target.name, index) if isinstance(event, Left) else event for event in events
    )
    banned = replace(left, banned=(*left.banned, target.player))
    return Outcome(
        banned, (*resigned.events, *told), archive=resigned.archive, put_out=target.player
    )


def lock(state: RoomState, person: Person, locked: bool) -> Outcome:
    """Let no newcomers in, or let them in again."""
    if state.locked == locked:
        return Outcome(state, ())
    return Outcome(replace(state, locked=locked), (LockSet(person.name, locked),))


def pass_room(state: RoomState, person: Person, name: str) -> Outcome:
    """Make another member the creator. Raises ``Refused``."""
    heir = _member(state, person, name)
    return Outcome(replace(state, creator=heir.player), (CreatorChanged(heir.name),))


def set_spectator_chat(state: RoomState, person: Person, mode: SpectatorChat) -> Outcome:
    """Say where spectators' chat goes."""
    if state.spectator_chat == mode:
        return Outcome(state, ())
    changed = replace(state, spectator_chat=mode)
    return Outcome(changed, (SpectatorChatSet(person.name, mode),))


def _member(state: RoomState, person: Person, name: str) -> Person:
    target = state.named(name)
    if target is None:
        raise Refused(ErrorCode.NOT_ALLOWED, f"nobody here is called {name!r:.40}")
    if target.player == person.player:
        raise Refused(ErrorCode.NOT_ALLOWED, "that is yourself: name somebody else")
    return target
