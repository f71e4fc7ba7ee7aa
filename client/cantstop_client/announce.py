"""A server's announcement on the network: its place there, and whether it can be heard."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cantstop_client.address import parse_address
from cantstop_client.discovery import SERVICE, Unheard, multicast
from cantstop_client.errors import ClientError
from cantstop_client.interfaces import named_interfaces, places, reached_at
from cantstop_protocol.limits import SUBPROTOCOL

if TYPE_CHECKING:
    from zeroconf import ServiceInfo

_HEAR_MILLISECONDS: Final = 6000
_LABEL_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Hosted:
    """A server that runs: its lasting id, what it is called, and where it listens."""

    id: str
    name: str
    version: str
    addresses: tuple[str, ...]

    @property
    def port(self) -> int:
        return parse_address(self.addresses[0]).port

    @property
    def is_secure(self) -> bool:
        return parse_address(self.addresses[0]).secure

    @property
    def bound(self) -> list[str]:
        """The hosts of its addresses at this port: an announcement has one port."""
        addresses = map(parse_address, self.addresses)
        return [address.host for address in addresses if address.port == self.port]


class Announcement:
    """Keeps a server announced until it is closed. Trouble is one line to ``tell``, no more."""

    def __init__(self, hosted: Hosted, tell: Callable[[str], None]) -> None:
        self._hosted = hosted
        self._tell = tell
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Announce from now on, without making the server wait."""
        self._task = asyncio.create_task(self._run(), name="announcement")

    async def close(self) -> None:
        """Take the announcement back, as far as that is possible within a second."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=1)
            if self._task.done() and not self._task.cancelled():
                # An output that nobody reads any more ends the server without this.
                self._task.exception()

    async def _run(self) -> None:
        try:
            await self._announce()
        except (Unheard, ClientError) as error:
            self._tell(f"Not announced on the network: {error}. Others can type the address")
        # A library's fault must not end the server, and nobody waits for this task.
        except Exception as error:  # noqa: BLE001
            self._tell(
                f"Not announced on the network: {error or type(error).__name__}. "
                "Others can type the address"
            )

    async def _announce(self) -> None:
        interfaces = named_interfaces() or reached_at(self._hosted.bound, places())
        addresses = reached_at(self._hosted.bound, places()) or self._hosted.bound
        info = service(self._hosted, addresses)
        async with multicast(interfaces) as zeroconf:
            await (await zeroconf.async_register_service(info, allow_name_change=True))
            try:
                if await _is_heard(info.name, interfaces):
                    self._tell("Announced on the network: cantstop find lists it")
                else:
                    self._tell(
                        "Announced, but multicast seems to be blocked here: others may have to "
                        "type the address"
                    )
                await asyncio.get_running_loop().create_future()
            finally:
                with contextlib.suppress(Exception):
                    await zeroconf.async_unregister_all_services()


def why_silent(hosted: Hosted) -> str | None:
    """Why a server is not announced, None if it should be."""
    if named_interfaces() or reached_at(hosted.bound, places()):
        return None
    if all(host in ("127.0.0.1", "::1", "localhost") for host in hosted.bound):
        return "for this machine alone; --bind 0.0.0.0 lets others in"
    return "this machine is on no network"


def service(hosted: Hosted, addresses: Sequence[str]) -> "ServiceInfo":
    """The announcement: an instance's name that nobody else has, and what people want to know."""
    from zeroconf import ServiceInfo

    label = f"cantstop-{hosted.id[:_LABEL_DIGITS]}-{hosted.port}"
    properties = {
        "id": hosted.id,
        "name": hosted.name,
        "version": hosted.version,
        "protocol": SUBPROTOCOL,
    }
    if hosted.is_secure:
        properties["tls"] = "1"
    return ServiceInfo(
        SERVICE,
        f"{label}.{SERVICE}",
        port=hosted.port,
        properties=properties,
        server=f"{label}.local.",
        parsed_addresses=list(addresses),
    )


async def _is_heard(name: str, interfaces: list[str]) -> bool:
    """Whether somebody else on this machine hears it: what is blocked here is heard nowhere."""
    from zeroconf.asyncio import AsyncServiceInfo

    async with multicast(interfaces) as other:
        info = AsyncServiceInfo(SERVICE, name)
        return await info.async_request(other.zeroconf, _HEAR_MILLISECONDS)
