"""A room's state as the table that everyone in it sees."""

from collections.abc import Callable
from operator import itemgetter
from typing import Final, cast

import msgspec
from msgspec import Raw
from msgspec.structs import replace

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
from cantstop_server.rooms.dicing import asked_of, promise_of
from cantstop_server.rooms.state import RoomState, SeatState
from cantstop_server.rules.board import LENGTHS, NO_SEAT, NO_STEPS, Steps, columns_in
from cantstop_server.rules.game import Game, Phase, advance, reach_after
from cantstop_server.rules.legal import Reach
from cantstop_server.rules.odds import busting_rolls
from cantstop_server.rules.rule28 import count_of

_DECISIONS: dict[Phase, Decision] = {
    Phase.ROLL: "roll",
    Phase.CHOOSE: "choose",
    Phase.ROLL_OR_STOP: "roll_or_stop",
}


columns = cast("Callable[[Steps], Columns]", itemgetter(slice(2, None)))
"""The entries of columns 2 to 12, as the wire lists them."""

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
        turn=_turn_of(state, seconds_left),
        result=state.game.result if state.game else None,
        locked=state.locked,
        spectator_chat=state.spectator_chat,
        dice=promise_of(state),
    )


class Tables:
    """The tables of one room, one after the other. What has not changed is not made anew."""

    __slots__ = ("_after", "_before", "_state")

    def __init__(self) -> None:
        self._state: RoomState | None = None
        self._before = self._after = b""

    def encoded(
        self, state: RoomState, seconds_left: float | None, moved_from: RoomState | None = None
    ) -> Table:
        """``table_of`` in its form on the wire, to be put into messages.

        Most moves change nothing but the turn: around it stands what is there already.
        ``moved_from`` is the state from which a move has led here, without a change of the seats.
        """
        turn = _turn_of(state, seconds_left)
        is_next = moved_from is not None and moved_from is self._state
        if not is_next or not _only_the_turn_differs(moved_from, state):
            table = replace(table_of(state), turn=_GAP)
            self._before, self._after = _encoder.encode(table).split(_GAP)
        self._state = state
        # The encoder takes what is encoded already wherever it meets it.
        return cast("Table", Raw(b"".join((self._before, _encoder.encode(turn), self._after))))


_encoder: Final = msgspec.msgpack.Encoder()
_GAP: Final = Raw(bytes.fromhex("c1") * 16)
"""Stands for the turn. It is in no text, since it is not UTF-8, and no number is so long."""


def _only_the_turn_differs(before: RoomState | None, after: RoomState) -> bool:
    """Whether this move changed nothing else, as most do: not at a stop, where markers are set."""
    if before is None or before.game is None or after.game is None:
        return False
    old, new = before.position, after.position
    return (
        old is not None
        and new is not None
        and old.markers is new.markers
        and old.owners is new.owners
        and old.resigned is new.resigned
        and asked_of(before) is asked_of(after)
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


def _turn_of(state: RoomState, seconds_left: float | None) -> Turn | None:
    position = state.position
    return _turn(position, seconds_left) if position is not None and state.playing else None


def _turn(position: Game, seconds_left: float | None) -> Turn:
    now, markers = position.reach, position.markers[position.seat]
    return Turn(
        seat=position.seat,
        number=position.turn,
        ply=position.ply,
        decision=_DECISIONS[position.phase],
        runners=columns(position.runners),
        dice=position.dice,
        options=tuple([_option(position, markers, now, option) for option in position.options]),
        busting_rolls=busting_rolls(now.movable),
        rule_of_28=count_of(columns_in(now.running), position.runners, markers),
        seconds_left=seconds_left,
    )


def _option(position: Game, markers: Steps, now: Reach, option: tuple[int, ...]) -> Option:
    runners = advance(position, option)
    after = reach_after(now, option, runners)
    count = count_of(columns_in(after.running), runners, markers)
    return Option(option, columns(runners), busting_rolls(after.movable), count)
