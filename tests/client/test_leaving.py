"""Ctrl-D while something is waited for."""

import asyncio
import os
import sys
import time
from collections.abc import Iterator

import pytest

from cantstop_client import leaving
from cantstop_client.errors import InputEnded
from cantstop_client.leaving import at_end, unless_left

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


class Keyboard:
    """A terminal to type at; ``stream`` is what a program reads."""

    def __init__(self) -> None:
        import pty

        self._master, slave = pty.openpty()
        self.stream = os.fdopen(slave, encoding="utf-8")

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())
        time.sleep(0.05)

    def close(self) -> None:
        self.stream.close()
        os.close(self._master)


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keyboard]:
    made = Keyboard()
    monkeypatch.setattr(leaving, "standard_input", lambda: made.stream)
    yield made
    made.close()


def test_the_end_is_told_from_nothing_and_from_text_and_is_taken_away(keyboard: Keyboard) -> None:
    assert not at_end(keyboard.stream)
    keyboard.type("\x04")
    assert at_end(keyboard.stream)
    assert not at_end(keyboard.stream)
    keyboard.type("half")
    assert not at_end(keyboard.stream)
    keyboard.type(" a line\n")
    assert not at_end(keyboard.stream)
    assert keyboard.stream.readline() == "half a line\n"


async def test_who_waits_may_leave(keyboard: Keyboard) -> None:
    keyboard.type("\x04")
    started = time.monotonic()
    with pytest.raises(InputEnded):
        await unless_left(asyncio.sleep(60))
    assert time.monotonic() - started < 1


async def test_who_does_not_leave_gets_what_was_waited_for(keyboard: Keyboard) -> None:
    keyboard.type("typed ahead\n")
    assert await unless_left(asyncio.sleep(0.3, "done")) == "done"
    assert keyboard.stream.readline() == "typed ahead\n"

    async def fails() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await unless_left(fails())


async def test_without_a_terminal_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "standard_input", lambda: None)
    assert await unless_left(asyncio.sleep(0, "done")) == "done"
