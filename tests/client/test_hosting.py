"""What a host is told, and when nothing is announced."""

import asyncio
import io
from ipaddress import ip_address

import pytest

from cantstop_client import announce, hosting
from cantstop_client.announce import Hosted, service, why_silent
from cantstop_client.glyphs import ASCII
from cantstop_client.hosting import LAST_LINE, Hosting, hosting_lines
from cantstop_client.interfaces import Place
from cantstop_client.output import Output

LAN = [Place(ip_address("10.0.0.4"), "eth0"), Place(ip_address("fd00::4"), "eth0")]


@pytest.fixture(autouse=True)
def on_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CANTSTOP_MDNS_INTERFACES", raising=False)
    monkeypatch.setattr(announce, "places", lambda: LAN)
    monkeypatch.setattr(hosting, "places", lambda: LAN)


def hosted(*addresses: str) -> Hosted:
    return Hosted("5eaf00d5eaf00d", "den", "cantstop 1", addresses)


def commands(*addresses: str) -> list[str]:
    lines = hosting_lines(hosted(*addresses), LAN)
    assert "/create" in lines[-1]
    return lines[:-1]


def test_every_address_is_named_with_what_to_type() -> None:
    assert commands("0.0.0.0:7112") == [
        "Hosting on 10.0.0.4:7112: cantstop join --server 10.0.0.4:7112",
        "On this machine: cantstop join --server 127.0.0.1:7112",
    ]
    assert commands("[::]:5") == [
        "Hosting on [fd00::4]:5: cantstop join --server [fd00::4]:5",
        "On this machine: cantstop join --server [::1]:5",
    ]
    assert commands("127.0.0.1:7112") == [
        "Hosting on 127.0.0.1:7112: cantstop join --server 127.0.0.1:7112"
    ]
    assert commands("wss://10.0.0.4:443") == [
        "Hosting on wss://10.0.0.4:443: cantstop join --server wss://10.0.0.4:443"
    ]


def test_without_a_network_there_is_still_this_machine() -> None:
    assert hosting_lines(hosted("0.0.0.0:7112"), [])[:-1] == [
        "On this machine: cantstop join --server 127.0.0.1:7112"
    ]


def test_a_server_for_this_machine_alone_is_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "this machine alone" in (why_silent(hosted("127.0.0.1:7112")) or "")
    assert "this machine alone" in (why_silent(hosted("[::1]:7112", "127.0.0.1:7112")) or "")
    assert why_silent(hosted("0.0.0.0:7112")) is None
    monkeypatch.setattr(announce, "places", list)
    assert "no network" in (why_silent(hosted("0.0.0.0:7112")) or "")


def test_the_announcement_says_what_people_want_to_know() -> None:
    info = service(hosted("10.0.0.4:7112", "[fd00::4]:7112"), ["10.0.0.4", "fd00::4"])
    assert info.type == "_cantstop._tcp.local."
    assert info.port == 7112
    assert info.parsed_addresses() == ["10.0.0.4", "fd00::4"]
    assert info.decoded_properties == {
        "id": "5eaf00d5eaf00d",
        "name": "den",
        "version": "cantstop 1",
        "protocol": "cantstop.1",
    }
    secure = service(hosted("wss://10.0.0.4:443"), ["10.0.0.4"])
    assert secure.decoded_properties["tls"] == "1"


def test_one_announcement_has_one_port() -> None:
    assert hosted("0.0.0.0:1", "[::]:1").bound == ["0.0.0.0", "::"]
    assert hosted("0.0.0.0:1", "[::]:2").bound == ["0.0.0.0"]


async def told(hosted: Hosted, *, announce: bool) -> list[str]:
    """What is printed until there is nothing more to come."""
    out = io.StringIO()
    hosting = Hosting(Output(out, ASCII, 80), announce=announce)
    hosting.started(hosted)
    begun = hosting._announcement
    if begun is not None and begun._task is not None:
        await asyncio.wait([begun._task], timeout=30)

    async def ended() -> None:
        return None

    await hosting.until(ended())
    return out.getvalue().splitlines()


async def test_no_announce_is_obeyed_and_said() -> None:
    lines = await told(hosted("0.0.0.0:7112"), announce=False)
    assert lines[-2:] == ["Not announced on the network, as you wish", LAST_LINE]


async def test_loopback_is_said_plainly() -> None:
    lines = await told(hosted("127.0.0.1:7112"), announce=True)
    assert lines[-2].startswith("Not announced on the network: for this machine alone; --bind")


@pytest.mark.parametrize(
    "failure", [OSError(1, "Operation not permitted"), RuntimeError("no adapter")]
)
async def test_trouble_with_multicast_is_one_line_and_hosting_goes_on(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr("zeroconf.Zeroconf", fail)
    lines = await told(hosted("0.0.0.0:7112"), announce=True)
    assert LAST_LINE in lines
    (trouble,) = (line for line in lines if line.startswith("Not announced"))
    assert "multicast is not possible here" in trouble
    assert "type the address" in trouble


async def test_a_fault_in_the_library_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("odd")

    monkeypatch.setattr(announce, "service", fail)
    lines = await told(hosted("0.0.0.0:7112"), announce=True)
    assert sum("Not announced" in line for line in lines) == 1


async def test_a_variable_that_says_nonsense_does_not_end_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CANTSTOP_MDNS_INTERFACES", "eth0")
    lines = await told(hosted("0.0.0.0:7112"), announce=True)
    assert sum("CANTSTOP_MDNS_INTERFACES" in line for line in lines) == 1
    assert lines[-1] == LAST_LINE


class Told(io.StringIO):
    """An output that says when there is something of the announcement in it."""

    def __init__(self) -> None:
        super().__init__()
        self.announced = asyncio.Event()

    def write(self, text: str) -> int:
        if text.startswith("Announced"):
            self.announced.set()
        return super().write(text)


@pytest.mark.parametrize("is_heard", [True, False])
async def test_it_is_said_whether_the_announcement_is_heard(
    monkeypatch: pytest.MonkeyPatch, is_heard: bool
) -> None:
    async def heard(name: str, interfaces: list[str]) -> bool:
        return is_heard

    monkeypatch.setenv("CANTSTOP_MDNS_INTERFACES", "127.0.0.1")
    monkeypatch.setattr(announce, "_is_heard", heard)
    out = Told()
    hosting = Hosting(Output(out, ASCII, 80), announce=True)
    hosting.started(hosted("127.0.0.1:7"))
    async with asyncio.timeout(60):
        await hosting.until(out.announced.wait())
    last = out.getvalue().splitlines()[-1]
    assert ("multicast seems to be blocked" in last) is not is_heard
