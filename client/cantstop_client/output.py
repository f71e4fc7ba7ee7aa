"""Standard output as lines: the last gate before the terminal, and what it is able to show."""

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from typing import Final, TextIO

from cantstop_client.errors import OutputClosed
from cantstop_client.gate import printable
from cantstop_client.glyphs import ASCII, UNICODE, Glyphs
from cantstop_client.streams import is_terminal
from cantstop_client.widths import wrapped

_PLAIN_LOCALES: Final = frozenset({"C", "POSIX"})
_USUAL_WIDTH: Final = 80


class Output:
    """Writes lines, each at once: who reads through a pipe is playing too.

    ``wrap``: lines that are wider than the window are broken between words, not in them.
    """

    def __init__(
        self, stream: TextIO, glyphs: Glyphs, width: int | None = None, *, wrap: bool = False
    ) -> None:
        self.glyphs = glyphs
        self._stream = stream
        self._width = width
        self._wrap = wrap

    @property
    def width(self) -> int:
        """How many cells a line may take now; the window may have changed."""
        return self._width or shutil.get_terminal_size((_USUAL_WIDTH, 24)).columns

    def line(self, text: str) -> None:
        """Write one line. Raises ``OutputClosed`` when the output takes no more."""
        shown = printable(text)
        if self._wrap:
            shown = "\n".join(wrapped(shown, self.width))
        try:
            self._stream.write(shown + "\n")
            self._stream.flush()
        except (OSError, ValueError) as error:
            raise OutputClosed from error

    def lines(self, texts: Iterable[str]) -> None:
        """Write several lines."""
        for text in texts:
            self.line(text)


def standard_output(*, wrap: bool = False) -> Output:
    """Standard output; ASCII alone where the encoding or the locale promises no more.

    ``wrap`` breaks long lines, on a terminal alone: what reads a pipe gets an event a line.
    """
    stream = sys.stdout
    if stream is None:
        # Started without one, as some launchers do: nothing can be seen, nothing may break.
        return Output(open(os.devnull, "w", encoding="utf-8"), ASCII, _USUAL_WIDTH)
    glyphs = choose_glyphs(stream.encoding, os.environ)
    with contextlib.suppress(AttributeError, ValueError):
        # A name in another script becomes question marks, never an error.
        encoding = "ascii" if glyphs is ASCII else stream.encoding
        stream.reconfigure(encoding=encoding, errors="replace")  # type: ignore[union-attr]
    return Output(stream, glyphs, wrap=wrap and is_terminal(stream))


def choose_glyphs(encoding: str | None, environment: Mapping[str, str]) -> Glyphs:
    """What the output can show. Python encodes as UTF-8 even where ``LC_ALL=C`` asks for none."""
    locale = next(
        (environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)),
        "",
    )
    is_utf8 = (encoding or "").lower().replace("-", "").replace("_", "") == "utf8"
    return UNICODE if is_utf8 and locale not in _PLAIN_LOCALES else ASCII
