"""What there is to show, from messages alone. Pure: a view and a happening give the next view."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from cantstop_client.happenings import Ended, Happening, Lost, Resumed
from cantstop_protocol.events import AnyEvent
from cantstop_protocol.messages import (
    Entered,
    Exit,
    Greeting,
    NumberedEvent,
    Update,
    Welcome,
)
from cantstop_protocol.table import Table, Turn

LOG_EVENTS: Final = 1000
"""How much of a room's log is kept to be looked at."""

Connection = Literal["connected", "lost", "ended"]


@dataclass(frozen=True, slots=True)
class RoomView:
    """A room as one sees it. ``seat`` is one's own, None for a spectator.

    ``seq`` is the last event shown. ``gap`` says that events before that were missed: the table
    is right all the same, since each update carries it.
    """

    table: Table
    seat: int | None
    seq: int
    log: tuple[NumberedEvent, ...] = ()
    gap: bool = False

    @property
    def turn(self) -> Turn | None:
        return self.table.turn

    @property
    def is_mine(self) -> bool:
        """Whether the pending decision is one's own to make."""
        turn = self.table.turn
        return turn is not None and turn.seat == self.seat and not self.is_autopilot

    @property
    def witness(self) -> int | None:
        """The seat whose client a roll waits for, if one does."""
        return None if self.table.dice is None else self.table.dice.witness

    @property
    def is_autopilot(self) -> bool:
        """Whether a computer player plays one's own seat just now."""
        seat = None if self.seat is None else self.table.seats[self.seat]
        return seat is not None and seat.autopilot is not None

    @property
    def decision(self) -> tuple[str, int] | None:
        """What names the pending decision among all that this room ever has."""
        turn = self.table.turn
        return None if turn is None else (self.table.game or "", turn.ply)


@dataclass(frozen=True, slots=True)
class View:
    """Everything a face may show. ``rooms`` are those where a seat is held for us."""

    name: str = ""
    server: str = ""
    bots: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    room: RoomView | None = None
    connection: Connection = "connected"


@dataclass(frozen=True, slots=True)
class News:
    """An event that has not been shown yet. ``table`` is the one after it, None if not known."""

    event: AnyEvent
    table: Table | None


def receive(view: View, happening: Happening) -> tuple[View, tuple[News, ...]]:
    """The view after the happening, and the events that are new with it, in order."""
    match happening:
        case Greeting(name=server, bots=bots):
            return replace(view, server=server, bots=bots), ()
        case Welcome(name=name, rooms=rooms):
            return replace(view, name=name, rooms=rooms), ()
        case Entered():
            return _entered(view, happening)
        case Update():
            return _updated(view, happening)
        case Exit():
            return replace(view, room=None), ()
        case Lost():
            return replace(view, connection="lost"), ()
        case Resumed():
            return replace(view, connection="connected"), ()
        case Ended():
            return replace(view, connection="ended"), ()
        case _:
            return view, ()


def left(view: View) -> View:
    """The view after one has left the room oneself."""
    return replace(view, room=None)


def _entered(view: View, entered: Entered) -> tuple[View, tuple[News, ...]]:
    before = view.room
    known = before is not None and before.table.room == entered.table.room
    seen = before.seq if before is not None and known else 0
    if known and entered.seq < seen:
        # An answer that was overtaken by newer updates.
        return view, ()
    fresh = tuple(numbered for numbered in entered.events if numbered.seq > seen)
    room = RoomView(
        table=entered.table,
        seat=entered.seat,
        seq=entered.seq,
        log=((before.log if before is not None and known else ()) + fresh)[-LOG_EVENTS:],
        gap=known and not entered.complete,
    )
    news = tuple(
        News(numbered.event, entered.table if numbered.seq == entered.seq else None)
        for numbered in fresh
    )
    return replace(view, room=room), news


def _updated(view: View, update: Update) -> tuple[View, tuple[News, ...]]:
    before = view.room
    if before is None or before.table.room != update.table.room or update.seq <= before.seq:
        # Late news of a room one has left, or an update that was already shown.
        return view, ()
    room = replace(
        before,
        table=update.table,
        seat=own_seat(update.table, view.name),
        seq=update.seq,
        log=(*before.log, NumberedEvent(update.seq, update.event))[-LOG_EVENTS:],
        gap=before.gap or update.seq > before.seq + 1,
    )
    return replace(view, room=room), (News(update.event, update.table),)


def own_seat(table: Table, name: str) -> int | None:
    """Where one sits: people are moved when the number of seats changes."""
    for index, seat in enumerate(table.seats):
        if seat is not None and seat.bot is None and not seat.left and seat.name == name:
            return index
    return None
