"""Lines of a log: parsed by programs, safe for terminals, silent about people."""

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from wire import connected, serving

from cantstop_protocol import commands, messages
from cantstop_server.logs import Formatter, set_up_logs

HOSTILE = 'a\x1b[2J\x07\x7f\x9b31m\u202e\u2028\nlevel=error "x"'


def record(message: str, *arguments: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("cantstop_server.net", 20, __file__, 1, message, arguments, None)
    made.created = 1_790_000_000.25
    vars(made).update(extra)
    return made


@pytest.fixture
def restored() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("cantstop_server")
    before = root.handlers[:], ours.level
    yield
    root.handlers[:] = before[0]
    ours.setLevel(before[1])


def test_a_line_is_keys_and_values() -> None:
    line = Formatter("text").format(
        record("room opened", room="BADOK", player=7, bye=None, busy=True, share=0.5)
    )
    assert line == (
        "time=2026-09-21T14:13:20.250Z level=info logger=cantstop_server.net"
        ' event="room opened" room=BADOK player=7 busy=true share=0.5'
    )


def test_a_line_of_json_has_the_same_keys() -> None:
    values = json.loads(Formatter("json").format(record("game %s", "over", room="BADOK", turns=9)))
    assert values == {
        "time": "2026-09-21T14:13:20.250Z",
        "level": "info",
        "logger": "cantstop_server.net",
        "event": "game over",
        "room": "BADOK",
        "turns": 9,
    }


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_line_is_one_line_of_plain_ascii_whatever_is_in_it(form: str) -> None:
    made = record("%s", HOSTILE, room=HOSTILE)
    try:
        raise ValueError(HOSTILE)
    except ValueError as error:
        made.exc_info = (ValueError, error, error.__traceback__)
    line = Formatter(form).format(made)  # type: ignore[arg-type]
    assert re.fullmatch(r"[ -~]+", line)
    assert "ValueError" in line


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_a_server_logs_has_ids_and_neither_names_nor_secrets(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, form: str
) -> None:
    import asyncio

    secrets = {
        "name": "Annabella",
        "token": "t0" * 20,
        "server": "hush-server",
        "room": "hush-room",
        "admin": "hush-admin-token-16",
        "chat": "what I say",
    }

    async def visit() -> str:
        async with (
            serving(
                tmp_path / "games.db", password=secrets["server"], admin_token=secrets["admin"]
            ) as server,
            connected(server.port) as ann,
        ):
            hello = {"name": secrets["name"], "token": secrets["token"], "instance": "0123456789"}
            await ann.do(commands.Hello, **hello, password="wrong " + secrets["server"])
            await ann.do(commands.Hello, **hello, password=secrets["server"])
            entered = await ann.create(seats=1, target=1, password=secrets["room"])
            assert isinstance(entered, messages.Entered)
            await ann.do(commands.Chat, text=secrets["chat"])
            await ann.do(commands.Admin, token=secrets["token"], action="status")
            await ann.do(commands.Admin, token=secrets["admin"], action="status")
            await ann.expect_ok(commands.Start(id=ann.next_id()))
            await ann.play_on()
            await ann.expect_ok(commands.Leave(id=ann.next_id()))
            return entered.table.room

    with caplog.at_level("DEBUG", logger="cantstop_server"):
        room = asyncio.run(visit())
    ours = [r for r in caplog.records if r.name.startswith("cantstop_server")]
    lines = [Formatter(form).format(r) for r in ours]  # type: ignore[arg-type]
    for secret in secrets.values():
        assert secret not in "\n".join(lines)
    told = {r.getMessage(): vars(r) for r in ours}
    for event in (
        "started",
        "connection opened",
        "identified",
        "room opened",
        "game started",
        "game finished",
        "admin",
        "admin refused: wrong token",
        "connection closed",
        "stopped",
    ):
        assert event in told
    assert told["room opened"]["room"] == room
    assert told["identified"]["player"] == 1
    assert told["connection closed"]["connection"] == told["connection opened"]["connection"]


def test_the_level_is_ours_and_others_speak_from_warnings_on(
    restored: None, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up_logs("info", "text")
    set_up_logs("info", "text")
    logging.getLogger("cantstop_server.rooms").info("ours")
    logging.getLogger("cantstop_server.rooms").debug("too fine")
    logging.getLogger("asyncio").info("theirs")
    logging.getLogger("asyncio").warning("their warning")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("event=ours")
    assert lines[1].endswith('event="their warning"')


def test_without_standard_error_nothing_is_written_and_nothing_fails(
    restored: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up_logs("info", "json")
    monkeypatch.setattr("sys.stderr", None)
    logging.getLogger("cantstop_server").error("nobody hears this")
