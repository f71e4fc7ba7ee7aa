"""Waiting for something that nothing announces. A bound is there for tests that fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

SECONDS = 120
"""How long anything may take; far above what is ever needed."""


async def until(condition: Callable[[], bool]) -> None:
    """Wait until it is so. Raises ``TimeoutError``."""
    async with asyncio.timeout(SECONDS):
        while True:
            if condition():
                return
            await asyncio.sleep(0.001)
