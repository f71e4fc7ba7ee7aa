"""Decisions that take long, made on another thread while the room goes on."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import NamedTuple, NoReturn, TypeVar

T = TypeVar("T")

Thought = Callable[[], T]
"""Gives what was found, or raises what went wrong, ``TimeoutError`` included."""


class Thinkers(NamedTuple):
    """Where long decisions are made, so many at a time for the whole server.

    ``seconds`` is how long one may take, the wait for a free thread included.
    """

    executor: Executor
    seconds: float

    def ask(self, think: Callable[[], T], tell: Callable[[Thought[T]], None]) -> None:
        """Think on another thread; ``tell`` is called once, on the event loop.

        A thread that does not come back is given up: what it finds in the end is dropped.
        """
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self.executor, think)
        timer = loop.call_later(self.seconds, partial(_give_up, work, tell))
        work.add_done_callback(partial(_done, timer, tell))


def _done(
    timer: asyncio.TimerHandle, tell: Callable[[Thought[T]], None], work: "asyncio.Future[T]"
) -> None:
    if timer.cancelled():
        return
    timer.cancel()
    if not work.cancelled():
        work.exception()  # Looked at, so that the loop does not report it if nobody asks.
        tell(work.result)


def _give_up(work: "asyncio.Future[T]", tell: Callable[[Thought[T]], None]) -> None:
    work.cancel()
    tell(_too_late)


def _too_late() -> NoReturn:
    raise TimeoutError("this took too long to think about")
