"""The plain face: lines in, lines out. For terminals, pipes, files and screen readers."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from cantstop_client.commands import read_line
from cantstop_client.errors import ClientError
from cantstop_client.happenings import Ended, Happening
from cantstop_client.intents import AskHint, AskHistory, AskReplay, Hint, Local, Move, Nothing, Send
from cantstop_client.lines import Line, LineSource
from cantstop_client.past import games_lines
from cantstop_client.plain_screen import PlainScreen
from cantstop_client.questions import Pages
from cantstop_client.render import hint_lines, rooms_lines, unfit_lines
from cantstop_client.replay.fetch import fetch_story
from cantstop_client.replay.plain import PlainReplay
from cantstop_client.session import SessionOver
from cantstop_client.standings import reply_lines
from cantstop_client.streams import is_terminal, standard_input
from cantstop_client.view import View
from cantstop_protocol.commands import Choose, Command, Kick, Leave, ListGames, PassRoom, Resign
from cantstop_protocol.messages import Error, Games, Hinted, Leaders, Ok, Rooms, Stats

Decision = tuple[str, int]

_WORDS: Final = {"roll": "r", "stop": "s", "help": "/help"}
"""What can have a key of its own, as it is typed without."""


class Asked(Protocol):
    """What the face needs of a session; several people's sessions can be one."""

    async def request(self, kind: type[Command], /, **fields: Any) -> Any: ...
    async def wait_ended(self) -> Ended: ...


_FOR_GOOD: Final = (Leave, Resign, Kick, PassRoom)
"""What cannot be taken back, and is never done because it stood in a pasted text."""


class Typed(NamedTuple):
    """A line, and the decision that was in view when it was entered with its block."""

    text: str
    block: int
    seen: Decision | None
    pasted: bool


