"""The full-screen face: a scene, what keys and lines do to it, and what they ask the server."""

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cantstop_client.commands import read_line
from cantstop_client.errors import ClientError
from cantstop_client.fullscreen import typed_lines
from cantstop_client.fullscreen.attention import BellChoice, rings, title_of
from cantstop_client.fullscreen.completion import completions
from cantstop_client.fullscreen.compose import page_room, prompt_of, render
from cantstop_client.fullscreen.fragments import Line
from cantstop_client.fullscreen.keys import acting, move_of
from cantstop_client.fullscreen.overlay import ReplayOverlay
from cantstop_client.fullscreen.pages import page_lines
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.scene import (
    KeyNames,
    Scene,
    listened,
    noted,
    opened,
    scrolled,
    sought,
)
from cantstop_client.happenings import DiceChecked, Happening
from cantstop_client.intents import (
    AskHint,
    AskHistory,
    AskReplay,
    Hint,
    Local,
    LocalTopic,
    Move,
    Nothing,
    Send,
)
from cantstop_client.output import Output
from cantstop_client.questions import Pages
from cantstop_client.render import (
    hint_lines,
    result_lines,
    rooms_lines,
    unfit_lines,
    who_lines,
)
from cantstop_client.session import Session
from cantstop_client.standings import reply_lines
from cantstop_client.view import News, View, left
from cantstop_client.wording import event_line
from cantstop_protocol.commands import Choose, Leave, ListGames, Roll, Stop
from cantstop_protocol.events import Abandoned, Finished
from cantstop_protocol.messages import Error, Games, Hinted, Leaders, Ok, Rooms, Stats, Update

if TYPE_CHECKING:
    from cantstop_client.fullscreen.toolkit import Terminal

Decision = tuple[str, int]

TICK: Final = 1.0
"""Seconds between two pictures while something counts down, and between looks at the latency."""

AFTER_MOVE: Final = 0.3
"""Seconds after a move in which the same key again is the same press, not the start of a text."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How the person wants it."""

    style: Style
    bell: BellChoice = "turn"
    mouse: bool = False
    keys: KeyNames = field(default_factory=KeyNames)


