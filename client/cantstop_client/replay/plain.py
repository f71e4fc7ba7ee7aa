"""A replay line by line: for pipes, files and screen readers, alone or over a live room."""

import asyncio
from collections.abc import Callable
from typing import Final

from cantstop_client.board import board_lines, spoken_board
from cantstop_client.errors import OutputClosed
from cantstop_client.lines import Line, LineSource
from cantstop_client.output import Output
from cantstop_client.render import decision_lines
from cantstop_client.replay.orders import Order, Unusable, order_lines, read_order
from cantstop_client.replay.reviewing import NO_REVIEW, Reviewer, Work
from cantstop_client.replay.story import Place, Story
from cantstop_client.replay.telling import Notes, heading, progress_line, step_lines, where
from cantstop_client.streams import is_terminal, standard_input
from cantstop_client.view import RoomView
from cantstop_client.wording import seat_name

_TOLD: Final = 30
"""So many steps on are told one by one; further is a jump."""

_QUARTER: Final = 25


class PlainReplay:
    """Tells a story as it is asked to.

    ``waits``: a person looks on, so that playing takes its time and a review goes on beside.
    Otherwise both are done at once. ``work`` makes the review, if there can be one. ``closed`` is
    told when the output takes no more of what comes by itself: a step while playing, the review.
    """

    def __init__(
        self,
        story: Story,
        output: Output,
        work: Work | None = None,
        *,
        waits: bool = True,
        closed: Callable[[OutputClosed], None] | None = None,
    ) -> None:
        self._place = Place(story)
        self._output = output
        self._waits = waits
        self._closed = closed
        self._reviewer = None if work is None else Reviewer(work, self._tell_review)
        self._reviewed = asyncio.Event()
        self._quarter = 0
        self._timer: asyncio.TimerHandle | None = None
        self._shown_board: list[str] = []

    def begin(self, at: int = 0) -> None:
        """Say what it is, and show its beginning."""
        self._output.line(heading(self._place.story))
        self._place = self._place.put(at)
        self._tell_step()
        self._show_board()

    async def take(self, text: str) -> bool:
        """Do what a line asks for; whether the replay is to be left."""
        was_playing = self._place.playing
        self._pause()
        try:
            order = read_order(text, self._place)
        except Unusable as error:
            self._output.line(str(error))
            return False
        if order.topic == "close":
            self.close()
            return True
        await self._do(order, was_playing=was_playing)
        return False

    def tell_all(self) -> None:
        """Tell everything from here to the end."""
        while self._place.at < self._place.story.last:
            self._step_on()

    def close(self) -> None:
        """No step and no review comes any more."""
        self._pause()
        if self._reviewer is not None:
            self._reviewer.give_up()

    async def _do(self, order: Order, *, was_playing: bool) -> None:
        match order.topic:
            case "all":
                self.tell_all()
            case "board":
                self._output.lines(spoken_board(self._room.table))
            case "help":
                self._output.lines(order_lines())
            case "review":
                await self._review()
            case _:
                self._go(order.place, was_playing=was_playing)

    def _go(self, place: Place, *, was_playing: bool) -> None:
        before, self._place = self._place, place
        steps = place.at - before.at
        if 0 < steps <= _TOLD:
            for at in range(before.at + 1, place.at + 1):
                self._place = place.put(at)
                self._tell_step()
            self._show_board()
        elif steps:
            self._output.line(f"{where(place)}:")
            self._tell_step()
            self._show_board()
        elif place.playing or was_playing:
            if was_playing and not place.playing:
                self._output.line(f"{where(place)}: paused")
        elif place.speed != before.speed:
            self._output.line(f"{place.speed:g} steps in a second from now on")
        elif place.at in (0, place.story.last):
            self._output.line("This is the beginning" if place.at == 0 else "This is the end")
        if place.playing:
            self._play()

    def _play(self) -> None:
        if not self._waits:
            self._pause()
            self.tell_all()
            return
        self._place = self._place.played(True)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._place.pause, self._play_on)

    def _play_on(self) -> None:
        self._by_itself(self._step_on)
        if self._place.playing:
            self._play()

    def _by_itself(self, tell: Callable[[], None]) -> None:
        # The loop calls, so that an exception would reach nobody who could end the program.
        try:
            tell()
        except OutputClosed as error:
            self.close()
            self._reviewed.set()
            if self._closed is not None:
                self._closed(error)

    def _pause(self) -> None:
        self._place = self._place.played(False)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _step_on(self) -> None:
        """One step; the board comes with the end of each turn."""
        turn = self._place.turn
        self._place = self._place.moved(1)
        self._tell_step()
        if self._place.turn != turn or self._place.at == self._place.story.last:
            self._show_board()

    def _tell_step(self) -> None:
        story, at = self._place.story, self._place.at
        self._output.lines(step_lines(story, at, self._output.glyphs, self._notes))
        turn = self._room.turn
        if turn is not None and turn.decision == "roll":
            who = seat_name(self._room.table, turn.seat)
            self._output.line(f"Turn {turn.number} of {story.last_turn}: {who} is to roll")

    def _show_board(self) -> None:
        room = self._room
        lines = board_lines(room.table, self._output.glyphs, width=self._output.width)
        if lines != self._shown_board:
            self._output.lines(lines)
            self._shown_board = lines
        self._output.lines(decision_lines(room, self._output.glyphs))

    async def _review(self) -> None:
        reviewer = self._reviewer
        if reviewer is None:
            self._output.line(NO_REVIEW)
        elif reviewer.notes is not None:
            self._output.lines(reviewer.notes.summary)
        elif reviewer.running:
            reviewer.give_up()
            self._output.line("The review is given up")
        else:
            self._output.line("Reviewing: this takes some seconds; review again gives it up")
            self._quarter = 0
            reviewer.start()
            if not self._waits:
                await self._reviewed.wait()

    def _tell_review(self) -> None:
        self._by_itself(self._review_changed)

    def _review_changed(self) -> None:
        reviewer = self._reviewer
        if reviewer is None:
            return
        if reviewer.trouble:
            self._output.line(reviewer.trouble)
            self._reviewed.set()
        elif reviewer.notes is not None:
            self._output.lines(reviewer.notes.summary)
            self._output.line("Each step has a note from the review now")
            self._reviewed.set()
        elif self._quarter < (quarter := 100 * reviewer.done // reviewer.total // _QUARTER):
            self._quarter = quarter
            self._output.line(progress_line(reviewer.done, reviewer.total))

    @property
    def _notes(self) -> Notes | None:
        return None if self._reviewer is None else self._reviewer.notes

    @property
    def _room(self) -> RoomView:
        return self._place.story.room(self._place.at)


async def run_plain(
    story: Story, output: Output, work: Work | None, at: int, *, has_input: bool
) -> None:
    """Tell a story to whoever types, until they leave or their input ends.

    Without a line of input, and without any where it is used up (``has_input``), all is told.
    Raises ``OutputClosed`` when the output takes no more.
    """
    stream = standard_input() if has_input else None
    waits = is_terminal(stream)
    lines: asyncio.Queue[Line | OutputClosed | None] = asyncio.Queue()
    replay = PlainReplay(story, output, work, waits=waits, closed=lines.put_nowait)
    replay.begin(at)
    source = LineSource(stream, lines.put_nowait)
    source.start()
    count = 0
    while (line := await lines.get()) is not None:
        if isinstance(line, OutputClosed):
            raise line
        count += 1
        if await replay.take(line.text):
            return
        source.taken()
    if not count and not waits:
        replay.tell_all()
    replay.close()
