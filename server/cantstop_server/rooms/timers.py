"""The timers of one room on the event loop."""

import asyncio
from collections.abc import Callable, Mapping

from cantstop_server.rooms.agenda import Due, Task


class Timers:
    """Keeps one timer for each task. All are gone after ``stop``."""

    def __init__(self, on_due: Callable[[Task], None]) -> None:
        self._on_due = on_due
        self._running: dict[Task, tuple[Due, asyncio.TimerHandle]] = {}

    def arrange(self, agenda: Mapping[Task, Due]) -> None:
        """Run the timers of the agenda and no others; one whose key is the same runs on."""
        if not agenda and not self._running:
            return
        for task in [task for task in self._running if task not in agenda]:
            self._running.pop(task)[1].cancel()
        for task, due in agenda.items():
            known = self._running.get(task)
            if known is not None:
                if known[0].key == due.key:
                    continue
                known[1].cancel()
            handle = asyncio.get_running_loop().call_later(due.delay, self._fire, task)
            self._running[task] = (due, handle)

    def stop(self) -> None:
        """Cancel everything."""
        self.arrange({})

    def _fire(self, task: Task) -> None:
        # The due entry stays known until its key changes: what has been done for a key once
        # is not done for it again.
        self._on_due(task)

    def again(self, task: Task) -> None:
        """What was due could not be done: the next agenda starts its timer anew."""
        known = self._running.pop(task, None)
        if known is not None:
            known[1].cancel()
