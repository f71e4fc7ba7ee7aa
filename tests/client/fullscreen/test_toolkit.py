"""The terminal's side: keys in, text out, on a pipe and a text."""

import asyncio
import io
import re

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from cantstop_client.fullscreen import toolkit
from cantstop_client.fullscreen.fragments import line
from cantstop_client.fullscreen.marks import UNICODE_MARKS
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.toolkit import Terminal
from cantstop_client.fullscreen.typed_lines import pasted

SECONDS = 60
HOSTILE = "evil\x1b]0;x\x07\x9b31m\u202edlrow\u2028next\x7f"


class Stage:
    """Notes what is called."""

    style = Style(UNICODE_MARKS, 256)

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.takes = True
        self.text = "picture"
        self.over: Terminal | None = None

    def picture(self, width, height):
        return [line(self.text, "seat0"), *[line("")] * (height - 1)]

    def acting_keys(self):
        return ("r", "s", "?", "1", "2", "f2")

    def prompt(self):
        return "> "

    def typed(self, text):
        self.calls.append(("typed", text))

    def submit(self, text):
        self.calls.append(("submit", text))

    def pasted(self, text):
        return pasted(text)

    def press(self, key):
        self.calls.append(("press", key))
        return self.takes

    def highlight(self, by):
        self.calls.append(("highlight", by))
        return True

    def scroll(self, pages):
        self.calls.append(("scroll", pages))

    def search(self):
        self.calls.append(("search",))

    def escape(self):
        self.calls.append(("escape",))

    def click(self, option):
        self.calls.append(("click", option))

    def complete(self, text):
        return [word for word in ("/rules ", "/roll ") if word.startswith(text)]

    def leave(self, code):
        self.calls.append(("leave", code))
        assert self.over is not None
        self.over.end()


async def after(stage: Stage, *keys: str) -> list[tuple[object, ...]]:
    """What the stage has heard after these bursts of keys and Ctrl-C."""
    shown = io.StringIO()
    output = Vt100_Output(shown, lambda: Size(rows=24, columns=80), term="xterm-256color")
    with create_pipe_input() as pipe:
        terminal = Terminal(stage, history=["earlier"], input=pipe, output=output)
        stage.over = terminal
        running = asyncio.create_task(terminal.run())
        for burst in (*keys, "\x03"):
            # A person's pause, so that no two bursts are one.
            await asyncio.sleep(toolkit.BURST_SECONDS + 0.15)
            pipe.send_text(burst)
        await asyncio.wait_for(running, SECONDS)
    stage.shown = shown.getvalue()  # type: ignore[attr-defined]
    return [call for call in stage.calls if call[0] != "typed"]


LEFT = ("leave", 130)


@pytest.mark.parametrize(
    ("keys", "calls"),
    [
        (["r"], [("press", "r")]),
        (["\x1bOQ"], [("press", "f2")]),
        (["x", "r", "\r"], [("submit", "xr")]),
        (["hello\r"], [("submit", "hello")]),
        (["\x1b[200~r\n1\ns\n\x1b[201~"], []),
        (["\x1b[200~/leave\n/quit\x1b[201~", "\r"], [("submit", "//leave /quit")]),
        (["r\r1\rs\r"], []),
        (["r\r1\rs\r", "\r"], [("submit", "r 1 s ")]),
        (["\x1b[A", "\x1b[B"], [("highlight", -1), ("highlight", 1)]),
        (["x\x1b[A", "\r"], [("submit", "earlier")]),
        (["\x1b[5~", "\x1b[6~"], [("scroll", 1), ("scroll", -1)]),
        (["\x06", "\x1b"], [("search",), ("escape",)]),
        (["\x1b/", "\r"], [("escape",), ("submit", "/")]),
        (["/ru", "\t", "\r"], [("submit", "/rules ")]),
        (["abc\x7f", "\x01x", "\r"], [("submit", "xab")]),
        (["\x04"], [("leave", 0)]),
    ],
)
async def test_what_keys_call(keys, calls) -> None:
    heard = await after(Stage(), *keys)
    assert heard == (calls if ("leave", 0) in calls else [*calls, LEFT])


async def test_a_key_that_is_not_taken_begins_a_text() -> None:
    stage = Stage()
    stage.takes = False
    assert await after(stage, "r", "eally\r") == [("press", "r"), ("submit", "really"), LEFT]


async def test_nothing_hostile_reaches_the_terminal_whatever_the_stage_says() -> None:
    stage = Stage()
    stage.text = HOSTILE
    await after(stage)
    shown = stage.shown  # type: ignore[attr-defined]
    assert "evil" in shown
    assert not re.search("[\x9b\u202e\u2028\x7f]", shown)
    assert "]0;x" not in shown.replace("evil]0;x31m", "")


async def test_a_picture_that_fails_is_raised_after_the_terminal_was_given_back() -> None:
    class Broken(Stage):
        def picture(self, width, height):
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        await after(Broken())


async def test_another_stage_takes_the_screen_with_its_keys_and_gives_the_line_back() -> None:
    class Other(Stage):
        def acting_keys(self):
            return ("left", "q", "r")

    first, second = Stage(), Other()
    first.takes = False
    output = Vt100_Output(io.StringIO(), lambda: Size(rows=24, columns=80), term="xterm")
    with create_pipe_input() as pipe:
        terminal = Terminal(first, input=pipe, output=output)
        first.over = second.over = terminal
        running = asyncio.create_task(terminal.run())

        async def send(*bursts: str) -> None:
            for burst in bursts:
                await asyncio.sleep(toolkit.BURST_SECONDS + 0.15)
                pipe.send_text(burst)
            await asyncio.sleep(toolkit.BURST_SECONDS + 0.15)

        await send("half")
        assert terminal.show(second) == "half"
        await send("\x1b[D\x1b[D", "q", "s", "\r")
        terminal.show(first, "half")
        await send("!", "\r", "q", "\x03")
        await asyncio.wait_for(running, SECONDS)
    heard = [call for call in second.calls if call[0] != "typed"]
    assert heard == [
        ("press", "left"),
        ("press", "left"),
        ("press", "q"),
        ("press", "s"),
        ("submit", ""),
    ]
    heard = [call for call in first.calls if call[0] != "typed"]
    assert heard == [("submit", "half!"), ("press", "q"), LEFT]
