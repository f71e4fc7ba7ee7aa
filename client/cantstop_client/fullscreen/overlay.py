"""A replay over the table: asked for, shown when it has come, and put away again."""

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cantstop_client.errors import ClientError
from cantstop_client.replay.fetch import fetch_story
from cantstop_client.session import Session

if TYPE_CHECKING:
    from cantstop_client.fullscreen.replay import ReplayStage
    from cantstop_client.fullscreen.toolkit import Stage, Terminal


class ReplayOverlay:
    """``under`` is the stage that a replay covers, with what stands in its line.

    ``say`` tells there what went wrong; ``live`` is what who looks at the past must know of it,
    and whether that is urgent.
    """

    def __init__(
        self,
        under: "Stage",
        say: Callable[[Iterable[str]], None],
        live: Callable[[], tuple[str, bool]],
    ) -> None:
        self._under = under
        self._say = say
        self._live = live
        self._stage: ReplayStage | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._kept = ""

    def open(self, terminal: "Terminal", session: Session, game: str) -> None:
        """Ask for the game, and show it when it is there."""
        if self._fetching is not None and not self._fetching.done():
            self._say(["The replay that you asked for is on its way"])
        else:
            self._fetching = asyncio.create_task(self._fetch(terminal, session, game))

    async def end(self) -> None:
        """Nothing is asked for or goes on any more."""
        if self._stage is not None:
            self._stage.end()
        if self._fetching is not None:
            self._fetching.cancel()
            await asyncio.gather(self._fetching, return_exceptions=True)

    async def _fetch(self, terminal: "Terminal", session: Session, game: str) -> None:
        from cantstop_client.fullscreen.replay import ReplayStage

        try:
            story = await fetch_story(session, game)
        except ClientError as error:
            self._say([str(error)])
            return

        def close() -> None:
            self._stage = None
            terminal.show(self._under, self._kept)

        self._stage = ReplayStage(
            story,
            self._under.style,
            close=close,
            leave=self._under.leave,
            changed=terminal.redraw,
            live=self._live,
        )
        self._kept = terminal.show(self._stage)
