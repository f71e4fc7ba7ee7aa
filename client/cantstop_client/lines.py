"""Lines from standard input for an event loop: terminal, pipe, file, nothing at all.

A thread reads, because no other way works for all of these and on Windows as well. It is a
daemon and reads the raw stream: neither a blocked read nor a lock of it keeps the program from
ending.
"""

import asyncio
import codecs
import contextlib
import io
import select
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol, TextIO

LONGEST_LINE: Final = 16 * 1024
"""Characters after which a line without an end is taken as one."""

_WAITING_LINES: Final = 64


class RawInput(Protocol):
    """The part of a raw binary stream that is needed."""

    def read(self, size: int, /) -> bytes | None: ...
    def fileno(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Line:
    """A line of input. Lines that were waiting together share a ``block``: a paste, or a file.

    ``pasted``: other lines came with it.
    """

    text: str
    block: int
    pasted: bool = False


class LineSource:
    """Hands the lines of a stream to ``deliver`` on the loop, then None once at the end.

    At most a few lines wait: ``taken`` makes room for another, so that an endless input does
    not fill the memory.
    """

    def __init__(self, stream: TextIO | None, deliver: Callable[[Line | None], None]) -> None:
        self._stream = stream
        self._deliver = deliver
        self._room = threading.Semaphore(_WAITING_LINES)
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        threading.Thread(target=self._run, name="standard input", daemon=True).start()

    def taken(self) -> None:
        """A delivered line has been dealt with."""
        self._room.release()

    def _run(self) -> None:
        # A loop that is closed while this thread reads has no use for the line any more.
        with contextlib.suppress(RuntimeError):
            for line in _lines(self._stream):
                self._room.acquire()
                self._loop.call_soon_threadsafe(self._deliver, line)
            self._loop.call_soon_threadsafe(self._deliver, None)


def _lines(stream: TextIO | None) -> Iterator[Line]:
    if stream is None:
        return
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    if raw is None:
        for block, text in enumerate(stream):
            yield Line(text.rstrip("\r\n"), block)
        return
    yield from split_lines(raw, stream.encoding or "utf-8")


def split_lines(raw: RawInput, encoding: str) -> Iterator[Line]:
    """The lines of a raw stream. A last line without an end counts, if anything is in it."""
    decoder = io.IncrementalNewlineDecoder(
        codecs.getincrementaldecoder(encoding)(errors="replace"), translate=True
    )
    rest = ""
    block = 0
    while True:
        follows = _more_is_waiting(raw)
        if not follows:
            block += 1
        try:
            data = raw.read(4096)
        except (OSError, ValueError):
            # The terminal is gone, or the stream was closed.
            data = b""
        rest += decoder.decode(data or b"", final=not data)
        *complete, rest = rest.split("\n")
        pasted = follows or len(complete) > 1 or (bool(data) and _more_is_waiting(raw))
        for text in complete:
            yield Line(text, block, pasted)
        if len(rest) > LONGEST_LINE:
            yield Line(rest, block)
            rest = ""
        if not data:
            if rest:
                yield Line(rest, block)
            return


def _more_is_waiting(raw: RawInput) -> bool:
    """Whether a read would give something at once; False where that cannot be found out."""
    try:
        return bool(select.select([raw.fileno()], [], [], 0)[0])
    except (OSError, ValueError):
        return False
