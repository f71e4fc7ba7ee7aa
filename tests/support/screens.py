"""The full-screen face on a real pseudo-terminal, seen through a terminal emulator."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
from program import COMMAND, SECONDS, environment


class Screen:
    """A program on a pseudo-terminal, and what a person would see of it."""

    def __init__(self, child: pexpect.spawn, rows: int, columns: int) -> None:
        self.child = child
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""

    @property
    def lines(self) -> list[str]:
        """What is on the screen now, top to bottom."""
        return list(self._screen.display)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)

    @property
    def typed(self) -> str:
        """The line that is typed in."""
        return self.lines[-1].rstrip()

    @property
    def title(self) -> str:
        return str(self._screen.title)

    def look(self, seconds: float = 0.05) -> bool:
        """Take in what the program writes; False when it has ended."""
        try:
            data = self.child.read_nonblocking(65536, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        self._stream.feed(data)
        return True

    def settle(self, seconds: float = 0.4) -> None:
        """Look for so long: what was typed has had its effect, if it has any."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.look():
            pass

    def until(self, fulfilled: Callable[[], bool], what: str = "") -> None:
        """Look until it is fulfilled; fails with the screen if it never is."""
        end = time.monotonic() + SECONDS
        while not fulfilled():
            alive = self.look()
            assert alive or fulfilled(), f"it has ended, {what}:\n{self.text}"
            assert time.monotonic() < end, f"waited in vain for {what}:\n{self.text}"

    def shows(self, text: str) -> None:
        self.until(lambda: text in self.text, repr(text))

    def type(self, text: str) -> None:
        self.child.send(text)

    def paste(self, text: str) -> None:
        """As a terminal with bracketed paste sends it."""
        self.child.send(f"\x1b[200~{text}\x1b[201~")

    def resize(self, rows: int, columns: int) -> None:
        self._screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def ended(self) -> int | None:
        """Wait for the end: the exit code, None if it was killed."""
        end = time.monotonic() + SECONDS
        while self.look(0.2):
            assert time.monotonic() < end, self.text
        self.child.close()
        return self.child.exitstatus


@contextlib.contextmanager
def full_screen(
    home: Path,
    *arguments: str,
    size: tuple[int, int] = (24, 80),
    command: str = COMMAND,
    **more: str,
) -> Iterator[Screen]:
    """``cantstop``, or another command, on a pseudo-terminal of so many rows and columns."""
    usual = {"TERM": "xterm-256color", "COLORTERM": ""}
    child = pexpect.spawn(
        command,
        list(arguments),
        env=environment(home, **(usual | more)) | {"NO_COLOR": more.get("NO_COLOR", "")},
        timeout=SECONDS,
        dimensions=size,
        echo=False,
    )
    child.delaybeforesend = None
    try:
        yield Screen(child, *size)
    finally:
        child.close(force=True)
