"""A thread that does what must not hold the event loop, one thing after the other."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Done: TypeAlias = Callable[[Any, BaseException | None], None]
"""Told on the loop: what the job gave, and what it raised instead."""

_Job: TypeAlias = tuple[Callable[[], Any], Done]


class Worker:
    """Does jobs in the order of ``submit``, all of one loop.

    The thread begins with the first job and ends with ``end``.

    There and back a job takes one step of a queue and one wakening of the loop: an executor's
    future costs several times what a small transaction does.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._awaited: asyncio.Future[Any] | None = None
        self._unfinished = 0

    @property
    def is_idle(self) -> bool:
        """Whether everything that it was given is done, and who gave it knows. For the loop."""
        return not self._unfinished

    @property
    def is_abandoned(self) -> bool:
        """Whether nobody waits any more for what is under way. For the job itself to ask."""
        return self._awaited is not None and self._awaited.cancelled()

    def submit(self, job: Callable[[], Any], done: Done) -> None:
        """Have it done, and be told on the loop."""
        if self._loop is None:
            self._loop = loop = asyncio.get_running_loop()
            # Who ends without closing is not held up: what was under way is rolled back.
            threading.Thread(target=self._work, args=[loop], name=self._name, daemon=True).start()
        self._unfinished += 1
        self._jobs.put((job, done))

    async def run(self, job: Callable[[], T]) -> T:
        """Have it done and wait for it; what it raises is raised here."""
        found: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def settle(result: T, error: BaseException | None) -> None:
            if found.done():  # nobody waits any more
                return
            if error is None:
                found.set_result(result)
            else:
                found.set_exception(error)

        def work() -> T:
            self._awaited = found
            try:
                return job()
            finally:
                self._awaited = None

        self.submit(work, settle)
        return await found

    def end(self) -> None:
        """Let the thread end after what it has been given. Nothing may follow."""
        self._jobs.put(None)

    def _tell(self, done: Done, result: Any, error: BaseException | None) -> None:
        self._unfinished -= 1
        done(result, error)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while (item := self._jobs.get()) is not None:
            job, done = item
            result, error = None, None
            try:
                result = job()
            except BaseException as caught:  # noqa: BLE001 - it belongs to who asked for the job
                error = caught
            with suppress(RuntimeError):  # the loop has ended: nobody is left to hear of this
                loop.call_soon_threadsafe(self._tell, done, result, error)
            # Nothing is kept alive while there is nothing to do.
            del item, job, done, result, error
