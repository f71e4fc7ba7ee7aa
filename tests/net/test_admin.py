"""The host of a running server: looking around, stepping in, draining; and who is no host."""

import asyncio
import hashlib
import ssl
import stat
from pathlib import Path
from typing import Any, cast

import pytest
from wire import SECONDS, WireClient, connected, serving

from cantstop_protocol import commands, events, messages
from cantstop_protocol.codec import encode
from cantstop_protocol.codes import ByeCode, ErrorCode, ExitCode
from cantstop_server.config import ServerConfig
from cantstop_server.errors import ServerError
from cantstop_server.net import admin_file
from cantstop_server.net import watch as watch_module
from cantstop_server.net.admin import Administration, Health
from cantstop_server.net.metrics import Metrics
from cantstop_server.net.server import Server
from cantstop_server.net.watch import Watch
from cantstop_server.storage.errors import DatabaseFault, StorageError

TOKEN = "the host's own token"


async def admin(client: WireClient, action: str, **fields: Any) -> messages.AdminReport:
    reply = await client.do(commands.Admin, token=TOKEN, action=action, **fields)
    assert isinstance(reply, messages.AdminReport), reply
    return reply


async def refusal(client: WireClient, kind: Any, **fields: Any) -> ErrorCode:
    reply = await client.do(kind, **fields)
    assert isinstance(reply, messages.Error), reply
    return reply.code


async def room_of(client: WireClient, **options: Any) -> str:
    entered = await client.create(**options)
    assert isinstance(entered, messages.Entered), entered
    return entered.table.room


async def test_the_host_sees_rooms_and_players_without_saying_hello(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben"),
        connected(server.port) as host,
    ):
        code = await room_of(ann, seats=2)
        status = (await admin(host, "status")).status
        assert (status.name, status.connections, status.players) == ("test table", 3, 2)
        assert (status.rooms, status.games) == (1, 0)
        assert status.database
        assert not status.draining
        report = await admin(host, "rooms")
        assert [(room.room, room.names) for room in report.rooms] == [(code, ("Ann",))]
        assert report.players == ()
        report = await admin(host, "players")
        assert {(p.name, p.room, p.address) for p in report.players} == {
            ("Ann", code, "127.0.0.1"),
            ("Ben", None, "127.0.0.1"),
        }


@pytest.mark.parametrize("token", ["", "x" * 43, TOKEN + " ", TOKEN[:-1], "\u00e9" * 20])
async def test_a_wrong_token_has_no_effect(tmp_path: Path, token: str) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port) as stranger,
    ):
        code = await room_of(ann, seats=1)
        for action in ("status", "rooms", "players", "drain", "broadcast", "kick", "close"):
            refused = await refusal(
                stranger,
                commands.Admin,
                token=token,
                action=action,
                room=code,
                name="Ann",
                text="hello",
            )
            assert refused is ErrorCode.NOT_ADMIN
        assert isinstance(await ann.do(commands.Start), messages.Ok)
        assert not ann.heard or all(isinstance(m, messages.Update) for m in ann.heard)


async def test_the_token_that_a_server_makes_is_the_owners_alone_and_goes_with_it(
    tmp_path: Path,
) -> None:
    database = tmp_path / "games.db"
    path = admin_file.admin_file(str(database))
    assert path == tmp_path / "games.db.admin"
    path.write_text("left behind by a server that was killed")
    tokens = set()
    for _ in range(2):
        async with serving(database) as server, connected(server.port) as host:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            token, url, fingerprint = admin_file.read(path)
            tokens.add(token)
            assert url == f"ws://127.0.0.1:{server.port}/"
            assert fingerprint == ""
            reply = await host.do(commands.Admin, token=token, action="status")
            assert isinstance(reply, messages.AdminReport)
            assert await refusal(host, commands.Admin, token="", action="status") is (
                ErrorCode.NOT_ADMIN
            )
        assert [file.name for file in tmp_path.glob("*.admin*")] == []
    assert len(tokens) == 2


@pytest.mark.parametrize("more", [{"private": True}, {"admin_token": TOKEN}])
async def test_no_token_is_written_for_a_private_game_or_beside_a_chosen_one(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    async with serving(tmp_path / "games.db", **more) as server, connected(server.port) as host:
        assert [file.name for file in tmp_path.glob("*.admin*")] == []
        if "private" in more:
            assert await refusal(host, commands.Admin, token="", action="status") is (
                ErrorCode.NOT_ADMIN
            )


async def test_what_a_killed_server_left_goes_when_a_token_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "games.db.admin"
    path.write_text("left behind by a server that was killed")
    async with serving(tmp_path / "games.db", admin_token=TOKEN):
        assert not path.exists()


async def test_a_private_game_leaves_the_word_of_a_running_server_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.db.admin"
    path.write_text("left by a server that runs")
    async with serving(tmp_path / "games.db", private=True):
        pass
    assert path.exists()


async def test_a_server_that_cannot_leave_its_token_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "games.db.admin").mkdir()
    with pytest.raises(ServerError, match="admin"):
        async with Server(ServerConfig(database=str(tmp_path / "games.db"), port=0)):
            pass
    (tmp_path / "games.db.admin").rmdir()
    async with serving(tmp_path / "games.db") as server, connected(server.port, "Ann"):
        pass  # and it has let go of the database


