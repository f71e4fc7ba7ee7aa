"""The durable form of a move: what it adds to a room, of which the rest stands as it was written.

Most of what happens in a room are rolls, choices and stops. Each adds a few signs to the game's
course, and all else follows from that: so a few dozen bytes are written where the whole room takes
some two thousand.
"""

from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cantstop_protocol.events import AnyEvent
from cantstop_protocol.messages import NumberedEvent
from cantstop_server.rooms.memory import with_command
from cantstop_server.rooms.state import (
    LiveGame,
    Remembered,
    RoomState,
    events_in,
    load_events,
    restored,
    written,
)
from cantstop_server.rules.errors import BadCourse
from cantstop_server.storage.types import LiveRoom


class Move(Struct, frozen=True, array_like=True):
    """``course`` is what it adds to that of the ``game``, ``rolls`` how many of them were of the
    promised dice, ``turn_end`` when it has ended a turn. ``player`` has sent it, with the ``id``;
    None if nobody has. ``seq`` is the number of its last event, ``epoch`` the state's.
    """

    game: str
    epoch: int
    seq: int
    course: str
    rolls: int
    turn_end: float | None
    player: int | None
    id: int
    events: tuple[AnyEvent, ...]


class Recalled(NamedTuple):
    """A room as it is taken up: its state, its latest events, and through which of them they have
    rows of their own."""

    state: RoomState
    tail: list[NumberedEvent]
    filed: int


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(Move)


def move_between(
    before: RoomState, after: RoomState, was_sent: bool, events: tuple[AnyEvent, ...]
) -> bytes | None:
    """The durable form of the step, None if it is more than a move.

    ``after`` comes of an action of the rules on the game of ``before``, which goes on, and which
    has changed no seat. If it ``was_sent``, its sender's command is what ``after`` remembers last.
    """
    sender = after.accepted[-1] if was_sent else None
    old, new = before.game, after.game
    if old is None or new is None:
        return None
    if not _knows(before, after, sender) or not _dice_follow(old, new):
        return None
    turn_ended = len(new.turn_ends) > len(old.turn_ends)
    return _encoder.encode(
        Move(
            new.id,
            after.epoch,
            after.seq,
            new.course[len(old.course) :],
            0 if new.dice is None or old.dice is None else new.dice.rolls - old.dice.rolls,
            new.turn_ends[-1] if turn_ended else None,
            None if sender is None else sender.player,
            0 if sender is None else sender.ids[-1],
            events,
        )
    )


def _knows(before: RoomState, after: RoomState, sender: Remembered | None) -> bool:
    """Whether all that is remembered anew is a command of a run that was known."""
    if sender is None:
        return after.accepted is before.accepted
    return len(after.accepted) == len(before.accepted) and len(sender.ids) > 1


def _dice_follow(old: LiveGame, new: LiveGame) -> bool:
    """Whether the dice are promised as before but for the number of rolls; words of witnesses are
    more than that."""
    return new.dice is None or (old.dice is not None and new.dice.kind == "committed")


def recall(room: LiveRoom) -> Recalled:
    """The room as its latest move has left it.

    Moves are passed over that are in the state already, of a room that had this code before, or
    taken back. Raises ``RulesError`` where a move is missing or cannot be, and msgspec's errors
    for what is no room.
    """
    state, unfiled = written(room.state), events_in(room.state)
    filed = state.seq - len(unfiled)
    tail = [numbered for seq, blob in room.events for numbered in load_events(seq, blob)]
    tail += unfiled
    for move in map(_decoder.decode, room.moves):
        game = state.game
        if game is None or (game.id, state.epoch) != (move.game, move.epoch):
            continue
        if move.seq > state.seq:
            state = _moved(state, game, move)
            first = move.seq - len(move.events) + 1
            tail += [NumberedEvent(first + n, event) for n, event in enumerate(move.events)]
    return Recalled(restored(state), tail, filed)


def _moved(state: RoomState, game: LiveGame, move: Move) -> RoomState:
    if move.seq - len(move.events) != state.seq:
        raise BadCourse(f"the move to event {move.seq} does not follow event {state.seq}")
    dice = game.dice
    if dice is not None and move.rolls:
        dice = replace(dice, rolls=dice.rolls + move.rolls)
    ends = game.turn_ends if move.turn_end is None else (*game.turn_ends, move.turn_end)
    live = replace(game, course=game.course + move.course, dice=dice, turn_ends=ends)
    accepted = state.accepted
    if move.player is not None:
        known = [one.instance for one in accepted if one.player == move.player]
        if not known:
            raise BadCourse(f"the move to event {move.seq} is of nobody who is known")
        accepted = with_command(accepted, move.player, known[0], move.id)
    return replace(state, game=live, accepted=accepted, seq=move.seq)
