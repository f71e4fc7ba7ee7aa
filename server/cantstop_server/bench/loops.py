"""The event loops that are compared."""

import asyncio
from collections.abc import Coroutine
from importlib.util import find_spec
from typing import Any

LOOPS = ("asyncio", "uvloop") if find_spec("uvloop") else ("asyncio",)


def run_on(loop: str, main: Coroutine[Any, Any, None]) -> None:
    """Run a program on the loop of this name."""
    if loop == "uvloop":
        import uvloop

        uvloop.run(main)
    else:
        asyncio.run(main)