@pytest.mark.parametrize("database", ["postgresql+asyncpg://x/y", "mysql://z"])
def test_a_database_elsewhere_has_no_file_for_the_token(database: str) -> None:
    assert admin_file.admin_file(database) is None


async def test_a_broadcast_reaches_everyone_as_one_safe_line(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
        connected(server.port) as host,
    ):
        await room_of(ann, seats=1)
        report = await admin(host, "broadcast", text="back\x1b[2J in\nfive\u202e minutes")
        assert report.told == 2
        for person in (ann, ben):
            notice = await person.wait_for(messages.Notice)
            assert notice.message == "from the host: back[2J in five minutes"
        for text in ("", " \u200b", "x" * 500):
            code = await refusal(host, commands.Admin, token=TOKEN, action="broadcast", text=text)
            assert code is ErrorCode.BAD_TEXT


async def test_who_is_kicked_off_the_server_is_told_and_the_seat_is_held(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
        connected(server.port) as host,
    ):
        code = await room_of(ann, seats=2)
        await ben.join(code)
        await admin(host, "kick", name=" BEN".strip())
        assert (await ben.wait_for(messages.Bye)).code is ByeCode.KICKED
        table = await ann.until(lambda t: bool(t.seats[1] and t.seats[1].away))
        assert table.seats[1] is not None
        for name in ("Cat", "", "Ben"):
            code_ = await refusal(host, commands.Admin, token=TOKEN, action="kick", name=name)
            assert code_ is ErrorCode.NOT_ALLOWED


async def test_who_is_kicked_out_of_a_room_stays_connected_and_stays_out(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
        connected(server.port) as host,
    ):
        code = await room_of(ann, seats=2)
        await ben.join(code)
        await admin(host, "kick", name="ann", room=code.lower())
        assert (await ann.wait_for(messages.Exit)).code is ExitCode.KICKED
        table = await ben.until(lambda t: t.seats[0] is None)
        assert table.creator == "Ben"
        assert isinstance(again := await ann.join(code), messages.Error)
        assert again.code is ErrorCode.NOT_ADMITTED
        nobody = {"token": TOKEN, "action": "kick", "name": "Cat"}
        assert await refusal(host, commands.Admin, room=code, **nobody) is ErrorCode.NOT_ALLOWED
        assert await refusal(host, commands.Admin, room="ZZZZZ", **nobody) is (
            ErrorCode.NO_SUCH_ROOM
        )


async def test_a_room_that_is_closed_is_gone_and_its_game_abandoned(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port) as host,
    ):
        code = await room_of(ann, seats=1)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        report = await admin(host, "close", room=code)
        assert (report.status.rooms, report.status.games) == (0, 0)
        assert (await ann.wait_for(messages.Exit)).code is ExitCode.ROOM_CLOSED
        abandoned, revealed = ann.updates[-2:]
        assert isinstance(abandoned.event, events.Abandoned)
        assert isinstance(revealed.event, events.Revealed)
        assert await room_of(ann, seats=1) != code


async def test_a_drain_lets_the_running_games_end_and_none_begin(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port, "Ben") as ben,
        connected(server.port) as host,
    ):
        await room_of(ann, seats=1, target=1)
        start = commands.Start(id=ann.next_id())
        await ann.expect_ok(start)
        await room_of(ben, seats=1)
        report = await admin(host, "drain")
        assert (report.told, report.status.games) == (2, 1)
        assert report.status.draining
        for person in (ann, ben):
            assert "last game" in (await person.wait_for(messages.Notice)).message
        assert (await admin(host, "drain")).told == 0
        # What was accepted before is answered as before; what is new is refused.
        await ann.expect_ok(start)
        assert await refusal(ben, commands.Start) is ErrorCode.SHUTTING_DOWN
        assert await refusal(ben, commands.Rematch) is ErrorCode.SHUTTING_DOWN
        await ben.expect_ok(commands.Leave(id=ben.next_id()))
        assert await refusal(ben, commands.Create) is ErrorCode.SHUTTING_DOWN
        async with connected(server.port, "Cat") as cat:
            assert "last game" in (await cat.wait_for(messages.Notice)).message
        assert not server.drained.is_set()
        assert (await ann.play_on()).phase == "over"
        async with asyncio.timeout(SECONDS):
            await server.drained.wait()
        assert await refusal(ann, commands.Rematch) is ErrorCode.SHUTTING_DOWN


