"""What a host is told: what others must type, and whether the table is announced."""

from collections.abc import Awaitable, Sequence
from typing import Final

from cantstop_client.address import Address, parse_address
from cantstop_client.announce import Announcement, Hosted, why_silent
from cantstop_client.errors import ClientError
from cantstop_client.interfaces import Place, places, reached_at
from cantstop_client.output import Output

LAST_LINE: Final = "Ctrl-C ends it"

_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""What stands for every address of this machine, and the one that leads there from itself."""


class Hosting:
    """Tells about a server from its start to its end."""

    def __init__(self, output: Output, *, announce: bool) -> None:
        self._output = output
        self._announce = announce
        self._announcement: Announcement | None = None

    def started(self, hosted: Hosted) -> None:
        """The server listens. Never waits."""
        self._output.lines(hosting_lines(hosted, places()))
        try:
            self._begin_announcement(hosted)
        except ClientError as error:
            self._output.line(f"Not announced on the network: {error}")
        self._output.line(LAST_LINE)

    async def until(self, ended: Awaitable[object]) -> None:
        """Wait for the server's end, then take the announcement back."""
        try:
            await ended
        finally:
            if self._announcement is not None:
                await self._announcement.close()

    def _begin_announcement(self, hosted: Hosted) -> None:
        if not self._announce:
            self._output.line("Not announced on the network, as you wish")
        elif (why := why_silent(hosted)) is not None:
            self._output.line(f"Not announced on the network: {why}")
        else:
            self._announcement = Announcement(hosted, self._output.line)
            self._announcement.start()


def hosting_lines(hosted: Hosted, places: Sequence[Place]) -> list[str]:
    """Each address at which the server is reached, and what is to be typed for it."""
    lines = []
    own = ""
    for address in map(parse_address, hosted.addresses):
        if address.host in _EVERYWHERE:
            own = own or _moved(address, _EVERYWHERE[address.host])
        reached = reached_at([address.host], places) or [address.host]
        for host in reached:
            if host not in _EVERYWHERE:
                typed = _moved(address, host)
                lines.append(f"Hosting on {typed}: {join_command(typed)}")
    if own:
        lines.append(f"On this machine: {join_command(own)}")
    return [*lines, "In the lobby /create opens a room; its code, typed after join, leads into it"]


def join_command(address: str) -> str:
    """What others type."""
    return f"cantstop join --server {address}"


def _moved(address: Address, host: str) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"{'wss://' if address.secure else ''}{name}:{address.port}"
