"""Tables that are announced on the network: what they say of themselves, and how to hear it.

``zeroconf`` is imported where it is used: nobody else pays for it.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from cantstop_client.address import Address, parse_address
from cantstop_client.errors import ClientError
from cantstop_client.interfaces import chosen_interfaces, own_addresses
from cantstop_protocol.limits import SUBPROTOCOL
from cantstop_protocol.text import visible

if TYPE_CHECKING:
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

SERVICE: Final = "_cantstop._tcp.local."
FIND_SECONDS: Final = 3.0
_INFO_MILLISECONDS: Final = 3000
_CONNECT_SECONDS: Final = 1.0
_LONGEST_TEXT: Final = 80


class Unheard(Exception):
    """The network cannot be asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Found:
    """A table that was heard of. ``addresses`` are as they are typed, the best first."""

    id: str
    name: str
    version: str
    protocol: str
    addresses: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether it speaks our protocol."""
        return self.protocol == SUBPROTOCOL

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "version": self.version,
            "protocol": self.protocol,
            "addresses": list(self.addresses),
        }


def found_lines(tables: Sequence[Found]) -> list[str]:
    """What ``cantstop find`` prints."""
    if not tables:
        return [
            "No table was heard on the network. `cantstop host --bind 0.0.0.0` opens one; where "
            "multicast is blocked, ask the host for the address: cantstop join --server ADDRESS"
        ]
    return [table_line(table) for table in tables]


def table_line(table: Found) -> str:
    """A table, and how it is joined."""
    others = f" (also {', '.join(table.addresses[1:])})" if table.addresses[1:] else ""
    note = "" if table.fits else f" It speaks {table.protocol or 'another protocol'}, we do not"
    version = f", {table.version}" if table.version else ""
    return (
        f"{table.name or 'a table'}{version}: cantstop join --server "
        f"{table.addresses[0]}{others}{note}"
    )


async def find(seconds: float) -> list[Found]:
    """The tables that answer within this time, own machine's first. Raises ``ClientError``."""
    try:
        async with listening() as heard:
            await asyncio.sleep(seconds)
            return await heard.tables()
    except Unheard as error:
        raise ClientError(f"the network cannot be searched: {error}") from error


async def reachable(table: Found) -> Address:
    """The first of the table's addresses at which something answers; the first if none does."""
    addresses = [parse_address(text) for text in table.addresses]
    for address in addresses if len(addresses) > 1 else ():
        if await answers(address):
            return address
    return addresses[0]


async def answers(address: Address) -> bool:
    """Whether a connection can be made at once."""
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(address.host, address.port)
    except OSError:  # TimeoutError is one
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


class Heard:
    """What has been heard so far."""

    def __init__(self, zeroconf: "AsyncZeroconf") -> None:
        self._zeroconf = zeroconf
        self._asked: dict[str, asyncio.Task[AsyncServiceInfo | None]] = {}

    def changed(self, name: str, gone: bool) -> None:
        """A service came, changed, or went. On the loop."""
        task = self._asked.pop(name, None)
        if task is not None:
            task.cancel()
        if not gone:
            self._asked[name] = asyncio.create_task(self._ask(name))

    async def tables(self) -> list[Found]:
        """Those that are there now and have said what is needed."""
        answered = await asyncio.gather(*self._asked.values(), return_exceptions=True)
        own = own_addresses()
        tables: dict[tuple[str, ...], Found] = {}
        for info in answered:
            if info is None or isinstance(info, BaseException):
                continue
            table = read_table(info.decoded_properties, info.parsed_addresses(), info.port)
            if table is not None:
                tables[(table.id, *table.addresses)] = table
        return sorted(tables.values(), key=lambda table: _rank(table, own))

    def stop(self) -> None:
        for task in self._asked.values():
            task.cancel()

    async def _ask(self, name: str) -> "AsyncServiceInfo | None":
        from zeroconf.asyncio import AsyncServiceInfo

        info = AsyncServiceInfo(SERVICE, name)
        said = await info.async_request(self._zeroconf.zeroconf, _INFO_MILLISECONDS)
        return info if said else None


