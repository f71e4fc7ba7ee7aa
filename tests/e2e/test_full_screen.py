"""The full screen as a person meets it: a real pseudo-terminal, read through an emulator."""

import json
import os
import re
import signal
import socket
import sys
import time
from pathlib import Path

import pytest
from program import COMMAND, SECONDS, hosting, run, terminal
from screens import Screen, full_screen

COUNT = re.compile(r"Rule of 28: (\d+)|28: (\d+)")


def count_of(screen: Screen) -> int:
    """The Rule of 28 count on the screen."""
    found = COUNT.search(screen.text)
    return int(found[1] or found[2]) if found else 0


def decision(screen: Screen) -> str:
    """The line that says what is up."""
    return screen.lines[-2].strip()


def act(screen: Screen) -> bool:
    """Make one move when it is one's turn; False when the game is over."""
    screen.until(
        lambda: "YOUR TURN" in decision(screen) or "WINS" in decision(screen), "a decision"
    )
    said = decision(screen)
    if "WINS" in said:
        return False
    if screen.typed != ">":
        # A key that came when the turn had just passed on is the beginning of a text.
        screen.type("\x15")
        screen.until(lambda: screen.typed == ">", "an empty line")
    key = "s" if "s stops" in said and count_of(screen) >= 20 else "r"
    if "option" in said:
        key = "1"
    before = screen.text
    screen.type(key)
    screen.until(lambda: screen.text != before, f"an answer to {key}")
    return True


def test_a_whole_game_with_all_that_disturbs_it(tmp_path: Path) -> None:
    """Resizes, chat that arrives while one types, a paste, and a server that dies and returns."""
    ann_home, ben_home = tmp_path / "ann", tmp_path / "ben"
    database = str(tmp_path / "games.db")
    with hosting(tmp_path, "--database", database) as host:
        port = host.port
        with (
            full_screen(ann_home, "join", "--server", host.address, "--name", "Ann") as ann,
            terminal(ben_home, "join", "--server", host.address, "--name", "Ben") as ben,
        ):
            ann.shows("/create opens a room")
            ann.type("/create Friday seats=2 target=2\r")
            ann.shows("Room ")
            ann.until(lambda: "Room" in ann.lines[0], "a room")
            code = re.search(r"Room ([A-Z]{5})", ann.lines[0])[1]
            ann.type("/bot keller\r")
            ann.shows("keller sits down as B")
            ben.sendline(f"/watch {code}")
            ann.shows("Ben watches")
            ann.type("/watchers merged\r")
            ann.shows("merged")
            ann.type("/start\r")
            for _ in range(4):
                assert act(ann)

            # Chat while typing, and a resize: the half-typed line stays.
            ann.type(" half a thought")
            ben.sendline("hello Ann")
            ann.shows("Ben: hello Ann")
            for rows, columns in ((40, 120), (20, 60), (10, 30), (24, 80)):
                ann.resize(rows, columns)
                ann.until(lambda: ann.typed.endswith("half a thought"), "the typed text")
                if rows < 20:
                    ann.shows("60x20")
                else:
                    ann.until(lambda: "Friday" in ann.lines[0], "the new size")
            assert b"\x07" in re.sub(rb"\x1b\]2;[^\x07]*\x07", b"", ann.raw), "no bell rang"

            # Ten lines are pasted behind it: one line of text, and nothing is done.
            seen = ann.lines[1:17]
            ann.paste("r\n1\ns\n/leave\nr\n1\ns\nr\n1\n/resign\n")
            ann.until(lambda: ann.typed.endswith("/resign"), "the pasted text")
            ann.settle()
            assert ann.lines[1:15] == seen[:14]
            assert "Friday" in ann.lines[0]
            ann.type("\x15")
            ann.until(lambda: ann.typed == ">", "an empty line")

            # The same without bracketed paste: keys that come all at once.
            ann.type("r\r1\rs\rr\r1\rs\rr\r1\rs\rr\r")
            ann.until(lambda: "r 1 s" in ann.typed, "the pasted text")
            ann.settle()
            assert ann.lines[1:15] == seen[:14]
            ann.type("\x15")
            ann.until(lambda: ann.typed == ">", "an empty line")

            assert act(ann)
            ann.type(" kept")
            host.process.kill()
            host.process.wait()
            ann.shows("Connection lost")
            assert "OFFLINE" in ann.lines[0]
            with hosting(tmp_path, "--database", database, port=port):
                ann.until(lambda: "OFFLINE" not in ann.lines[0], "the connection")
                ann.shows("Connected again")
                assert ann.typed == ">  kept"
                ann.type("\x15")
                ann.until(lambda: ann.typed == ">", "an empty line")
                while act(ann):
                    pass
                ann.shows("wins the game")
                ann.type("/quit\r")
                assert ann.ended() == 0
            ben.close(force=True)
    listed = json.loads(run(tmp_path, "history", "--json", "--database", database).stdout)
    assert [game["status"] for game in listed] == ["finished"]


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("\x04", 0)], ids=["Ctrl-C", "Ctrl-D"])
@pytest.mark.parametrize("where", ["", "?", "/rules\r", "/odds\r", "\x06", " half"])
def test_leaving_takes_less_than_a_second_from_everywhere(
    tmp_path: Path, keys: str, code: int, where: str
) -> None:
    with full_screen(tmp_path, "play", "--bots", "", "--name", "Ann") as screen:
        screen.shows("YOUR TURN")
        before = screen.text
        screen.type(where)
        if where:
            screen.until(lambda: screen.text != before, where)
        start = time.monotonic()
        screen.type(keys)
        assert screen.ended() == code
        assert time.monotonic() - start < 5
        assert "Traceback" not in screen.text


