"""A room's state as the table that everyone in it sees."""

from functools import lru_cache
from operator import attrgetter, is_
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
from cantstop_server.rooms.dicing import promise_of
from cantstop_server.rooms.promise import GameDice
from cantstop_server.rooms.state import LiveGame, RoomState, SeatState
from cantstop_server.rules.board import LENGTHS, NO_SEAT, NO_STEPS, Steps
from cantstop_server.rules.game import Game, Phase, advance, reach_of
from cantstop_server.rules.odds import busting_rolls
from cantstop_server.rules.rule28 import rule_of_28

_DECISIONS: dict[Phase, Decision] = {
    Phase.ROLL: "roll",
    Phase.CHOOSE: "choose",
    Phase.ROLL_OR_STOP: "roll_or_stop",
}


def columns(steps: Steps) -> Columns:
    """The entries of columns 2 to 12, as the wire lists them."""
    return cast("Columns", steps[2:])


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

    def encoded(self, state: RoomState, seconds_left: float | None) -> Table:
        """``table_of`` in its form on the wire, to be put into messages.

        A move changes nothing but the turn: around it stands what is there already.
        """
        turn = _turn_of(state, seconds_left)
        if self._state is None or not _only_the_turn_differs(self._state, state):
            table = replace(table_of(state), turn=_GAP)
            self._before, self._after = _encoder.encode(table).split(_GAP)
        self._state = state
        # The encoder takes what is encoded already wherever it meets it.
        return cast("Table", Raw(b"".join((self._before, _encoder.encode(turn), self._after))))


_encoder: Final = msgspec.msgpack.Encoder()
_GAP: Final = Raw(bytes.fromhex("c1") * 16)
"""Stands for the turn. It is in no text, since it is not UTF-8, and no number is so long."""

_OF_A_MOVE: Final = ("game", "position", "seq", "recent", "accepted")
_of_room: Final = attrgetter(*(f for f in RoomState.__struct_fields__ if f not in _OF_A_MOVE))
_UNSEEN: Final = ("course", "dice", "turn_ends")
_of_game: Final = attrgetter(*(f for f in LiveGame.__struct_fields__ if f not in _UNSEEN))
_of_promise: Final = attrgetter("seed", "nonces", "asked")
_of_board: Final = attrgetter("setup", "markers", "owners", "resigned")


def _only_the_turn_differs(before: RoomState, after: RoomState) -> bool:
    """Whether a move within a turn leads from one to the other, which is what most steps are."""
    old, new = before.position, after.position
    if old is None or new is None or before.game is None or after.game is None:
        return False
    if not after.playing:
        return False
    return (
        all(map(is_, _of_room(before), _of_room(after)))
        and all(map(is_, _of_game(before.game), _of_game(after.game)))
        and _promises_the_same(before.game.dice, after.game.dice)
        and all(map(is_, _of_board(old), _of_board(new)))
    )


def _promises_the_same(before: GameDice | None, after: GameDice | None) -> bool:
    if before is None or after is None:
        return before is after
    return all(map(is_, _of_promise(before), _of_promise(after)))


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
    markers = position.markers[position.seat]
    busting, count = _outlook(position.runners, markers, position.owners)
    return Turn(
        seat=position.seat,
        number=position.turn,
        ply=position.ply,
        decision=_DECISIONS[position.phase],
        runners=columns(position.runners),
        dice=position.dice,
        options=tuple([_option(position, markers, option) for option in position.options]),
        busting_rolls=busting,
        rule_of_28=count,
        seconds_left=seconds_left,
    )


def _option(position: Game, markers: Steps, option: tuple[int, ...]) -> Option:
    runners = advance(position, option)
    busting, count = _outlook(runners, markers, position.owners)
    return Option(columns=option, runners=columns(runners), busting_rolls=busting, rule_of_28=count)


# What an option would lead to is shown with the dice, and again when it has been chosen.
@lru_cache(maxsize=1 << 12)
def _outlook(runners: Steps, markers: Steps, owners: Steps) -> tuple[int, int]:
    """How many rolls bust from there, and the Rule of 28's count."""
    movable = reach_of(runners, markers, owners).movable
    return busting_rolls(movable), rule_of_28(runners, markers)