@contextlib.asynccontextmanager
async def listening() -> AsyncIterator[Heard]:
    """Listen for tables from now on. Raises ``Unheard``."""
    from zeroconf import ServiceStateChange, Zeroconf
    from zeroconf.asyncio import AsyncServiceBrowser

    async with multicast(chosen_interfaces()) as zeroconf:
        heard = Heard(zeroconf)

        def changed(
            zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
        ) -> None:
            heard.changed(name, state_change is ServiceStateChange.Removed)

        browser = AsyncServiceBrowser(zeroconf.zeroconf, [SERVICE], handlers=[changed])
        try:
            yield heard
        finally:
            heard.stop()
            await browser.async_cancel()


@contextlib.asynccontextmanager
async def multicast(interfaces: list[str]) -> AsyncIterator["AsyncZeroconf"]:
    """Multicast DNS on these interfaces' addresses. Raises ``Unheard`` on entry."""
    try:
        from zeroconf import IPVersion, Zeroconf
        from zeroconf.asyncio import AsyncZeroconf
    except ImportError as error:
        raise Unheard(f"zeroconf cannot be loaded ({error})") from error
    # It warns of each interface that is of no use, which nobody can do anything about.
    logging.getLogger("zeroconf").setLevel(logging.CRITICAL)
    if not interfaces:
        raise Unheard("no interface of this machine does multicast")
    only_v4 = [text for text in interfaces if ip_address(text).version == 4]
    trials = [(interfaces, IPVersion.All if len(only_v4) < len(interfaces) else IPVersion.V4Only)]
    if only_v4 and len(only_v4) < len(interfaces):
        trials.append((only_v4, IPVersion.V4Only))
    failure: Exception | None = None
    for addresses, version in trials:
        try:
            inner = Zeroconf(interfaces=list(addresses), ip_version=version)
        # OSError, RuntimeError and the library's own: whatever it is, the answer is the same.
        except Exception as error:  # noqa: BLE001
            failure = error
            continue
        zeroconf = AsyncZeroconf(zc=inner)
        try:
            yield zeroconf
        finally:
            await zeroconf.async_close()
        return
    why = getattr(failure, "strerror", None) or failure
    raise Unheard(f"multicast is not possible here ({why})")


def read_table(
    properties: Mapping[str, str | None], addresses: Sequence[str], port: int | None
) -> Found | None:
    """The table that an announcement describes, None if it is of no use. All of it is from
    strangers: texts pass the gate and are cut, addresses are parsed."""
    if port is None or not 0 < port <= 65535:
        return None
    secure = properties.get("tls") == "1"
    usable = []
    for text in addresses:
        try:
            parsed = ip_address(text)
        except ValueError:
            continue
        # A link-local IPv6 address is of no use without saying which link.
        if (
            parsed.is_unspecified
            or parsed.is_multicast
            or (parsed.version, parsed.is_link_local) == (6, True)
        ):
            continue
        usable.append(parsed)
    if not usable:
        return None
    usable.sort(key=lambda one: (one.version, one.is_link_local, one))
    typed = [f"[{one}]:{port}" if one.version == 6 else f"{one}:{port}" for one in usable]
    return Found(
        id=_short(properties.get("id")),
        name=_short(properties.get("name")),
        version=_short(properties.get("version")),
        protocol=_short(properties.get("protocol")),
        addresses=tuple(f"wss://{text}" if secure else text for text in typed),
    )


def _short(text: str | None) -> str:
    return visible(text or "")[:_LONGEST_TEXT]


def _rank(table: Found, own: frozenset[str]) -> tuple[bool, str, tuple[str, ...]]:
    hosts = {parse_address(text).host for text in table.addresses}
    return (not hosts & own, table.name.casefold(), table.addresses)
