"""The addresses of this machine, and which of them others can use."""

from ipaddress import ip_address

import pytest

from cantstop_client.errors import ClientError
from cantstop_client.interfaces import (
    Place,
    chosen_interfaces,
    named_interfaces,
    own_addresses,
    places,
    reached_at,
    usable_by_others,
)

MACHINE = [
    Place(ip_address(text), interface)
    for text, interface in (
        ("10.0.0.4", "eth0"),
        ("127.0.0.1", "lo"),
        ("169.254.7.7", "eth1"),
        ("172.17.0.1", "docker0"),
        ("::1", "lo"),
        ("fd00::4", "eth0"),
        ("fe80::1", "eth0"),
    )
]


def test_others_use_what_leads_out_of_the_machine() -> None:
    assert usable_by_others(MACHINE) == ["10.0.0.4", "fd00::4"]


def test_a_self_assigned_address_is_better_than_none() -> None:
    assert usable_by_others([MACHINE[1], MACHINE[2], MACHINE[6]]) == ["169.254.7.7"]


@pytest.mark.parametrize(
    ("bound", "reached"),
    [
        (["0.0.0.0"], ["10.0.0.4"]),
        (["::"], ["fd00::4"]),
        (["0.0.0.0", "::"], ["10.0.0.4", "fd00::4"]),
        (["127.0.0.1", "::1", "127.0.0.2"], []),
        (["172.17.0.1"], ["172.17.0.1"]),
    ],
)
def test_where_a_server_is_reached(bound: list[str], reached: list[str]) -> None:
    assert reached_at(bound, MACHINE) == reached


def test_this_machine_has_its_loopback() -> None:
    assert "127.0.0.1" in {str(place.address) for place in places()}
    assert "127.0.0.1" in own_addresses()


def test_the_variable_names_the_interfaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTSTOP_MDNS_INTERFACES", " 127.0.0.1, ::1,")
    assert named_interfaces() == ["127.0.0.1", "::1"]
    assert chosen_interfaces(["10.0.0.4"]) == ["127.0.0.1", "::1"]
    monkeypatch.setenv("CANTSTOP_MDNS_INTERFACES", "")
    assert chosen_interfaces(["10.0.0.4"]) == ["10.0.0.4"]
    monkeypatch.setenv("CANTSTOP_MDNS_INTERFACES", "eth0")
    with pytest.raises(ClientError, match="CANTSTOP_MDNS_INTERFACES: 'eth0'"):
        named_interfaces()