class PlainFace:
    """Turns typed lines into requests.

    On a terminal a move counts for the decision that was on the screen when it was typed, and
    for no other: what was pasted behind it, or typed twice, does nothing. From a pipe or a file
    each move waits for one's own next decision.
    """

    def __init__(self, screen: PlainScreen, keys: Mapping[str, str] | None = None) -> None:
        """``keys`` are the person's own for what the usual words do, ``{"roll": "w"}``."""
        self._screen = screen
        self._keys = {key: action for action, key in (keys or {}).items()}
        self._output = screen.output
        self._input = standard_input()
        self._interactive = is_terminal(self._input)
        self._typed: asyncio.Queue[Typed | None] = asyncio.Queue()
        self._changed = asyncio.Event()
        self._leaving = asyncio.Event()
        self._block: tuple[int, Decision | None] = (-1, None)
        self._made: Decision | None = None
        self._told_block = -1
        self._pages = Pages()
        self._replay: PlainReplay | None = None
        screen.changed = self._changed.set
        if screen.unattended:
            screen.game_over = self._leave

    @property
    def view(self) -> View:
        return self._screen.view

    def listen(self, happening: Happening) -> None:
        """Take in and show what the session tells. Never waits."""
        self._screen.listen(happening)

    def say(self, lines: Iterable[str]) -> None:
        """Show lines of our own."""
        self._output.lines(lines)

    async def run(self, session: Asked) -> int:
        """Play until the person, the input, the server or the game ends it: the exit code.

        Raises ``ClientError`` if the connection ended for good and not in peace.
        """
        source = LineSource(self._input, self._arrived)
        source.start()
        reading = asyncio.create_task(self._read(session, source))
        ending = asyncio.create_task(session.wait_ended())
        leaving = asyncio.create_task(self._leaving.wait())
        tasks = (reading, ending, leaving)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not self._leaving.is_set():
                if ending.done() and not (ended := ending.result()).clean:
                    raise ClientError(ended.reason)
                if reading.done():
                    reading.result()
            return 0
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._close_replay()

    def _leave(self) -> None:
        self._screen.fall_silent()
        self._leaving.set()

    def _arrived(self, line: Line | None) -> None:
        """A line from the reader, at once: what is in view now is what it was typed for."""
        if line is None:
            if self._interactive:
                self._leave()
            elif not self._screen.unattended:
                self._typed.put_nowait(None)
            return
        if self._interactive and line.text.strip().casefold() == "/quit":
            # Leaving waits for nothing, not even for an answer that is on its way.
            self._leave()
            return
        if line.block != self._block[0]:
            self._block = (line.block, self._decision)
        self._typed.put_nowait(Typed(line.text, *self._block, line.pasted))

    async def _read(self, session: Asked, source: LineSource) -> None:
        while (typed := await self._typed.get()) is not None and not self._leaving.is_set():
            try:
                await self._do(session, typed)
            except SessionOver:
                # Who waits for the session's end tells it.
                await self._leaving.wait()
            except ClientError as error:
                self._output.line(str(error))
            source.taken()
        if not self._leaving.is_set():
            self._output.line("End of input: leaving")
            self._leave()

    async def _do(self, session: Asked, typed: Typed) -> None:
        text = typed.text.strip()
        if self._replay is not None:
            if await self._replay.take(text):
                self._close_replay()
            return
        match read_line(_WORDS.get(self._keys.get(text, ""), text), self._screen.view):
            case Send(kind=kind) if self._interactive and typed.pasted and kind in _FOR_GOOD:
                self._output.line(f"Pasted with other lines, so not done: {text}")
            case Send() as send:
                for _ in range(send.times):
                    if not await self._send(session, send):
                        return
            case Move() as move:
                await self._move(session, move, typed)
            case AskHint() as asked:
                await self._ask_hint(session, asked)
            case AskHistory(fields=fields):
                await self._ask_history(session, fields)
            case AskReplay(game=game):
                await self._open_replay(session, game)
            case Hint(text=text):
                self._output.line(text)
            case Local(topic="quit"):
                self._leave()
            case Local(topic=topic):
                self._screen.show_topic(topic)
            case Nothing():
                pass

    async def _send(self, session: Asked, send: Send) -> bool:
        """Ask for it and show what comes back; whether it was done."""
        match await session.request(send.kind, **send.fields):
            case Error(message=message):
                self._output.line(f"Not done: {message}")
                return False
            case Rooms(rooms=rooms):
                self._output.lines(rooms_lines(rooms))
            case Games() as found:
                self._output.lines(games_lines(found.games, self._output.width))
                self._output.lines(self._pages.took(found))
            case Stats() | Leaders() as found:
                self._output.lines(reply_lines(found, self._output.width, self._output.glyphs))
            case Ok() if send.kind is Leave:
                self._screen.leave_room()
        return True

    async def _ask_history(self, session: Asked, fields: dict[str, Any] | None) -> None:
        """Show a page of games of the past, the one after the last for None."""
        asked = self._pages.following() if fields is None else self._pages.first(fields)
        if asked is None:
            self._output.line("That was the last page: /history begins anew")
        else:
            await self._send(session, Send(ListGames, asked))

    async def _ask_hint(self, session: Asked, asked: AskHint) -> None:
        """Show what the alternatives in the decision in view are worth."""
        room = self._screen.view.room
        if room is None or room.turn is None or not room.is_mine:
            self._output.line("A hint is for your own turn in a running game")
            return
        turn = room.turn
        match await session.request(asked.kind, ply=turn.ply):
            case Error(message=message):
                self._output.line(f"No hint: {message}")
            case Hinted(alternatives=alternatives):
                solitaire = room.table.options.seats == 1
                self._output.lines(hint_lines(alternatives, turn, solitaire=solitaire))

    async def _open_replay(self, session: Asked, game: str) -> None:
        """Show a past game; what happens at the table meanwhile is shown after it."""
        story = await fetch_story(session, game)
        self._screen.hold()
        self._replay = PlainReplay(story, self._output, waits=self._interactive)
        self._output.line("A replay: help lists what can be done, q returns to the table")
        self._replay.begin()

    def _close_replay(self) -> None:
        if self._replay is None:
            return
        self._replay.close()
        self._replay = None
        if not self._leaving.is_set():
            self._output.line("End of the replay")
        self._screen.release()

    async def _move(self, session: Asked, move: Move, typed: Typed) -> None:
        seen = typed.seen
        if not self._interactive:
            await self._until(self._has_no_use_to_wait)
            seen = self._decision
        unfit = unfit_lines(self._screen.view, move)
        if seen != self._decision:
            self._tell_too_early(typed)
        elif unfit:
            self._output.lines(unfit)
        elif seen is None or seen == self._made:
            self._output.line(f"That decision is made already, so not done: {typed.text}")
        else:
            await self._decide(session, move, seen)

    def _tell_too_early(self, typed: Typed) -> None:
        """Once for what was pasted together, and then what is to be decided again."""
        if typed.block != self._told_block:
            self._told_block = typed.block
            self._output.line(f"Entered before this was shown, so not done: {typed.text}")
            self._screen.show_decision()

    async def _decide(self, session: Asked, move: Move, seen: Decision) -> None:
        fields = {"ply": seen[1]}
        if move.kind is Choose and move.option is not None:
            fields["option"] = move.option
        if await self._send(session, Send(move.kind, fields)):
            self._made = seen
            if not self._interactive:
                # The next line is for what comes of this one.
                await self._until(lambda: self._decision != seen)

    @property
    def _decision(self) -> Decision | None:
        """What names the decision in view, if there is one."""
        room = self._screen.view.room
        return None if room is None else room.decision

    def _has_no_use_to_wait(self) -> bool:
        """Whether a move from a pipe can be made now, or will not be possible by itself."""
        room = self._screen.view.room
        if room is None or room.seat is None or room.is_autopilot or room.is_mine:
            return True
        if room.table.phase == "waiting":
            return room.table.creator == self._screen.view.name
        return room.table.phase == "over"

    async def _until(self, fulfilled: Callable[[], bool]) -> None:
        while not fulfilled():
            self._changed.clear()
            await self._changed.wait()
