"""Ctrl-D while something is waited for and nobody reads the input."""

import asyncio
import contextlib
import os
import select
from collections.abc import Coroutine
from typing import Any, Final, TextIO, TypeVar

from cantstop_client.errors import InputEnded
from cantstop_client.streams import is_terminal, standard_input

T = TypeVar("T")

_LOOK: Final = 0.1
"""Seconds between two looks at the input."""


async def unless_left(work: Coroutine[Any, Any, T]) -> T:
    """What the work gives. Raises ``InputEnded`` if the person types Ctrl-D meanwhile.

    What else is typed stays where it is, for whoever reads next.
    """
    stream = standard_input()
    if stream is None or not is_terminal(stream):
        return await work
    working = asyncio.create_task(work)
    try:
        while not (await asyncio.wait([working], timeout=_LOOK))[0]:
            if at_end(stream):
                raise InputEnded
        return working.result()
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


def at_end(stream: TextIO) -> bool:
    """Whether Ctrl-D is the next thing that was typed at a terminal; it is taken away then.

    False where a system cannot tell without reading.
    """
    try:
        import fcntl
        import termios
    except ImportError:
        return False
    with contextlib.suppress(OSError, ValueError):
        number = stream.fileno()
        if select.select([number], [], [], 0)[0]:
            # There is something to be read, but no byte: this is what an end looks like.
            waiting = fcntl.ioctl(number, termios.FIONREAD, b"\0" * 4)
            return not any(waiting) and not os.read(number, 1)
    return False
