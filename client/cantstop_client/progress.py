"""A progress bar on standard error, when a person is looking."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_WIDTH: Final = 30


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give what draws the bar from how much is done and how much there is; None if nobody looks."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield None
        return

    def draw(done: int, total: int) -> None:
        filled = _WIDTH * done // max(1, total)
        bar = "#" * filled + "." * (_WIDTH - filled)
        stream.write(f"\r[{bar}] {done:,} of {total:,} {what}")
        stream.flush()

    try:
        yield draw
    finally:
        stream.write("\r\x1b[K")
        stream.flush()