async def test_a_drain_without_a_game_is_over_at_once(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port) as host,
    ):
        await room_of(ann, seats=2)
        await admin(host, "drain")
        assert server.drained.is_set()


async def test_closing_the_last_room_with_a_game_ends_a_drain(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port, "Ann") as ann,
        connected(server.port) as host,
    ):
        code = await room_of(ann, seats=1)
        await ann.expect_ok(commands.Start(id=ann.next_id()))
        await admin(host, "drain")
        await admin(host, "close", room=code)
        async with asyncio.timeout(SECONDS):
            await server.drained.wait()


async def test_a_malformed_admin_command_is_refused_like_any_other(tmp_path: Path) -> None:
    async with (
        serving(tmp_path / "games.db", admin_token=TOKEN) as server,
        connected(server.port) as host,
    ):
        frame = encode(commands.Admin(id=7, token=TOKEN, action="status"))
        await host.websocket.send(frame.replace(b"status", b"sudoku"))
        reply = await host.reply_to(7)
        assert isinstance(reply, messages.Error)
        assert reply.code is ErrorCode.MALFORMED


async def test_a_server_with_a_password_lets_in_only_who_knows_it(tmp_path: Path) -> None:
    def hello(**more: Any) -> dict[str, Any]:
        return {"name": "Ann", "token": "a" * 64, "instance": "0123456789"} | more

    async with (
        serving(tmp_path / "games.db", password="s\u00e9same") as server,
        connected(server.port) as ann,
    ):
        assert ann.greeting.password
        for wrong in ({}, {"password": "sesame"}, {"password": "s\u00e9same "}):
            code = await refusal(ann, commands.Hello, **hello(**wrong))
            assert code is ErrorCode.BAD_PASSWORD
        assert await refusal(ann, commands.ListRooms) is ErrorCode.NOT_IDENTIFIED
        welcome = await ann.do(commands.Hello, **hello(password="s\u00e9same"))
        assert isinstance(welcome, messages.Welcome)
    async with serving(tmp_path / "games.db") as server, connected(server.port) as ann:
        assert not ann.greeting.password
        welcome = await ann.do(commands.Hello, **hello(password="whatever"))
        assert isinstance(welcome, messages.Welcome)


def test_the_file_names_the_certificate_if_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "games.db.admin"
    cert = Path(__file__).parents[1] / "data" / "tls" / "localhost.crt"
    fingerprint = admin_file.fingerprint(str(cert))
    assert fingerprint == (hashlib.sha256(ssl.PEM_cert_to_DER_cert(cert.read_text())).hexdigest())
    for access in (
        admin_file.AdminAccess(TOKEN.replace(" ", "-"), "wss://127.0.0.1:7112/", fingerprint),
        admin_file.AdminAccess(TOKEN.replace(" ", "-"), "ws://127.0.0.1:7112/"),
    ):
        admin_file.write(path, access)
        assert admin_file.read(path) == access
    assert admin_file.fingerprint(str(tmp_path / "none.crt")) == ""


def test_a_home_that_nobody_has_is_said_in_words() -> None:
    with pytest.raises(ServerError, match="no such home folder"):
        admin_file.admin_file("~no-such-user/games.db")


def watch_with(health: Health, metrics: Metrics) -> Watch:
    async def check() -> None:
        raise AssertionError("nobody asked")

    return Watch(metrics, health, cast("Administration", None), check)


async def test_only_a_fault_of_the_database_makes_it_unhealthy() -> None:
    health = Health()
    watch = watch_with(health, Metrics())
    watch.wrote(1, 0.0, StorageError("one room's data"))
    assert health.trouble == ""
    watch.wrote(1, 0.0, DatabaseFault("the disk is full"))
    assert health.trouble
    watch.wrote(1, 0.0, StorageError("one room's data"))
    assert health.trouble
    watch.wrote(1, 0.0, None)
    assert health.trouble == ""


async def test_a_watch_that_died_is_logged_and_keeps_nobody_from_ending(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    died = asyncio.Event()

    class Broken(Metrics):
        def loop_lag(self, seconds: float) -> None:
            died.set()
            raise RuntimeError("a fault of ours")

    monkeypatch.setattr(watch_module, "INTERVAL", 0.0)
    watch = watch_with(Health(), Broken())
    watch.start()
    async with asyncio.timeout(SECONDS):
        await died.wait()
    await watch.stop()
    (record,) = caplog.records
    assert record.exc_info is not None
    assert "a fault of ours" in str(record.exc_info[1])
