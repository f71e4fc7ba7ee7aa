"""The terminal. The only module that imports prompt_toolkit.

It turns a stage's picture into text on the screen, and keys into calls of the stage. It decides
nothing of its own but what a burst of keys is: text that was pasted where the terminal does not
mark pastes, which must not act.
"""

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Float, FloatContainer, HSplit, Layout, VSplit, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output

from cantstop_client.fullscreen.fragments import Line
from cantstop_client.fullscreen.palette import NO_COLOUR, TRUE_COLOUR, Style, paint
from cantstop_client.gate import printable

BURST_SECONDS: Final = 0.15
"""A newline this soon after one that came in a burst belongs to the same pasted block."""

_DEPTHS: Final = {
    NO_COLOUR: ColorDepth.DEPTH_1_BIT,
    16: ColorDepth.DEPTH_4_BIT,
    256: ColorDepth.DEPTH_8_BIT,
    TRUE_COLOUR: ColorDepth.DEPTH_24_BIT,
}
_ANSI_NAMES: Final = [
    "ansiblack",
    "ansired",
    "ansigreen",
    "ansiyellow",
    "ansiblue",
    "ansimagenta",
    "ansicyan",
    "ansigray",
    "ansibrightblack",
    "ansibrightred",
    "ansibrightgreen",
    "ansibrightyellow",
    "ansibrightblue",
    "ansibrightmagenta",
    "ansibrightcyan",
    "ansiwhite",
]


class Stage(Protocol):
    """What is shown here, and what reacts to it."""

    style: Style

    def picture(self, width: int, height: int) -> list[Line]:
        """The whole screen; its last line is only a place for the one that is typed in."""

    def acting_keys(self) -> tuple[str, ...]:
        """The keys that act on an empty line, as prompt_toolkit names them."""

    def prompt(self) -> str: ...
    def typed(self, text: str) -> None: ...
    def submit(self, text: str) -> None: ...
    def pasted(self, text: str) -> str: ...
    def press(self, key: str) -> bool:
        """A key on an empty line; whether it was taken, or is the beginning of a text."""

    def highlight(self, by: int) -> bool: ...
    def scroll(self, pages: int) -> None: ...
    def search(self) -> None: ...
    def escape(self) -> None: ...
    def click(self, option: int) -> None: ...
    def complete(self, text: str) -> list[str]: ...
    def leave(self, code: int) -> None: ...


