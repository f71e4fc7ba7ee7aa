"""A review in the background: it takes seconds, says how far it is, and can be given up."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Final

from cantstop_client.errors import ClientError
from cantstop_client.replay.telling import Notes

Progress = Callable[[int, int], None]
Work = Callable[[Progress], Notes]
"""Reviews the game: it calls the progress with how much is done and how much there is."""


class _GivenUp(Exception):
    """Nobody waits for the review any more."""


class Reviewer:
    """Runs the review once, on a thread of its own that the end of the program does not wait for.

    ``changed`` is called on the event loop when ``done`` of ``total``, ``notes`` or ``trouble``
    have changed.
    """

    def __init__(self, work: Work, changed: Callable[[], None]) -> None:
        self.done = 0
        self.total = 1
        self.running = False
        self.notes: Notes | None = None
        self.trouble = ""
        self._work = work
        self._changed = changed
        self._given_up = threading.Event()

    def start(self) -> None:
        """Begin, unless it has begun or is done."""
        if self.running or self.notes is not None:
            return
        self.running, self.trouble, self.done = True, "", 0
        self._given_up = given_up = threading.Event()
        loop = asyncio.get_running_loop()

        def tell(done: int, total: int) -> None:
            if given_up.is_set():
                raise _GivenUp
            if 100 * done // total != 100 * (done - 1) // total:
                _call(loop, self._progressed, given_up, done, total)

        def run() -> None:
            try:
                notes = self._work(tell)
            except _GivenUp:
                return
            except ClientError as error:
                _call(loop, self._ended, given_up, None, str(error))
            except Exception as error:  # noqa: BLE001 - it must not end in silence
                _call(loop, self._ended, given_up, None, f"the review failed: {error}")
            else:
                _call(loop, self._ended, given_up, notes, "")

        threading.Thread(target=run, name="review", daemon=True).start()

    def give_up(self) -> None:
        """Let it be; it can be started again."""
        self._given_up.set()
        self.running = False

    def _progressed(self, given_up: threading.Event, done: int, total: int) -> None:
        if not given_up.is_set():
            self.done, self.total = done, total
            self._changed()

    def _ended(self, given_up: threading.Event, notes: Notes | None, trouble: str) -> None:
        if not given_up.is_set():
            self.running, self.notes, self.trouble = False, notes, trouble
            self._changed()


NO_REVIEW: Final = "Reviews are for `cantstop replay`, with a database or a file"


def _call(loop: asyncio.AbstractEventLoop, what: Callable[..., None], *arguments: object) -> None:
    # A loop that has ended meanwhile has nobody who would want to know.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(what, *arguments)