class FullScreenFace:
    """Shows what a session tells, and asks it what is typed.

    A move counts for the decision that is on the screen when its key is pressed. Requests are
    made one after the other; keys never wait for them. ``unattended``: it ends with the game, and
    leaves the result behind.
    """

    def __init__(
        self,
        output: Output,
        manner: Manner,
        directory: Path,
        *,
        unattended: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.scene = Scene(mouse=manner.mouse, keys=manner.keys)
        self.style = manner.style
        self._output = output
        self._manner = manner
        self._directory = directory
        self._clock = clock
        self._terminal: Terminal | None = None
        self._asked: asyncio.Queue[Send] = asyncio.Queue()
        self._step: list[Happening] = []
        self._made: Decision | None = None
        self._made_at = float("-inf")
        self._made_by = ""
        self._half_typed = ""
        self._rooms: tuple[str, ...] = ()
        self._pages = Pages()
        self._lines: list[str] = []
        self._size = (80, 24)
        self._code = 0
        self._unattended = unattended
        self._session: Session | None = None
        self._result: list[str] = []
        self._replays = ReplayOverlay(self, self.say, self._live)

    @property
    def view(self) -> View:
        return self.scene.view

    def say(self, lines: Iterable[str]) -> None:
        """Lines of our own, in the log."""
        self._show(noted(self.scene, *lines))

    def listen(self, happening: Happening) -> None:
        """Take in what the session tells. Never waits.

        An update's table is past its whole step: nothing is shown before the step is complete,
        and no key can decide what is not in the log yet.
        """
        self._step.append(happening)
        if isinstance(happening, DiceChecked) or (isinstance(happening, Update) and happening.more):
            return
        step, self._step = self._step, []
        before, scene = self.view, self.scene
        news: tuple[News, ...] = ()
        for part in step:
            scene, fresh = listened(scene, part, self._clock(), self.style.marks.words)
            news += fresh
        self._show(scene)
        if self._terminal is not None:
            if rings(self._manner.bell, before, self.view, news):
                self._terminal.ring()
            self._terminal.set_title(title_of(self.view))
        if self._unattended and not self._result:
            self._result = self._result_lines(news)
            if self._result:
                self._result += [part.text for part in step if isinstance(part, DiceChecked)]
                self.leave(0)

    async def run(self, session: Session) -> int:
        """Play until the person or the server ends it: the exit code.

        Raises ``ClientError`` if the connection ended for good and not in peace.
        """
        from cantstop_client.fullscreen.toolkit import Terminal

        if self._result:
            # It was over before there was a screen.
            self._output.lines(self._result)
            return 0
        self._lines = typed_lines.load(self._directory)
        self._terminal = Terminal(self, mouse=self._manner.mouse, history=self._lines)
        self._terminal.set_title(title_of(self.view))
        self._session = session
        tasks = [asyncio.create_task(work) for work in (self._ask(session), self._tick(session))]
        ending = asyncio.create_task(session.wait_ended())
        ending.add_done_callback(lambda _: self._end())
        try:
            await self._terminal.run()
        finally:
            await self._replays.end()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            typed_lines.save(self._directory, self._lines)
        if not ending.done():
            ending.cancel()
            await asyncio.gather(ending, return_exceptions=True)
            self._output.lines(self._result)
            return self._code
        ended = ending.result()
        if not ended.clean:
            raise ClientError(ended.reason)
        self._output.line(ended.reason[:1].upper() + ended.reason[1:])
        return 0

    # What the terminal calls.

    def picture(self, width: int, height: int) -> list[Line]:
        self._size = (width, height)
        return render(self.scene, width, height, self.style, self._clock())

    def acting_keys(self) -> tuple[str, ...]:
        return acting(self.scene.keys)

    def prompt(self) -> str:
        return prompt_of(self.scene)

    def typed(self, text: str) -> None:
        scene = replace(self.scene, typed=text)
        if scene.find is not None:
            scene = sought(scene, text)
        self._show(scene)

    def press(self, key: str) -> bool:
        """A key that may act, on an empty line; whether it was taken."""
        if self.scene.find is not None or key not in self.acting_keys():
            return False
        move = move_of(key, self.scene.keys)
        if move is None:
            self._show(opened(self.scene, None if self.scene.page == "help" else "help"))
            return True
        room = self.scene.room
        if room is None or not room.is_mine:
            return key == self._made_by and self._clock() - self._made_at < AFTER_MOVE
        if self.scene.page is not None:
            # What the key would decide cannot be seen.
            self._show(opened(self.scene, None))
            return True
        self._move(move, key)
        return True

    def click(self, option: int) -> None:
        self._move(Move(Choose, option), "")

    def highlight(self, by: int) -> bool:
        """Preview another option; False when there is none to choose."""
        room, chosen = self.scene.room, self.scene.chosen
        if chosen is None or room is None or room.turn is None or self.scene.page is not None:
            return False
        count = len(room.turn.options)
        self._show(replace(self.scene, highlighted=(chosen + by) % count))
        return True

    def submit(self, text: str) -> None:
        """A line that was entered."""
        if self.scene.find is not None:
            self._seek_on(text)
            return
        if not text.strip():
            self._explain_empty()
            return
        self._lines.append(text)
        if self._terminal is not None and not typed_lines.is_secret(text):
            self._terminal.remember(text)
        self._show(replace(self.scene, scroll=0))
        match read_line(text, self.view):
            case Send() as send:
                self._asked.put_nowait(send)
            case Move() as move:
                self._move(move, "")
            case AskHint() as asked:
                self._ask_hint(asked)
            case AskHistory(fields=fields):
                self._ask_history(fields)
            case AskReplay(game=game) if self._terminal and self._session:
                self._replays.open(self._terminal, self._session, game)
            case Hint(text=hint):
                self.say([hint])
            case Local(topic=topic):
                self._answer(topic)
            case Nothing():
                pass

    def pasted(self, text: str) -> str:
        return typed_lines.pasted(text)

    def scroll(self, pages: int) -> None:
        width, height = self._size
        if self.scene.page is None:
            self._show(scrolled(self.scene, pages * max(2, (height - 18) // 2)))
            return
        room = page_room(width, height)
        scene = scrolled(self.scene, pages * max(1, room - 2))
        most = max(0, len(page_lines(self.scene.page, scene, self.style, width - 2)) - room)
        self._show(replace(scene, page_scroll=min(scene.page_scroll, most)))

    def search(self) -> None:
        """Begin to search the log, or go on to the match before."""
        if self.scene.find is not None:
            self._seek_on(self.scene.find)
            return
        self._half_typed = self.scene.typed
        self._show(sought(opened(self.scene, None), ""))
        self._set_text("")

    def escape(self) -> None:
        if self.scene.find is not None:
            self._show(sought(self.scene, None))
            self._set_text(self._half_typed)
        elif self.scene.page is not None:
            self._show(opened(self.scene, None))
        else:
            self._show(replace(self.scene, scroll=0))

    def complete(self, text: str) -> list[str]:
        return [] if self.scene.find is not None else completions(text, self.view, self._rooms)

    def leave(self, code: int) -> None:
        self._code = code
        self._end()

    # What is behind it.

    def _move(self, move: Move, key: str) -> None:
        room = self.scene.room
        unfit = unfit_lines(self.view, move)
        if unfit or room is None or room.decision is None:
            self.say(unfit)
        elif room.decision == self._made:
            if self._clock() - self._made_at >= AFTER_MOVE:
                self.say(["That decision is made already: the server has not answered yet"])
        else:
            self._made, self._made_at, self._made_by = room.decision, self._clock(), key
            fields = {"ply": room.decision[1]}
            if move.kind is Choose and move.option is not None:
                fields["option"] = move.option
            self._asked.put_nowait(Send(move.kind, fields))

    def _ask_hint(self, asked: AskHint) -> None:
        """Ask what the alternatives in the decision in view are worth."""
        room = self.scene.room
        if room is None or room.turn is None or not room.is_mine:
            self.say(["A hint is for your own turn in a running game"])
        else:
            self._asked.put_nowait(Send(asked.kind, {"ply": room.turn.ply}))

    def _ask_history(self, fields: dict[str, Any] | None) -> None:
        """Ask for a page of games of the past, the one after the last for None."""
        asked = self._pages.following() if fields is None else self._pages.first(fields)
        if asked is None:
            self.say(["That was the last page: /history begins anew"])
        else:
            self._asked.put_nowait(Send(ListGames, asked))

    def _live(self) -> tuple[str, bool]:
        """What who looks at the past must know of the table, and whether it is urgent."""
        room = self.scene.room
        if self.scene.trouble is not None:
            return "!!! Connection lost; Esc returns to the table", True
        if room is None or room.turn is None:
            return "", False
        if room.is_mine:
            return ">>> YOUR TURN at the table: Esc returns <<<", True
        return "The game at the table goes on: Esc returns", False

    async def _ask(self, session: Session) -> None:
        while True:
            send = await self._asked.get()
            try:
                for _ in range(send.times):
                    if not await self._sent(session, send):
                        break
            except ClientError as error:
                self.say([str(error)])

    async def _sent(self, session: Session, send: Send) -> bool:
        """Ask for it and show what comes back; whether it was done."""
        match await session.request(send.kind, **send.fields):
            case Error(message=message):
                if send.kind in (Roll, Choose, Stop):
                    self._made = None
                self.say([f"Not done: {message}"])
                return False
            case Rooms() as listed:
                self._rooms = tuple(room.room for room in listed.rooms)
                self.say(rooms_lines(listed.rooms))
            case Games() as found:
                more = self._pages.took(found)
                self._show(opened(replace(self.scene, games=found.games, more=more), "history"))
            case Stats(player=None) as found:
                self.say(reply_lines(found, self._size[0], self.style.marks.words))
            case Stats() | Leaders() as found:
                self._show(opened(replace(self.scene, looked_up=found), "records"))
            case Hinted() as hinted:
                self.say(self._hint_lines(hinted))
            case Ok() if send.kind is Leave:
                self._show(replace(self.scene, view=left(self.view)))
                self.say(["You have left the room: /rooms lists the others"])
        return True

    def _result_lines(self, news: Iterable[News]) -> list[str]:
        """How the game ended, if it has ended with these events."""
        room = self.scene.room
        if room is None:
            return []
        ends = [item for item in news if isinstance(item.event, Finished | Abandoned)]
        words = self.style.marks.words
        told = [event_line(item, room.table, words) for item in ends]
        return [*told, *result_lines(room.table)] if told else []

    def _hint_lines(self, hinted: Hinted) -> list[str]:
        room = self.scene.room
        if room is None or room.turn is None or room.turn.ply != hinted.ply:
            return ["The hint came too late: that decision is made"]
        solitaire = room.table.options.seats == 1
        return hint_lines(hinted.alternatives, room.turn, solitaire=solitaire)

    async def _tick(self, session: Session) -> None:
        """Clocks, the wait for the next attempt and the latency change by themselves."""
        while True:
            await asyncio.sleep(TICK)
            scene = replace(self.scene, latency=session.latency)
            turn = None if scene.room is None else scene.room.turn
            counts = scene.trouble is not None or (
                turn is not None and turn.seconds_left is not None
            )
            if counts or scene != self.scene:
                self._show(scene)

    def _answer(self, topic: LocalTopic) -> None:
        """A command that needs no server."""
        room = self.scene.room
        if topic == "quit":
            self.leave(0)
        elif topic == "help" or topic == "rules":
            self._show(opened(self.scene, topic))
        elif topic == "odds" or topic == "triples":
            self._show(opened(self.scene, "odds"))
        elif topic == "who" and room is not None:
            self.say(who_lines(room))
        elif topic == "board":
            self._show(opened(self.scene, None))
        else:
            self.say(["You are in no room: /rooms lists them, /join CODE enters"])

    def _explain_empty(self) -> None:
        """An empty line decides nothing; it says how to."""
        if self.scene.page is not None:
            self._show(opened(self.scene, None))

    def _seek_on(self, text: str) -> None:
        self._show(sought(self.scene, text, self.scene.found + 1))
        self._set_text(text)

    def _set_text(self, text: str) -> None:
        # What is searched for stays in place: the text that comes with it is the same.
        if self._terminal is not None:
            found, scroll = self.scene.found, self.scene.scroll
            self._terminal.set_text(text)
            if self.scene.find is not None and self.scene.find == text:
                self.scene = replace(self.scene, found=found, scroll=scroll)

    def _show(self, scene: Scene) -> None:
        self.scene = scene
        if self._terminal is not None:
            self._terminal.redraw()

    def _end(self) -> None:
        if self._terminal is not None:
            self._terminal.end()