class Terminal:
    """The screen for as long as it lasts. ``input`` and ``output`` are the process's, but in tests.

    However it ends, the terminal is left as it was found.
    """

    def __init__(
        self,
        stage: Stage,
        *,
        mouse: bool = False,
        history: Sequence[str] = (),
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._stage = stage
        self._keys = KeyBindings()
        self._bound: set[str] = set()
        self._fault: BaseException | None = None
        self._newline_in_burst = float("-inf")
        self._remembered = InMemoryHistory(list(history))
        self.buffer = Buffer(
            multiline=False,
            completer=_Completer(self.complete),
            history=self._remembered,
            on_text_changed=lambda buffer: self._stage.typed(buffer.text),
        )
        self._application: Application[None] = Application(
            layout=self._layout(),
            key_bindings=self._bindings(),
            full_screen=True,
            mouse_support=mouse,
            color_depth=_DEPTHS[stage.style.depth],
            input=input,
            output=output,
        )
        # An Esc is a key here and begins no other: it need not be waited for.
        self._application.ttimeoutlen = 0.05
        self._application.timeoutlen = 0.05

    async def run(self) -> None:
        """Show the stage until ``end``. Raises what the stage raised while it was drawn."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._take_fault)
        try:
            with _ended_by_signals(lambda code: self._stage.leave(code)):
                await self._application.run_async(set_exception_handler=False)
        finally:
            loop.set_exception_handler(None)
            # prompt_toolkit does this too, unless its very first picture failed.
            self._application.renderer.reset()
            self._application.output.show_cursor()
            self._application.output.clear_title()
            self._application.output.flush()
        if self._fault is not None:
            raise self._fault

    def end(self) -> None:
        """Give the terminal back."""
        if self._application.is_running and self._application.future is not None:
            with contextlib.suppress(Exception):
                self._application.exit()

    def complete(self, text: str) -> list[str]:
        """What the last word of the line could become."""
        return self._stage.complete(text)

    def redraw(self) -> None:
        self._application.invalidate()

    def ring(self) -> None:
        self._application.output.bell()

    def set_title(self, title: str) -> None:
        self._application.output.set_title(title)
        self._application.output.flush()

    def remember(self, line: str) -> None:
        """The line can be had back with the arrow keys."""
        self._remembered.append_string(line)

    def show(self, stage: Stage, text: str = "") -> str:
        """Another stage from now on, with this text in the line: what stood there before."""
        kept = self.buffer.text
        self._stage = stage
        self._bind_acting_keys()
        self.set_text(text)
        self.redraw()
        return kept

    def set_text(self, text: str) -> None:
        """What stands in the line."""
        self.buffer.reset(Document(text))
        self._stage.typed(text)

    def _layout(self) -> Layout:
        prompt = FormattedTextControl(
            lambda: [(_css("bold", self._stage.style), self._stage.prompt())], focusable=False
        )
        line = VSplit(
            [
                Window(prompt, dont_extend_width=True, height=1),
                Window(BufferControl(self.buffer), height=1),
            ]
        )
        picture = Window(FormattedTextControl(self._draw, show_cursor=False), wrap_lines=False)
        menu = Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)
        root = FloatContainer(HSplit([picture, line]), floats=[menu])
        return Layout(root, focused_element=self.buffer)

    def _draw(self) -> StyleAndTextTuples:
        size = self._application.output.get_size()
        try:
            lines = self._stage.picture(size.columns, size.rows)
        except Exception as fault:  # noqa: BLE001 - raised by ``run``, with the terminal restored
            self._fail(fault)
            return []
        text: StyleAndTextTuples = []
        for number, item in enumerate(lines[:-1]):
            if number:
                text.append(("", "\n"))
            text.extend(self._fragments(item))
        return text

    def _fragments(self, line: Line) -> Iterator[Any]:
        stage = self._stage
        for part in line:
            css = _css(part.role, stage.style)
            if part.option is None:
                yield css, printable(part.text)
                continue

            def clicked(event: MouseEvent, option: int = part.option) -> None:
                if event.event_type is MouseEventType.MOUSE_UP:
                    stage.click(option)

            yield css, printable(part.text), clicked

    def _bindings(self) -> KeyBindings:
        buffer, keys = self.buffer, self._keys
        self._bind_acting_keys()

        @keys.add("enter")
        def _enter(event: KeyPressEvent) -> None:
            if self._ends_line_of_burst(event):
                if buffer.text and not buffer.text.endswith(" "):
                    buffer.insert_text(" ")
                return
            if buffer.complete_state is not None:
                buffer.complete_state = None
                return
            text = buffer.text
            buffer.reset()
            self._stage.typed("")
            self._stage.submit(text)

        @keys.add(Keys.BracketedPaste)
        def _paste(event: KeyPressEvent) -> None:
            buffer.insert_text(self._stage.pasted(event.data))

        @keys.add("up")
        @keys.add("down")
        def _vertical(event: KeyPressEvent) -> None:
            up = event.key_sequence[0].key == Keys.Up
            if buffer.complete_state is not None:
                buffer.complete_previous() if up else buffer.complete_next()
            elif buffer.text or not self._stage.highlight(-1 if up else 1):
                buffer.history_backward() if up else buffer.history_forward()

        @keys.add("c-p")
        def _earlier(event: KeyPressEvent) -> None:
            buffer.history_backward()

        @keys.add("c-n")
        def _later(event: KeyPressEvent) -> None:
            buffer.history_forward()

        @keys.add("tab")
        def _complete(event: KeyPressEvent) -> None:
            if self._in_burst(event):
                buffer.insert_text(" ")
            elif buffer.complete_state is not None:
                buffer.complete_next()
            else:
                buffer.start_completion(insert_common_part=True)

        @keys.add("s-tab")
        def _complete_back(event: KeyPressEvent) -> None:
            buffer.complete_previous()

        @keys.add("pageup")
        def _page_up(event: KeyPressEvent) -> None:
            self._stage.scroll(1)

        @keys.add("pagedown")
        def _page_down(event: KeyPressEvent) -> None:
            self._stage.scroll(-1)

        @keys.add("c-f")
        def _search(event: KeyPressEvent) -> None:
            self._stage.search()

        # Eager: Esc and a key after it are two keys, not one with Alt.
        @keys.add("escape", eager=True)
        def _escape(event: KeyPressEvent) -> None:
            if buffer.complete_state is not None:
                buffer.cancel_completion()
            else:
                self._stage.escape()

        @keys.add("c-l")
        def _again(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        @keys.add("c-c")
        @keys.add("<sigint>")
        def _interrupt(event: KeyPressEvent) -> None:
            self._stage.leave(130)

        @keys.add("c-d")
        def _end(event: KeyPressEvent) -> None:
            self._stage.leave(0)

        return keys

    def _bind_acting_keys(self) -> None:
        """The stage's keys act when the line is empty; another stage's are text to it."""
        empty = Condition(lambda: not self.buffer.text)

        def acts(key: str) -> Callable[[KeyPressEvent], None]:
            def act(event: KeyPressEvent) -> None:
                # No pasted text has an arrow key in it: one that is held down comes in bursts.
                pasted = len(key) == 1 and self._in_burst(event)
                taken = not pasted and self._stage.press(key)
                if not taken and len(key) == 1:
                    self.buffer.insert_text(key)

            return act

        for key in self._stage.acting_keys():
            if key not in self._bound:
                self._bound.add(key)
                self._keys.add(key, filter=empty)(acts(key))

    def _in_burst(self, event: KeyPressEvent) -> bool:
        """Whether more keys came together with this one, as they do in an unmarked paste."""
        waiting = event.app.key_processor.input_queue
        return any(press.key != Keys.CPRResponse for press in waiting)

    def _ends_line_of_burst(self, event: KeyPressEvent) -> bool:
        now = time.monotonic()
        if self._in_burst(event) or now - self._newline_in_burst < BURST_SECONDS:
            self._newline_in_burst = now
            return True
        return False

    def _take_fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        fault = context.get("exception")
        self._fail(fault or RuntimeError(context.get("message", "a fault in the event loop")))

    def _fail(self, fault: BaseException) -> None:
        self._fault = self._fault or fault
        self.end()


class _Completer(Completer):
    def __init__(self, complete: Callable[[str], list[str]]) -> None:
        self._complete = complete

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        before = document.text_before_cursor
        last = before.rpartition(" ")[2]
        for word in self._complete(before):
            yield Completion(word, start_position=-len(last))


@contextlib.contextmanager
def _ended_by_signals(leave: Callable[[int], None]) -> Iterator[None]:
    """A process that is asked to end gives the terminal back first, where signals can be had."""
    loop = asyncio.get_running_loop()
    added = []
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, leave, 128 + number)
                added.append(number)
    try:
        yield
    finally:
        for number in added:
            loop.remove_signal_handler(number)


def _css(role: str, style: Style) -> str:
    """How prompt_toolkit says it."""
    look = paint(role, style)
    parts = ["bold"] if look.bold else []
    if look.fg:
        parts.append(f"fg:{_colour(look.fg)}")
    if look.bg:
        parts.append(f"bg:{_colour(look.bg)}")
    return " ".join(parts)


def _colour(colour: str) -> str:
    if colour.startswith("#"):
        return colour
    number = int(colour)
    if number < 16:
        return _ANSI_NAMES[number]
    number -= 16
    levels = (0, 95, 135, 175, 215, 255)
    parts = (levels[number // 36], levels[number // 6 % 6], levels[number % 6])
    return "#" + "".join(f"{part:02x}" for part in parts)
