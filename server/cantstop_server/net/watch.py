"""One task that looks after a running server: the lag of the loop, the database, the drain."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from cantstop_server.net.admin import Administration, Health
from cantstop_server.net.metrics import Metrics
from cantstop_server.storage.errors import DatabaseFault, StorageError

log = logging.getLogger(__name__)

INTERVAL: Final = 1.0


class Watch:
    """Looks every second until it is stopped. ``check`` finds out whether the database works."""

    def __init__(
        self,
        metrics: Metrics,
        health: Health,
        administration: Administration,
        check: Callable[[], Awaitable[None]],
    ) -> None:
        self._metrics = metrics
        self._health = health
        self._administration = administration
        self._check = check
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._run(), name="watch")

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            if not self._task.cancelled() and (fault := self._task.exception()):
                log.error("nobody has watched the server: a fault", exc_info=fault)

    def wrote(self, writes: int, seconds: float, error: StorageError | None) -> None:
        """The journal has written a group, or failed to; one room's data may be to blame."""
        self._metrics.journal_group(writes, seconds, failed=error is not None)
        if error is None or isinstance(error, DatabaseFault):
            self._health.database = error is None

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            due = clock() + INTERVAL
            await asyncio.sleep(INTERVAL)
            self._metrics.loop_lag(max(0.0, clock() - due))
            self._administration.check_drained()
            if not self._health.database:
                await self._look_at_database()

    async def _look_at_database(self) -> None:
        """Nobody may write any more while it is thought not to work: so this does."""
        with contextlib.suppress(StorageError):
            await self._check()
            self._health.database = True
            log.warning("the database works again")
