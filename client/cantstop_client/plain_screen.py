"""What the plain face shows: one event a line, nothing rewritten, the board after each change."""

from collections import deque
from collections.abc import Callable
from typing import Final

from cantstop_client.board import board_lines, spoken_board
from cantstop_client.commands import help_lines
from cantstop_client.happenings import DiceChecked, Ended, Happening, Lost, Resumed
from cantstop_client.intents import LocalTopic
from cantstop_client.output import Output
from cantstop_client.render import (
    decision_lines,
    odds_lines,
    result_lines,
    room_lines,
    waiting_lines,
    who_lines,
)
from cantstop_client.rules_page import RULES
from cantstop_client.triples import triple_lines
from cantstop_client.view import News, RoomView, View, left, receive
from cantstop_client.wording import event_line, named
from cantstop_protocol.events import (
    Abandoned,
    Advanced,
    AnyEvent,
    Busted,
    Finished,
    Resigned,
    Started,
    Stopped,
)
from cantstop_protocol.messages import Aside, Entered, Exit, Notice, Update

_EARLIER_EVENTS: Final = 10
"""How much of a room's log is shown to somebody who enters it."""

_HELD: Final = 1000
"""How much is kept while something else is shown; each update carries the whole table."""

Decision = tuple[str, int]

_CHANGES_BOARD: Final = (Started, Advanced, Stopped, Busted, Resigned)
_ENDS_GAME: Final = (Finished, Abandoned)


