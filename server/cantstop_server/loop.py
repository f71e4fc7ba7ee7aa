"""The event loop that a server's process runs on, and the collection of its garbage."""

import asyncio
import gc
from collections.abc import Coroutine
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, Final, Literal, TypeAlias, TypeVar

T = TypeVar("T")

Loop: TypeAlias = Literal["uvloop", "asyncio"]

LOOPS: Final[tuple[Loop, ...]] = ("uvloop", "asyncio") if find_spec("uvloop") else ("asyncio",)
"""Those there are here, the best first: uvloop has no wheels for every system."""

_COLLECTED_AFTER: Final = 20_000
"""Objects that are new since the last collection. The values of a game refer to nothing that refers
back to them: counting references frees them, and looking for circles finds next to nothing."""


def lift_file_limit() -> None:
    """As many open files as the system lets this process have: each connection is one."""
    if find_spec("resource") is None:  # Windows has no such limit
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def run(main: Coroutine[Any, Any, T], loop: Loop = LOOPS[0]) -> T:
    """Run a server's process on this loop to its end."""
    lift_file_limit()
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECTED_AFTER)
    if loop == "uvloop":
        import uvloop

        return uvloop.run(main)
    return asyncio.run(main)
