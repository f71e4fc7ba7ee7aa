"""What people type for a server, and what it means."""

import pytest

from cantstop_client.address import parse_address
from cantstop_client.errors import ClientError


@pytest.mark.parametrize(
    ("typed", "url", "shown"),
    [
        ("192.168.1.4", "ws://192.168.1.4:7112/", "192.168.1.4:7112"),
        (" den.local ", "ws://den.local:7112/", "den.local:7112"),
        ("den:80", "ws://den:80/", "den:80"),
        ("::1", "ws://[::1]:7112/", "[::1]:7112"),
        ("fe80::1%eth0", "ws://[fe80::1%eth0]:7112/", "[fe80::1%eth0]:7112"),
        ("[::1]", "ws://[::1]:7112/", "[::1]:7112"),
        ("[2001:db8::7]:99", "ws://[2001:db8::7]:99/", "[2001:db8::7]:99"),
        ("ws://den", "ws://den:7112/", "den:7112"),
        ("ws://[::1]:5/x?y=1", "ws://[::1]:5/x?y=1", "[::1]:5"),
        ("wss://games.example/cantstop", "wss://games.example:443/cantstop", "games.example:443"),
    ],
)
def test_an_address_in_each_form_gives_its_url(typed: str, url: str, shown: str) -> None:
    address = parse_address(typed)
    assert address.url == url
    assert str(address) == shown


@pytest.mark.parametrize(
    "typed",
    [
        "",
        ":7112",
        "den:",
        "den:x",
        "den:0",
        "den:65536",
        "den:-1",
        "den:7:8",
        "den:\u0667",
        "a b",
        "a/b",
        "[den]:5",
        "[::1]5",
        "[::1",
        "http://den",
        "ws://",
        "ws://den:99999",
        "ws://den:0",
        "ws://me@den",
        "ws://den/#x",
    ],
)
def test_what_is_no_address_is_refused_and_echoed(typed: str) -> None:
    with pytest.raises(ClientError):
        parse_address(typed)


def test_only_wss_is_secure() -> None:
    assert parse_address("wss://den").secure
    assert not parse_address("den").secure