class PlainScreen:
    """Shows what a session tells, and keeps the view.

    ``changed`` is called after each happening, ``game_over`` after the end of a game was shown.
    ``alone`` is a server of one's own, where nobody else can join; ``unattended`` a game that
    asks the person nothing; ``shared`` a keyboard with several people, who are called by name.
    """

    def __init__(
        self,
        output: Output,
        *,
        alone: bool = False,
        unattended: bool = False,
        shared: bool = False,
    ) -> None:
        self.view = View()
        self.output = output
        self.unattended = unattended
        self.changed: Callable[[], None] = lambda: None
        self.game_over: Callable[[], None] = lambda: None
        self._alone = alone
        self._shared = shared
        self._silent = False
        self._step: list[AnyEvent] = []
        self._shown_board: list[str] = []
        self._shown_decision: tuple[object, ...] = ()
        self._shown_waiting: list[str] = []
        self._held: deque[Happening] | None = None
        self._called_for: Decision | None = None

    def hold(self) -> None:
        """Keep what the session tells for later: something else is shown now."""
        self._held = deque(maxlen=_HELD)

    def release(self) -> None:
        """Take in and show what was kept, and where things stand."""
        held, self._held, self._called_for = self._held or (), None, None
        for happening in held:
            self.listen(happening)
        self._shown_board, self._shown_decision, self._shown_waiting = [], (), []
        if not self._silent:
            self._show_table()

    def listen(self, happening: Happening) -> None:
        """Take in and show what the session tells. Never waits."""
        if self._held is not None:
            self._held.append(happening)
            self._call_for(happening)
            self.changed()
            return
        before = self.view.room
        self.view, news = receive(self.view, happening)
        if not self._silent:
            self._show(happening, before, news)
        self.changed()

    def fall_silent(self) -> None:
        """Show nothing any more: the person has been told that it ends."""
        self._silent = True

    def leave_room(self) -> None:
        """One has left the room oneself."""
        self.view = left(self.view)
        self.output.line("You have left the room: /rooms lists the others")

    def show_topic(self, topic: LocalTopic) -> None:
        """Answer a command from what is in view."""
        room = self.view.room
        if topic == "help":
            self.output.lines(help_lines())
        elif topic == "rules":
            self.output.lines(RULES)
        elif topic == "triples":
            self.output.lines(triple_lines(self.output.width))
        elif room is None:
            self.output.line("You are in no room: /rooms lists them, /join CODE enters")
        elif topic == "board":
            self.output.lines(spoken_board(room.table, room.seat))
            self.show_decision()
        elif topic == "odds":
            self.output.lines(odds_lines(room, self.output.glyphs))
        else:
            self.output.lines(who_lines(room))

    def show_decision(self) -> None:
        """What is to be decided, again."""
        if self.view.room is not None:
            self.output.lines(self._decision_lines(self.view.room))

    def _decision_lines(self, room: RoomView) -> list[str]:
        own = None if room.seat is None or not self._shared else room.table.seats[room.seat]
        called = "" if own is None else named(own.name)
        return decision_lines(room, self.output.glyphs, called)

    def _show(self, happening: Happening, before: RoomView | None, news: tuple[News, ...]) -> None:
        match happening:
            case Entered():
                self._show_entered(before, news)
            case Update(more=more):
                self._show_news(news, more)
            case Notice(message=message):
                self.output.line(f"Server: {message}")
            case Aside(name=name, text=text):
                self.output.line(f"{named(name)} (watching): {text}")
            case Exit(room=room, message=message):
                self.output.line(f"You are out of room {room}: {message}")
            case Lost(reason=reason, wait=wait):
                # What is shown of the table may be far up when the connection is back.
                self._shown_board = []
                self._shown_decision = ()
                self._shown_waiting = []
                self.output.line(
                    f"Connection lost: {reason}. What you see may be old. "
                    f"Trying again in {wait:.1f} s"
                )
            case Resumed():
                self.output.line("Connected again")
                self._show_table()
            case DiceChecked(text=text):
                self.output.line(text)
            case Ended(reason=reason, clean=True):
                self.output.line(reason[:1].upper() + reason[1:])

    def _call_for(self, happening: Happening) -> None:
        """What somebody must know who looks at something else."""
        room = self.view.room
        match happening:
            case Update(table=table) if room is not None and table.turn is not None:
                decision = (table.game or "", table.turn.number)
                if table.turn.seat == room.seat and decision != self._called_for:
                    self._called_for = decision
                    self.output.line("It is your turn at the table: q returns to it")
            case Notice(message=message):
                self.output.line(f"Server: {message}")
            case Lost(reason=reason):
                self.output.line(f"Connection lost: {reason}")

    def _show_entered(self, before: RoomView | None, news: tuple[News, ...]) -> None:
        room = self.view.room
        self._step = []
        if room is None:
            return
        if before is None or before.table.room != room.table.room:
            self.output.lines(room_lines(room))
            news = news[-_EARLIER_EVENTS:]
        elif room.gap:
            self.output.line("Some of what happened meanwhile is missing here")
        for item in news:
            self._show_event(item, room)
        if self.view.connection == "connected":
            self._show_table()

    def _show_table(self) -> None:
        """The board of a running game and what is next, unless they were shown last."""
        if self.view.room is not None and self.view.room.table.phase == "playing":
            self._show_board()
        self._show_next()

    def _show_news(self, news: tuple[News, ...], more: bool) -> None:
        """A line for each event; the table, which is past the whole step, only after the last."""
        room = self.view.room
        if room is None:
            return
        for item in news:
            self._show_event(item, room)
            self._step.append(item.event)
        if more:
            return
        step, self._step = self._step, []
        if any(isinstance(event, _CHANGES_BOARD) for event in step):
            self._show_board()
        if any(isinstance(event, _ENDS_GAME) for event in step):
            self.output.lines(result_lines(room.table))
            self.game_over()
        self._show_next()

    def _show_event(self, item: News, room: RoomView) -> None:
        told = event_line(item, room.table, self.output.glyphs)
        if told:
            self.output.line(told)

    def _show_board(self) -> None:
        """The board, unless it is the one shown last."""
        room = self.view.room
        if room is None:
            return
        lines = board_lines(
            room.table, self.output.glyphs, own_seat=room.seat, width=self.output.width
        )
        if lines != self._shown_board:
            self.output.lines(lines)
        self._shown_board = lines

    def _show_next(self) -> None:
        """What is to be decided, or to be done before a game: once each time it changes."""
        room = self.view.room
        if room is None:
            return
        decision = (room.decision, room.is_mine)
        if decision != self._shown_decision:
            self._shown_decision = decision
            if room.is_mine:
                self._show_board()
            # With nobody to ask, the moment before the computer takes over is no question.
            if not (room.is_mine and self.unattended):
                self.output.lines(self._decision_lines(room))
        waiting = waiting_lines(self.view)
        quiet = self.unattended or (self._alone and room.table.phase == "waiting")
        if waiting != self._shown_waiting and not quiet:
            self.output.lines(waiting)
        self._shown_waiting = waiting
