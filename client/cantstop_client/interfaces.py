"""The addresses of this machine: which of them others can use, and where tables are announced."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from cantstop_client.errors import ClientError

INTERFACES_VARIABLE: Final = "CANTSTOP_MDNS_INTERFACES"
"""Addresses of the interfaces to use, with commas between; for odd networks, and for tests."""

_MACHINE_ONLY: Final = re.compile(
    r"(docker|veth|br-|virbr|vmnet|vboxnet|lxcbr|lxdbr|cni|flannel|podman|cali|vnet)", re.IGNORECASE
)
"""Interfaces between this machine and its own virtual ones: nobody else is there."""

IpAddress = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class Place:
    """An address of this machine and the name of its interface."""

    address: IpAddress
    interface: str


def places() -> list[Place]:
    """The addresses of this machine, IPv4 first; none if the system does not tell."""
    import ifaddr

    try:
        adapters = list(ifaddr.get_adapters())
    except OSError:
        return []
    found = []
    for adapter in adapters:
        for ip in adapter.ips:
            text = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            found.append(Place(ip_address(text.partition("%")[0]), str(adapter.nice_name)))
    return sorted(found, key=lambda place: (place.address.version, place.address.packed))


def own_addresses() -> frozenset[str]:
    """All addresses at which this machine is itself."""
    return frozenset({"127.0.0.1", "::1", *(str(place.address) for place in places())})


def usable_by_others(places: Iterable[Place]) -> list[str]:
    """The addresses that others on the network can type, the likeliest first.

    Self-assigned IPv4 addresses (169.254) count only where there is nothing better.
    """
    outward = [
        place.address
        for place in places
        if not place.address.is_loopback and not _MACHINE_ONLY.match(place.interface)
    ]
    routed = [address for address in outward if not address.is_link_local]
    fallback = [address for address in outward if address.version == 4]
    return [str(address) for address in routed or fallback]


def reached_at(bound: Sequence[str], places: Sequence[Place]) -> list[str]:
    """The addresses for others of a server that is bound to these; none if it is on loopback."""
    reached: list[str] = []
    for text in bound:
        address = ip_address(text.partition("%")[0])
        if address.is_unspecified:
            reached += [
                other
                for other in usable_by_others(places)
                if ip_address(other).version == address.version
            ]
        elif not address.is_loopback:
            reached.append(str(address))
    return list(dict.fromkeys(reached))


def chosen_interfaces(addresses: Sequence[str] | None = None) -> list[str]:
    """Addresses of the interfaces for multicast: those of the variable, else of ``addresses``,
    else of all that lead to others. Raises ``ClientError`` for a variable that says nonsense."""
    named = named_interfaces()
    if named:
        return named
    return list(usable_by_others(places()) if addresses is None else addresses)


def named_interfaces() -> list[str]:
    """What ``CANTSTOP_MDNS_INTERFACES`` says; empty if it says nothing."""
    text = os.environ.get(INTERFACES_VARIABLE, "")
    named = [part.strip() for part in text.split(",") if part.strip()]
    for part in named:
        try:
            ip_address(part)
        except ValueError as error:
            raise ClientError(
                f"{INTERFACES_VARIABLE}: {part!r} is no address of an interface"
            ) from error
    return named
