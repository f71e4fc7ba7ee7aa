"""A replay on the full screen: the same board as in live play, and keys to move in time."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Final

from cantstop_client.fullscreen.compose import page_room, prompt_of, render
from cantstop_client.fullscreen.fragments import Line
from cantstop_client.fullscreen.pages import page_lines
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.replay_keys import ACTING, KEYS
from cantstop_client.fullscreen.scene import Entry, Scene, opened, scrolled
from cantstop_client.replay.orders import Order, Unusable, read_order
from cantstop_client.replay.reviewing import NO_REVIEW, Reviewer, Work
from cantstop_client.replay.story import Place, Story
from cantstop_client.replay.telling import (
    Notes,
    heading,
    pace,
    progress_line,
    step_lines,
    where,
    where_in_short,
)
from cantstop_client.view import View

_ENTRIES: Final = 400
"""How many of the steps before stand in the log."""


class ReplayStage:
    """A story on the screen. ``close`` is called when the person has seen enough, ``leave`` when
    the program is to end, with an exit code.

    ``live`` says what is to be known of a room that goes on behind it, "" for nothing, and whether
    that is urgent. ``work`` makes the review, if there can be one. ``changed`` draws the screen
    anew.
    """

    def __init__(
        self,
        story: Story,
        style: Style,
        *,
        close: Callable[[], None],
        leave: Callable[[int], None],
        changed: Callable[[], None],
        work: Work | None = None,
        live: Callable[[], tuple[str, bool]] = lambda: ("", False),
        at: int = 0,
    ) -> None:
        self.style = style
        self._place = Place(story).put(at)
        self._close = close
        self._leave = leave
        self._changed = changed
        self._live = live
        self._reviewer = None if work is None else Reviewer(work, self._review_changed)
        self._timer: asyncio.TimerHandle | None = None
        self._size = (80, 24)
        self._scene = Scene(caption=f"Replay {story.game}")
        self._said: tuple[Entry, ...] = ()
        self._show()

    # What the terminal calls.

    def picture(self, width: int, height: int) -> list[Line]:
        self._size = (width, height)
        live, urgent = self._live()
        scene = replace(
            self._scene,
            banners=self._banners(live),
            banner_role="turn" if urgent else "notice",
        )
        return render(scene, width, height, self.style, 0.0)

    def acting_keys(self) -> tuple[str, ...]:
        return ACTING

    def prompt(self) -> str:
        return prompt_of(self._scene)

    def typed(self, text: str) -> None:
        self._scene = replace(self._scene, typed=text)
        self._changed()

    def press(self, key: str) -> bool:
        """A key that acts on an empty line; whether it was taken."""
        place = self._place
        match key:
            case "right" | "n":
                self._go(place.played(False).moved(1))
            case "left" | "b":
                self._go(place.played(False).moved(-1))
            case " ":
                self._go(place.played(not place.playing))
            case "+" | "=":
                self._go(place.faster(1))
            case "-":
                self._go(place.faster(-1))
            case "home":
                self._go(place.put(0))
            case "end":
                self._go(place.put(place.story.last))
            case "r":
                self._review()
            case "?":
                self._open("help" if self._scene.page is None else None)
            case "q":
                self._finish() if self._scene.page is None else self._open(None)
            case _:
                return False
        return True

    def click(self, option: int) -> None:
        """There is nothing to choose in what is past."""

    def highlight(self, by: int) -> bool:
        self._go(self._place.played(False).turned(by))
        return True

    def submit(self, text: str) -> None:
        """A line that was entered."""
        if not text.strip() and self._scene.page is not None:
            self._open(None)
            return
        try:
            order = read_order(text, self._place)
        except Unusable as error:
            self._say(str(error))
            return
        self._obey(order)

    def pasted(self, text: str) -> str:
        return " ".join(text.split())[:40]

    def scroll(self, pages: int) -> None:
        width, height = self._size
        if self._scene.page is None:
            self._scene = scrolled(self._scene, pages * max(2, (height - 18) // 2))
        else:
            room = page_room(width, height)
            scene = scrolled(self._scene, pages * max(1, room - 2))
            length = len(page_lines(self._scene.page, scene, self.style, width - 2))
            most = max(0, length - room)
            self._scene = replace(scene, page_scroll=min(scene.page_scroll, most))
        self._changed()

    def search(self) -> None:
        """The log of a replay is the game: one goes to its turns."""
        self._say("A number and Enter go to that turn")

    def escape(self) -> None:
        if self._scene.page is not None:
            self._open(None)
        elif self._scene.scroll:
            self._scene = replace(self._scene, scroll=0)
            self._changed()
        else:
            self._finish()

    def complete(self, text: str) -> list[str]:
        return []

    def leave(self, code: int) -> None:
        self.end()
        self._leave(code)

    def end(self) -> None:
        """No step and no review comes any more."""
        self._stop_clock()
        if self._reviewer is not None:
            self._reviewer.give_up()

    # What is behind it.

    def _finish(self) -> None:
        self.end()
        self._close()

    def _obey(self, order: Order) -> None:
        match order.topic:
            case "close":
                self._finish()
            case "review":
                self._review()
            case "help":
                self._open("help")
            case "all":
                self._go(self._place.put(self._place.story.last))
            case "board":
                self._open(None)
            case _:
                self._go(order.place)

    def _go(self, place: Place) -> None:
        moved = place.at != self._place.at
        self._place = place
        self._stop_clock()
        if place.playing:
            self._timer = asyncio.get_running_loop().call_later(place.pause, self._play_on)
        if moved:
            self._said = ()
            self._scene = replace(opened(self._scene, None), scroll=0)
        self._show()

    def _play_on(self) -> None:
        place = self._place.moved(1)
        self._go(place)
        if place.at == place.story.last and self._notes is not None:
            self._open("review")

    def _stop_clock(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _show(self) -> None:
        """The scene of the place."""
        story, at = self._place.story, self._place.at
        dice, bust = story.dice[at]
        view = View(room=story.room(at))
        entries = chain.from_iterable(
            self._entries(step) for step in range(max(0, at - _ENTRIES), at + 1)
        )
        log = (Entry("notice", heading(story)), *entries, *self._said)
        self._scene = replace(self._scene, view=view, dice=dice, bust=bust, log=log)
        self._changed()

    def _entries(self, at: int) -> list[Entry]:
        event, words = self._place.story.steps[at].event, self.style.marks.words
        told, *more = step_lines(self._place.story, at, words, self._notes)
        seat = getattr(event, "seat", None)
        return [Entry("event", told, seat), *(Entry("notice", text) for text in more)]

    def _say(self, text: str) -> None:
        self._said = (Entry("notice", text),)
        self._show()

    def _banners(self, live: str) -> tuple[str, ...]:
        place, reviewer = self._place, self._reviewer
        going = f", {pace(place)}"
        if reviewer is not None and reviewer.running:
            going = f". {progress_line(reviewer.done, reviewer.total)}, r gives it up"
        keys = ". Space plays, arrows move, r reviews, ? keys"
        if live:
            return (f"{live}. {where(place)}{going}", f"{live}. {where_in_short(place)}", live)
        return (
            f"{where(place)}{going}{keys}",
            f"{where(place)}{going}. Space, arrows, ? keys",
            f"{where_in_short(place)}{going}. Space, arrows, ? keys",
            f"{where_in_short(place)}{going}. ? keys",
        )

    def _open(self, page: str | None) -> None:
        texts: tuple[str, ...] = ()
        if page == "help":
            texts = tuple(f"{name:<17} {help}" for _, name, help in KEYS)
        elif page == "review" and self._notes is not None:
            texts = self._notes.summary
        scene = replace(self._scene, own_page=texts)
        self._scene = opened(scene, None if page is None else "own")
        self._changed()

    def _review(self) -> None:
        reviewer = self._reviewer
        if reviewer is None:
            self._say(NO_REVIEW)
        elif reviewer.notes is not None:
            self._open("review" if self._scene.page is None else None)
        elif reviewer.running:
            reviewer.give_up()
            self._say("The review is given up")
        else:
            reviewer.start()
            self._changed()

    def _review_changed(self) -> None:
        reviewer = self._reviewer
        if reviewer is not None and reviewer.trouble:
            self._say(reviewer.trouble)
        elif self._notes is not None:
            self._say("Reviewed: each step has its note, r shows the summary")
        else:
            self._changed()

    @property
    def _notes(self) -> Notes | None:
        return None if self._reviewer is None else self._reviewer.notes
