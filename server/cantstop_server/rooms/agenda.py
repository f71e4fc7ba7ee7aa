"""What a room waits for by itself: which timers it needs, as a function of its state.

A timer is started anew only when its key changes, so that chat puts nothing off.
"""

from collections.abc import Hashable
from enum import StrEnum
from typing import NamedTuple

from cantstop_server.rooms.dicing import asked_of
from cantstop_server.rooms.relief import WARNING_SECONDS, seconds_allowed
from cantstop_server.rooms.state import RoomState


class Task(StrEnum):
    """What is done when its time has come."""

    BOT_MOVE = "bot_move"
    TIME_WARNING = "time_warning"
    TIME_UP = "time_up"
    RELIEF = "relief"
    UNSEAT = "unseat"
    CLOSE = "close"
    WITNESS = "witness"


class Delays(NamedTuple):
    """How long each thing waits, in seconds.

    ``absence`` is for the player to move, ``seat`` for a seat between games, ``room`` for a room
    where nobody is, ``game`` for one with a game in it, ``witness`` for the witness of a roll.
    """

    bot: float
    absence: float
    seat: float
    room: float
    game: float
    witness: float = 3.0


class Due(NamedTuple):
    """A timer: what it stands for, and how long it runs."""

    key: Hashable
    delay: float


def agenda(
    state: RoomState, delays: Delays, held: frozenset[int], elapsed: float, *, present: bool
) -> dict[Task, Due]:
    """The timers of a room.

    ``held`` are the seats whose time stands still, ``elapsed`` the seconds that the pending
    decision has taken already. ``present``: somebody is there.
    """
    due: dict[Task, Due] = {}
    if not present:
        people = state.people()
        if not people and not state.playing:
            due[Task.CLOSE] = Due("nobody", 0.0)
        elif people:
            grace = delays.game if state.playing else delays.room
            due[Task.CLOSE] = Due(("all away", state.playing), grace)
    elif not state.playing:
        away = tuple(seat.player for seat in state.seats if seat and seat.away)
        if away:
            due[Task.UNSEAT] = Due(away, delays.seat)
    return _with_decision(due, state, delays, held, elapsed, present)


def _with_decision(
    due: dict[Task, Due],
    state: RoomState,
    delays: Delays,
    held: frozenset[int],
    elapsed: float,
    present: bool,
) -> dict[Task, Due]:
    awaited, game, position = state.awaited_seat(), state.game, state.position
    if awaited is None or game is None or position is None:
        return due
    index, seat = awaited
    asked = asked_of(state)
    if asked is not None:
        # After a restart all are away: who is to witness the roll may come back with the others.
        key = (game.id, position.ply, asked)
        return {Task.WITNESS: Due(key, delays.witness)} if present else {}
    if seat.player_kind is not None:
        # Nobody needs to follow what nobody sees; and nobody is waiting for a relieved seat
        # while all are away: it would play a game that people are going to return to.
        if seat.relief is None or present:
            delay = delays.bot if present else 0.0
            due[Task.BOT_MOVE] = Due((game.id, position.ply, seat.player_kind), delay)
        return due
    if seat.away and present and state.options.absence != "wait":
        due[Task.RELIEF] = Due((game.id, index), delays.absence)
    allowed = seconds_allowed(state)
    if allowed is not None and index not in held and present:
        left = max(0.0, allowed - elapsed)
        due[Task.TIME_UP] = Due((game.id, position.ply), left)
        if allowed > 2 * WARNING_SECONDS and left > WARNING_SECONDS:
            due[Task.TIME_WARNING] = Due((game.id, position.ply), left - WARNING_SECONDS)
    return due