def test_leaving_a_screen_that_is_too_small(tmp_path: Path) -> None:
    with full_screen(tmp_path, "play", "--bots", "", "--name", "Ann", size=(6, 20)) as screen:
        screen.shows("This window is")
        screen.type("\x03")
        assert screen.ended() == 130


def test_leaving_from_the_lobby_and_while_the_server_is_gone(tmp_path: Path) -> None:
    with hosting(tmp_path, "--database", str(tmp_path / "games.db")) as host:
        with full_screen(tmp_path / "ann", "join", "--server", host.address) as screen:
            screen.shows("/create opens a room")
            screen.type("\x03")
            assert screen.ended() == 130
        with full_screen(tmp_path / "ann", "join", "--server", host.address) as screen:
            screen.shows("/create opens a room")
            host.process.kill()
            screen.shows("Connection lost")
            screen.type("\x04")
            assert screen.ended() == 0


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("\x04", 0)], ids=["Ctrl-C", "Ctrl-D"])
def test_leaving_while_a_server_says_nothing(tmp_path: Path, keys: str, code: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        mute.settimeout(SECONDS)
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        with full_screen(tmp_path, "join", "--server", address, "--name", "Ann") as screen:
            peer, _ = mute.accept()
            start = time.monotonic()
            screen.type(keys)
            assert screen.ended() == code
            assert time.monotonic() - start < 5
            assert "Traceback" not in screen.text
            peer.close()


def shell(tmp_path: Path, command: str, **more: str):
    """The terminal's settings before and after a command, in one shell on one terminal."""
    return full_screen(
        tmp_path,
        "-c",
        f"stty -a > {tmp_path}/before; {command}; echo code $?; stty -a > {tmp_path}/after; "
        "echo all done",
        command="/bin/sh",
        **more,
    )


CRASH = """
import pathlib, sys
from cantstop_client import cli
from cantstop_client.fullscreen import {module}

original = {module}.{name}

def broken(*arguments, **named):
    if {at_once} or pathlib.Path(sys.argv[1]).exists():
        raise RuntimeError("the picture is broken")
    return original(*arguments, **named)

{module}.{name} = broken
cli.main(["play", "--bots", "", "--name", "Ann"])
"""


@pytest.mark.parametrize(
    ("module", "name", "at_once"),
    [
        ("face", "render", True),
        ("face", "render", False),
        ("toolkit", "paint", True),
        ("toolkit", "paint", False),
        ("face", "read_line", False),
        ("face", "unfit_lines", False),
        ("face", "listened", False),
    ],
)
def test_after_a_crash_the_terminal_is_as_it_was(
    tmp_path: Path, module: str, name: str, at_once: bool
) -> None:
    script, now = tmp_path / "crash.py", tmp_path / "now"
    script.write_text(CRASH.format(module=module, name=name, at_once=at_once))
    with shell(tmp_path, f"{sys.executable} {script} {now}") as screen:
        if not at_once:
            screen.shows("YOUR TURN")
            now.touch()
            # A key that acts, so that the server answers, and a line.
            screen.type("r")
            screen.settle()
            screen.type(" a")
            screen.settle()
            screen.type("\r")
        screen.shows("all done")
        assert "code 1" in screen.text
        assert "the picture is broken" in screen.text
        assert "Traceback" not in screen.text
        assert screen.raw.count(b"\x1b[?1049h") == screen.raw.count(b"\x1b[?1049l")
        assert screen.raw.count(b"\x1b[?2004h") <= screen.raw.count(b"\x1b[?2004l")
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    script, pid = tmp_path / "signalled.py", tmp_path / "pid"
    script.write_text(
        "import os, pathlib\n"
        "from cantstop_client import cli\n"
        f"pathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\n"
        "cli.main(['play', '--bots', '', '--name', 'Ann'])\n"
    )
    with shell(tmp_path, f"{sys.executable} {script}") as screen:
        screen.shows("YOUR TURN")
        os.kill(int(pid.read_text()), number)
        screen.shows("all done")
        assert f"code {128 + number}" in screen.text
        assert "Traceback" not in screen.text
        assert b"\x1b[?1049l" in screen.raw
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()


def test_the_keys_and_pages_of_a_turn(tmp_path: Path) -> None:
    with full_screen(tmp_path, "play", "--bots", "", "--name", "Ann") as screen:
        screen.shows("r rolls")
        assert "YOUR TURN" in screen.title
        screen.type("\r\r")
        screen.settle()
        assert "r rolls" in decision(screen), "Enter decides nothing"
        screen.type("s")
        screen.shows("Stopping comes after the first roll")
        screen.type("?")
        screen.shows("/resign")
        assert "/create" not in screen.text, "what makes no sense now is not listed"
        screen.type("r")
        screen.until(lambda: "/resign" not in screen.text, "the page to close")
        assert "r rolls" in decision(screen), "a key behind a page decides nothing"
        screen.type("/rules\r")
        screen.shows("Be the first to claim three columns")
        screen.type("\x1b")
        screen.type("/odds\r")
        screen.shows("2-3-12")
        screen.type("\x1b[6~\x1b[6~\x1b")
        screen.until(lambda: "2-3-12" not in screen.text, "the page to close")
        screen.type("/ru\t")
        screen.until(lambda: screen.typed == "> /rules", "the completed command")
        screen.type("\x15r")
        screen.shows("option")
        screen.until(lambda: "\u25cc" in screen.text, "a preview on the board")
        screen.type("1")
        screen.until(lambda: "s stops" in decision(screen), "the next decision")
        screen.type("\x06takes")
        screen.shows("1 of 1")
        screen.type("\x1b")
        screen.until(lambda: screen.typed == ">", "an empty line")
        screen.type("\x04")
        assert screen.ended() == 0


def test_lines_are_kept_across_runs_but_no_password(tmp_path: Path) -> None:
    with full_screen(tmp_path, "play", "--bots", "", "--name", "Ann") as screen:
        screen.shows("YOUR TURN")
        screen.type("/join ABCDE sesame\r")
        # Lines that come all at once are a pasted block.
        screen.settle()
        screen.type("/who\r")
        screen.shows("A Ann (you")
        screen.type("\x04")
        assert screen.ended() == 0
    kept = (tmp_path / "history").read_text()
    assert "/who" in kept
    assert "sesame" not in kept
    with full_screen(tmp_path, "play", "--bots", "", "--name", "Ann") as screen:
        screen.shows("YOUR TURN")
        screen.type("\x1b[A")
        screen.until(lambda: screen.typed == "> /who", "the line of the last run")
        screen.type("\x03")
        assert screen.ended() == 130


@pytest.mark.parametrize(
    "environment", [{"LC_ALL": "C", "NO_COLOR": "1"}, {"TERM": "xterm", "NO_COLOR": "1"}]
)
def test_without_colour_or_unicode(tmp_path: Path, environment: dict[str, str]) -> None:
    with full_screen(tmp_path, "play", "--bots", "", "--name", "Ann", **environment) as screen:
        screen.shows("YOUR TURN")
        screen.type("r")
        screen.shows("option")
        screen.type("\x04")
        assert screen.ended() == 0
        colours = re.findall(rb"\x1b\[([0-9;]*)m", screen.raw)
        assert {code for code in colours if code.strip(b"0;")} == set()
        if environment.get("LC_ALL") == "C":
            assert max(screen.raw) <= 0x7E


def test_a_dumb_terminal_gets_lines(tmp_path: Path) -> None:
    with full_screen(tmp_path, "play", "--bots", "", "--name", "Ann", TERM="dumb") as screen:
        screen.shows("r to roll;")
        assert b"\x1b" not in screen.raw
        screen.type("\x04")
        assert screen.ended() == 0


def test_an_option_is_taken_by_a_click_if_the_mouse_is_wanted(tmp_path: Path) -> None:
    with full_screen(tmp_path, "play", "--bots", "", "--name", "Ann", "--mouse") as screen:
        screen.shows("YOUR TURN")
        screen.type("r")
        screen.shows(" takes ")
        row = next(i for i, line in enumerate(screen.lines, 1) if "1) " in line)
        column = screen.lines[row - 1].index("1) ") + 1
        screen.type(f"\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m")
        screen.until(lambda: "s stops" in decision(screen), "the next decision")
        screen.type("\x04")
        assert screen.ended() == 0
    with full_screen(tmp_path, "play", "--bots", "", "--name", "Ann") as screen:
        screen.shows("YOUR TURN")
        assert b"\x1b[?1000h" not in screen.raw
        screen.type("\x04")
        assert screen.ended() == 0


def test_a_game_that_runs_by_itself_ends_by_itself_and_leaves_its_result(tmp_path: Path) -> None:
    arguments = ("play", "--auto", "--bots", "keller", "--target", "1", "--bot-delay", "0.01")
    with shell(tmp_path, " ".join([COMMAND, *arguments, "--name", "Ann"])) as screen:
        screen.shows("all done")
        assert b"\x1b[?1049l" in screen.raw
        behind = screen.raw.rpartition(b"\x1b[?1049l")[2].decode()
        assert "wins the game after" in behind
        assert "Columns claimed: Ann" in behind
        assert "code 0" in behind
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()


def test_the_menu_leads_to_the_full_screen_with_keys_of_ones_own_and_back(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('name = "Ann"\n[keys]\nroll = "w"\n', "utf-8")
    with full_screen(tmp_path) as screen:
        screen.shows("Number, 1 to ")
        screen.type("1\n")
        screen.shows("Against which computer players")
        screen.type("none\n")
        screen.shows("YOUR TURN, A Ann: w rolls")
        screen.type("w")
        screen.shows(" takes ")
        screen.type("\x04")
        screen.until(lambda: "Number, 1 to " in screen.text, "the menu again")
        screen.type("10\n")
        assert screen.ended() == 0
