"""Time and absence: what happens when the player to move does not move.

Clocks are counted by the owner on monotonic time; here is what a number of seconds means. A
decision may take ``decision_seconds``, then the bank runs; the bank gains the increment with each
turn that the player ends.
"""

from typing import Final

from msgspec.structs import replace

from cantstop_protocol.events import AutopilotSet, TimeUp, TimeWarning
from cantstop_protocol.table import GameOptions
from cantstop_server.rooms import play
from cantstop_server.rooms.bots import bot_move
from cantstop_server.rooms.outcome import Outcome, World
from cantstop_server.rooms.state import RoomState, SeatState
from cantstop_server.rules import course
from cantstop_server.rules.game import Phase

AUTOPILOT: Final = "keller"
"""The computer player that plays for people."""

WARNING_SECONDS: Final = 10
"""How long before its end a decision's time is warned of, if it is longer than twice that."""

OVERRUNS_TO_RELIEF: Final = 2
"""After its time ran out so often in a row, a seat is given to the autopilot."""


def has_clock(options: GameOptions) -> bool:
    """Whether decisions are timed at all."""
    return options.decision_seconds > 0 or options.bank_seconds > 0


def seconds_allowed(state: RoomState) -> float | None:
    """How long the pending decision may take in all, None if it is not timed."""
    if not has_clock(state.options):
        return None
    awaited = state.awaited_seat()
    if awaited is None or awaited[1].player_kind is not None:
        return None
    return state.options.decision_seconds + (awaited[1].bank or 0.0)


def spend(before: RoomState, after: RoomState, elapsed: float, acting: int | None) -> RoomState:
    """The room after a step of the ``acting`` seat, with the time taken from the bank.

    The time is that of the seat to move, whoever changed the position; only a move of its own
    makes its next overrun the first again.
    """
    if not has_clock(before.options):
        return after
    awaited = before.awaited_seat()
    moved = before.position is not None and after.position is not before.position
    if awaited is None or not moved or awaited[1].player_kind is not None:
        return after
    index, _ = awaited
    seat = after.seats[index]
    if seat is None:
        return after
    charged = _charged(before, after, seat, elapsed)
    return after.with_seat(index, replace(charged, overruns=0) if acting == index else charged)


def time_up(state: RoomState, world: World) -> Outcome:
    """The time for the pending decision is over: do the safe thing.

    That is a stop where one is allowed, otherwise what the autopilot would choose, and a roll
    where nothing else is possible. The second time in a row the autopilot gets the seat.
    """
    awaited, position = state.awaited_seat(), state.position
    assert awaited is not None
    assert position is not None
    index, _ = awaited
    if position.phase is Phase.ROLL_OR_STOP:
        outcome = play.act(state, course.Stop(), world)
    else:
        outcome = bot_move(state, AUTOPILOT, world)
    seat = outcome.state.seats[index]
    assert seat is not None
    overran = replace(
        _charged(state, outcome.state, seat, float("inf")), overruns=seat.overruns + 1
    )
    events = (TimeUp(index), *outcome.events)
    if overran.overruns >= OVERRUNS_TO_RELIEF and outcome.state.playing:
        overran = replace(overran, autopilot=AUTOPILOT, relief="time", overruns=0)
        events = (*events, AutopilotSet(overran.name, index, AUTOPILOT))
    return replace(outcome, state=outcome.state.with_seat(index, overran), events=events)


def warn(state: RoomState) -> Outcome:
    """The pending decision's time is nearly over."""
    awaited = state.awaited_seat()
    assert awaited is not None
    return Outcome(state, (TimeWarning(awaited[0], WARNING_SECONDS),))


def relieve(state: RoomState, world: World) -> Outcome:
    """The player to move has been away for the grace time: do what the room agreed on."""
    awaited = state.awaited_seat()
    assert awaited is not None
    index, seat = awaited
    if state.options.absence == "forfeit":
        return play.resign(state, index, world)
    relieved = replace(seat, autopilot=AUTOPILOT, relief="away")
    return Outcome(state.with_seat(index, relieved), (AutopilotSet(seat.name, index, AUTOPILOT),))


def _charged(before: RoomState, after: RoomState, seat: SeatState, elapsed: float) -> SeatState:
    options = before.options
    if seat.bank is None:
        return seat
    bank = max(0.0, seat.bank - max(0.0, elapsed - options.decision_seconds))
    assert before.position is not None
    assert after.position is not None
    if after.position.turn != before.position.turn:
        bank += options.increment_seconds
    return replace(seat, bank=bank)
