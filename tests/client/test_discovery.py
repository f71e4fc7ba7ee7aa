"""What announcements say, whoever wrote them."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from zeroconf import IPVersion, Zeroconf

from cantstop_client import cli
from cantstop_client.address import parse_address
from cantstop_client.discovery import (
    Found,
    Unheard,
    answers,
    find,
    found_lines,
    multicast,
    reachable,
    read_table,
    table_line,
)
from cantstop_client.errors import ClientError

SAID = {"id": "5e", "name": "den", "version": "cantstop 1", "protocol": "cantstop.1"}


def test_an_announcement_becomes_what_is_typed() -> None:
    table = read_table(SAID, ["fd00::4", "fe80::1", "169.254.1.1", "10.0.0.4"], 7112)
    assert table is not None
    assert table.addresses == ("10.0.0.4:7112", "169.254.1.1:7112", "[fd00::4]:7112")
    assert table.fits
    assert table_line(table) == (
        "den, cantstop 1: cantstop join --server 10.0.0.4:7112 "
        "(also 169.254.1.1:7112, [fd00::4]:7112)"
    )
    for address in table.addresses:
        parse_address(address)


def test_a_secure_table_is_joined_securely() -> None:
    table = read_table(SAID | {"tls": "1"}, ["10.0.0.4", "::1"], 443)
    assert table is not None
    assert table.addresses == ("wss://10.0.0.4:443", "wss://[::1]:443")


@pytest.mark.parametrize(
    ("addresses", "port"),
    [([], 7112), (["10.0.0.4"], None), (["10.0.0.4"], 0), (["fe80::1", "0.0.0.0", "ff02::fb"], 1)],
)
def test_an_announcement_of_no_use_is_passed_over(addresses: list[str], port: int | None) -> None:
    assert read_table(SAID, addresses, port) is None


def test_nothing_hostile_of_a_stranger_is_kept() -> None:
    evil = "evil\x1b[2J\u202e\n" + 400 * "x"
    table = read_table(dict.fromkeys(SAID, evil), ["10.0.0.4", "evil; rm"], 7112)
    assert table is not None
    for text in (table.id, table.name, table.version, table.protocol):
        assert text.startswith("evil[2J x")
        assert len(text) == 80
    assert table.addresses == ("10.0.0.4:7112",)
    empty = read_table({"name": None}, ["10.0.0.4"], 7112)
    assert empty is not None
    assert not empty.fits
    assert "speaks another protocol" in table_line(empty)


def test_no_table_is_told_with_what_to_do() -> None:
    (line,) = found_lines([])
    assert "cantstop host" in line
    assert "--server" in line


async def test_the_first_address_that_answers_is_taken() -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await answers(parse_address(f"127.0.0.1:{port}"))
        assert not await answers(parse_address("127.0.0.1:1"))
        table = Found("5e", "", "", "", ("127.0.0.1:1", f"127.0.0.1:{port}"))
        assert (await reachable(table)).port == port
    nowhere = Found("5e", "", "", "", ("127.0.0.1:1", "127.0.0.2:1"))
    assert str(await reachable(nowhere)) == "127.0.0.1:1"


async def test_where_multicast_is_not_possible_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setenv("CANTSTOP_MDNS_INTERFACES", "127.0.0.1")
    monkeypatch.setattr("zeroconf.asyncio.Zeroconf", fail)
    monkeypatch.setattr("zeroconf.Zeroconf", fail)
    with pytest.raises(ClientError, match=r"cannot be searched: .*Operation not permitted"):
        await find(0.01)


async def test_where_ipv6_is_not_possible_ipv4_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[list[str]] = []

    class OnlyV4(Zeroconf):
        def __init__(self, *, interfaces: list[str], ip_version: IPVersion) -> None:
            tried.append(interfaces)
            if ip_version is not IPVersion.V4Only:
                raise OSError(97, "Address family not supported by protocol")
            super().__init__(interfaces=interfaces, ip_version=ip_version)

    monkeypatch.setattr("zeroconf.Zeroconf", OnlyV4)
    async with multicast(["127.0.0.1", "fd00::4"]):
        pass
    assert tried == [["127.0.0.1", "fd00::4"], ["127.0.0.1"]]
    with pytest.raises(Unheard, match="Address family"):
        async with multicast(["fd00::4"]):
            pass


def test_find_prints_nothing_but_an_array_for_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data_directory: Path
) -> None:
    monkeypatch.setenv("CANTSTOP_MDNS_INTERFACES", "127.0.0.3")
    assert cli.run(["find", "--seconds", "0.01", "--json"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "61"])
def test_a_bad_time_is_told(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["find", "--seconds", seconds]) == 1
    assert "--seconds" in capsys.readouterr().err


def test_nobody_who_does_not_search_pays_for_it() -> None:
    program = (
        "import sys\n"
        "import cantstop_client.app, cantstop_client.hosting, cantstop_client.whereto\n"
        "import cantstop_client.menu, cantstop_client.announce\n"
        "print({'zeroconf', 'ifaddr'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stdout + done.stderr
