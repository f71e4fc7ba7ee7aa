"""``cantstop admin``: whom it trusts, and its reports."""

from pathlib import Path

import pytest
from wire import serving

from cantstop_client.address import parse_address
from cantstop_client.admin import Access, access, ask, report_lines
from cantstop_client.errors import ClientError
from cantstop_protocol.messages import AdminReport, Presence, ServerStatus
from cantstop_protocol.text import cells
from cantstop_server.net import admin_file

TLS = Path(__file__).parents[1] / "data" / "tls"
CERT, KEY = str(TLS / "localhost.crt"), str(TLS / "localhost.key")
TOKEN = "the host's own token"
FOUND = ("t" * 43, "wss://127.0.0.1:7112/", "f" * 64)


def test_the_certificate_that_was_found_counts_for_the_address_that_was_found() -> None:
    assert access(None, None, None, FOUND) == Access(
        parse_address(FOUND[1]), FOUND[0], None, FOUND[2]
    )
    assert access("wss://elsewhere", None, None, FOUND).fingerprint == ""
    assert access(None, TOKEN, None, None).fingerprint == ""


async def test_the_very_certificate_of_the_file_is_trusted_whatever_name_it_has(
    tmp_path: Path,
) -> None:
    right = admin_file.fingerprint(CERT)
    assert len(right) == 64
    async with serving(
        tmp_path / "games.db", admin_token=TOKEN, bind="127.0.0.2", tls_cert=CERT, tls_key=KEY
    ) as server:
        address = parse_address(f"wss://127.0.0.2:{server.port}")
        report = await ask(Access(address, TOKEN, None, right), "status")
        assert report.status.name == "test table"
        with pytest.raises(ClientError, match="not the server"):
            await ask(Access(address, TOKEN, None, "0" * 64), "status")
        with pytest.raises(ClientError, match="certificate"):
            await ask(Access(address, TOKEN, CERT), "status")


def test_wide_names_keep_the_list_of_people_straight() -> None:
    status = ServerStatus(
        name="",
        software="",
        uptime=0,
        connections=2,
        players=2,
        rooms=0,
        games=0,
        draining=False,
        database=True,
    )
    names = ("Ann", "\u6f22\u5b57\u540d", "e\u0301a")
    players = tuple(Presence(n, name, None, "127.0.0.1") for n, name in enumerate(names))
    lines = report_lines("players", AdminReport(re=1, status=status, players=players))
    assert {cells(line) for line in lines} == {cells(lines[0])}
