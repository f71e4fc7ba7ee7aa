"""Where an export goes: standard output as it is, or a file that is there whole or not at all."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from cantstop_client.errors import ClientError, OutputClosed
from cantstop_client.output import standard_output
from cantstop_client.paths import at_home
from cantstop_client.streams import is_terminal

Write = Callable[[str], None]


@contextmanager
def written_to(name: str | None, *, force: bool) -> Iterator[Write]:
    """Give what writes a text in UTF-8 to this file, or to standard output for None and ``-``.

    The file appears when all is written. One that is there is only replaced by ``force``.
    Raises ``ClientError``.
    """
    if name in (None, "-"):
        yield _to_standard_output()
        return
    path = at_home(str(name), "--output")
    try:
        if path.exists() and not force:
            raise ClientError(f"{path} is there already: give another name, or --force")
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                yield _to_stream(stream)
            return
        handle, new = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                yield _to_stream(stream)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(new, _usual_mode())
            os.replace(new, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(new)
            raise
    except OSError as error:
        raise ClientError(f"cannot write {path}: {error.strerror or error}") from error


def file_lines(name: str, longest: int) -> Iterator[bytes]:
    """The lines of a file, or of standard input for ``-``; one past ``longest`` is cut there.

    Raises ``ClientError`` if it cannot be read.
    """
    try:
        if name == "-":
            stream = None if sys.stdin is None else sys.stdin.buffer
            if stream is not None:
                yield from iter(lambda: stream.readline(longest + 1), b"")
            return
        with Path(at_home(name, "FILE")).open("rb") as file:
            yield from iter(lambda: file.readline(longest + 1), b"")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ClientError(f"cannot read {name}: {why}") from error


def _to_standard_output() -> Write:
    stream = sys.stdout
    if stream is None or is_terminal(stream):
        output = standard_output()
        return lambda text: output.lines(text.split("\n")[:-1])
    write = _to_stream(stream.buffer)

    def write_or_end(text: str) -> None:
        try:
            write(text)
            stream.buffer.flush()
        except OSError as error:
            raise OutputClosed from error

    return write_or_end


def _to_stream(stream: BinaryIO) -> Write:
    def write(text: str) -> None:
        stream.write(text.encode())

    return write


def _usual_mode() -> int:
    """What a new file may be used for here."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
