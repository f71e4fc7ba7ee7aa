"""Health and numbers on the server's port, for monitoring."""

import asyncio
import re
import socket
import sqlite3
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from plain_http import get
from prometheus_client.parser import text_string_to_metric_families
from websockets.asyncio.client import connect
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol
from wire import SECONDS, connected, serving

from cantstop_protocol import commands, messages
from cantstop_protocol.codec import COMMANDS, encode
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.limits import SUBPROTOCOL
from cantstop_server.config import Limits
from cantstop_server.net.pages import is_local
from cantstop_server.net.prometheus import PrometheusMetrics

TOKEN = "the host's own token"


async def numbers(port: int) -> dict[str, float]:
    """Every sample by name and labels."""
    answer = await get(port, "/metrics")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        sample.name + "".join(f" {value}" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.body)
        for sample in family.samples
    }


async def test_a_game_is_counted_from_its_commands_to_its_end(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server:
        before = await numbers(server.port)
        assert before["cantstop_rooms waiting"] == 0
        assert before["cantstop_games_started_total"] == 0
        assert before["cantstop_refusals_total stale"] == 0
        async with connected(server.port, "Ann") as ann:
            await ann.create(seats=1, target=1)
            await ann.expect_ok(commands.Start(id=ann.next_id()))
            assert (await numbers(server.port))["cantstop_rooms playing"] == 1
            assert isinstance(await ann.do(commands.Roll, ply=999), messages.Error)
            assert isinstance(await ann.do(commands.Stop, ply=0), messages.Error)
            await ann.websocket.send(b"nonsense")
            await ann.reply_to(None)
            await ann.play_on()
            after = await numbers(server.port)
    assert after["cantstop_connections"] == 1
    assert after["cantstop_rooms over"] == 1
    assert after["cantstop_rooms playing"] == 0
    for name in ("games_started", "games_finished"):
        assert after[f"cantstop_{name}_total"] == 1
    assert after["cantstop_games_abandoned_total"] == 0
    for command in ("hello", "create", "start"):
        assert after[f"cantstop_commands_total {command}"] == 1
    assert after["cantstop_commands_total roll"] >= 2
    assert after["cantstop_refusals_total stale"] == 1
    assert after["cantstop_refusals_total malformed"] == 1
    assert after["cantstop_refusals_total not_allowed"] == 1
    assert after["cantstop_journal_failures_total"] == 0
    groups = after["cantstop_journal_group_seconds_count"]
    assert 0 < groups <= after["cantstop_journal_writes_total"]
    assert after["cantstop_slow_readers_cut_total"] == 0


async def test_the_numbers_name_nobody(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Annabella") as ann:
        entered = await ann.create(seats=1)
        assert isinstance(entered, messages.Entered)
        body = (await get(server.port, "/metrics")).body
    assert "Annabella" not in body
    assert entered.table.room not in body
    assert set(re.findall(r"(\w+)=", body)) == {"phase", "command", "code", "le"}


async def test_a_healthy_server_says_so_and_others_are_told_what_this_is(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server:
        answer = await get(server.port, "/healthz?verbose")
        assert (answer.status, answer.body) == (200, "ok\n")
        assert (await get(server.port, "/")).status == 426
        assert (await get(server.port, "/healthz/../metrics")).status == 426


async def test_a_draining_server_is_not_to_be_sent_anyone(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port) as host,
    ):
        await host.do(commands.Admin, token=TOKEN, action="drain")
        answer = await get(server.port, "/healthz")
        assert (answer.status, answer.body) == (503, "draining\n")


async def test_health_follows_the_database_down_and_up_again_without_anybody_writing(
    tmp_path: Path,
) -> None:
    database = tmp_path / "games.db"
    async with serving(database) as server, connected(server.port, "Ann") as ann:
        other = sqlite3.connect(database, isolation_level=None)
        try:
            other.execute("BEGIN IMMEDIATE")
            assert isinstance(await ann.create(seats=1), messages.Error)
            answer = await get(server.port, "/healthz")
            assert answer.status == 503
            assert "database" in answer.body
            assert (await numbers(server.port))["cantstop_journal_failures_total"] == 1
            other.execute("ROLLBACK")
        finally:
            other.close()
        async with asyncio.timeout(SECONDS):
            while (await get(server.port, "/healthz")).status != 200:
                pass


@pytest.mark.parametrize("public", [False, True])
async def test_only_this_machine_is_answered_unless_the_host_wants_it(
    tmp_path: Path, public: bool
) -> None:
    async with serving(tmp_path / "games.db", metrics_public=public) as server:
        for path in ("/healthz", "/metrics"):
            answer = await get(server.port, path, X_Forwarded_For="203.0.113.9")
            assert answer.status == (200 if public else 403)


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("192.168.1.4", False),
        ("::ffff:192.168.1.4", False),
        ("fe80::1%eth0", False),
        ("2001:db8::1", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_which_addresses_are_this_machine(address: str, local: bool) -> None:
    assert is_local(address, Headers()) is local
    assert not is_local(address, Headers({"Forwarded": "for=192.0.2.60"}))


async def test_monitoring_is_answered_by_a_full_server(tmp_path: Path) -> None:
    limits = Limits(connections=1)
    async with (
        serving(tmp_path / "games.db", limits=limits) as server,
        connected(server.port, "Ann"),
    ):
        assert (await get(server.port, "/healthz")).status == 200
        assert (await numbers(server.port))["cantstop_connections"] == 1


async def test_the_lag_of_the_loop_is_measured(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db") as server, asyncio.timeout(SECONDS):
        while not (await numbers(server.port))["cantstop_event_loop_lag_seconds_count"]:
            pass


async def test_who_does_not_read_is_cut_counted_and_logged_without_a_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    limits = Limits(
        command_rate=1e9,
        command_burst=10**9,
        list_rate=1e9,
        list_burst=10**9,
        buffered_bytes=16_384,
    )
    async with serving(tmp_path / "games.db", limits=limits) as server:
        async with connected(server.port, "Ann") as ann:
            await ann.create(seats=4, bots=["keller"] * 3)
        deaf = socket.socket()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", server.port))
        websocket = await connect(
            f"ws://127.0.0.1:{server.port}",
            sock=deaf,
            max_queue=1,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
        )
        hello = commands.Hello(id=1, name="Benedict", token="b" * 40, instance="0123456789")
        with suppress(ConnectionClosed):
            async with asyncio.timeout(SECONDS):
                await websocket.send(encode(hello))
                for id in count(2):
                    await websocket.send(encode(commands.ListRooms(id=id)))
        found = await numbers(server.port)
    assert found["cantstop_slow_readers_cut_total"] == 1
    assert found["cantstop_connections"] == 0
    assert "does not read" in caplog.text
    assert "Benedict" not in caplog.text


def test_every_command_and_every_code_can_be_counted() -> None:
    metrics = PrometheusMetrics(lambda: 0, dict)
    for kind in COMMANDS.values():
        metrics.command(kind)
    for code in ErrorCode:
        if code is not ErrorCode.UNKNOWN:
            metrics.refused(code)
    metrics.slow_reader()
    assert "cantstop_slow_readers_cut_total 1.0" in metrics.text()
