"""A room's state as the table that everyone in it sees."""

from cantstop_protocol.table import (
    Columns,
    Decision,
    Option,
    RoomPhase,
    RoomSummary,
    Seat,
    Table,
    Turn,
)
from cantstop_server.rooms.dicing import promise_of
from cantstop_server.rooms.state import RoomState, SeatState
from cantstop_server.rules.board import LENGTHS, NO_SEAT, NO_STEPS, Steps
from cantstop_server.rules.game import Game, Phase, advance, reach
from cantstop_server.rules.odds import busting_rolls
from cantstop_server.rules.rule28 import rule_of_28

_DECISIONS: dict[Phase, Decision] = {
    Phase.ROLL: "roll",
    Phase.CHOOSE: "choose",
    Phase.ROLL_OR_STOP: "roll_or_stop",
}


def columns(steps: Steps) -> Columns:
    """The entries of columns 2 to 12, as the wire lists them."""
    _, _, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12 = steps
    return (c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12)


LENGTHS_LISTED = columns(LENGTHS)


def phase_of(state: RoomState) -> RoomPhase:
    if state.playing:
        return "playing"
    return "over" if state.game else "waiting"


def table_of(state: RoomState, seconds_left: float | None = None) -> Table:
    """The whole table. ``seconds_left`` is for the pending decision, None without a clock."""
    position = state.position
    owners = position.owners[2:] if position else (NO_SEAT,) * 11
    return Table(
        room=state.code,
        title=state.title,
        phase=phase_of(state),
        options=state.options,
        creator=None if state.creator is None else state.name_of(state.creator),
        private=state.password is not None,
        seats=tuple(_seat(state, seat, index) for index, seat in enumerate(state.seats)),
        spectators=tuple(person.name for person in state.spectators),
        lengths=LENGTHS_LISTED,
        owners=tuple(None if owner == NO_SEAT else owner for owner in owners),
        game=state.game.id if state.game else None,
        turn=_turn(position, seconds_left) if position and state.playing else None,
        result=state.game.result if state.game else None,
        locked=state.locked,
        spectator_chat=state.spectator_chat,
        dice=promise_of(state),
    )


def summary_of(state: RoomState) -> RoomSummary:
    """The room's line in the list of rooms."""
    return RoomSummary(
        room=state.code,
        title=state.title,
        phase=phase_of(state),
        options=state.options,
        private=state.password is not None,
        names=tuple(seat.name for seat in state.seats if seat and not seat.gone),
        free_seats=0 if state.playing else sum(s is None or s.gone for s in state.seats),
        spectators=len(state.spectators),
    )


def _seat(state: RoomState, seat: SeatState | None, index: int) -> Seat | None:
    if seat is None:
        return None
    position = state.position
    in_game = position is not None and index < position.setup.seats
    return Seat(
        name=seat.name,
        bot=seat.bot,
        autopilot=seat.autopilot,
        away=seat.away,
        left=seat.gone,
        resigned=position is not None and index in position.resigned,
        markers=columns(position.markers[index] if position and in_game else NO_STEPS),
        bank=seat.bank,
        rematch=index in state.rematch,
    )


def _turn(position: Game, seconds_left: float | None) -> Turn:
    return Turn(
        seat=position.seat,
        number=position.turn,
        ply=position.ply,
        decision=_DECISIONS[position.phase],
        runners=columns(position.runners),
        dice=position.dice,
        options=tuple(_option(position, option) for option in position.options),
        busting_rolls=busting_rolls(reach(position).movable),
        rule_of_28=rule_of_28(position.runners, position.markers[position.seat]),
        seconds_left=seconds_left,
    )


def _option(position: Game, option: tuple[int, ...]) -> Option:
    runners = advance(position, option)
    after = position._replace(runners=runners)
    return Option(
        columns=option,
        runners=columns(runners),
        busting_rolls=busting_rolls(reach(after).movable),
        rule_of_28=rule_of_28(runners, position.markers[position.seat]),
    )
