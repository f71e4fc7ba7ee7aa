"""``cantstop`` without arguments, on a real terminal and without one."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest
from program import COMMAND, SECONDS, decide, environment, exit_code, hosting, run, terminal


@contextmanager
def menu(home: Path, **more: str) -> Iterator[pexpect.spawn]:
    """``cantstop`` alone, on a terminal at which whatever it runs is plain, too."""
    child = pexpect.spawn(
        COMMAND,
        env=environment(home, **{"TERM": "dumb", "CANTSTOP_NAME": "Ann", **more}),
        encoding="utf-8",
        timeout=SECONDS,
        dimensions=(24, 80),
        echo=False,
    )
    try:
        yield child
    finally:
        child.close(force=True)


def choose(screen: pexpect.spawn, title: str) -> None:
    """Answer with the number before this title."""
    screen.expect(rf"(\d+)\) {title}")
    number = screen.match[1]
    screen.expect(r"Number, 1 to \d+ \[1\]:")
    screen.sendline(number)


def test_a_quick_game_is_three_answers_away(tmp_path: Path) -> None:
    with menu(tmp_path) as screen:
        choose(screen, "Quick game")
        screen.expect(r"Against which computer players \[keller\]:")
        screen.sendline("")
        screen.expect("= cantstop play --bots keller")
        screen.expect("the game begins")
        screen.sendline("/quit")
        choose(screen, "Games that have ended")
        screen.expect("abandoned")
        screen.expect("Number, ")
        screen.sendeof()
        assert exit_code(screen) == 0


def test_hosting_from_the_menu_seats_one_at_the_own_table(tmp_path: Path) -> None:
    with menu(tmp_path, CANTSTOP_PORT="0") as screen:
        choose(screen, "Host here")
        choose(screen, "this machine alone")
        screen.expect("Title of the room, or nothing:")
        for answer, question in (
            ("Friday", r"Seats, 1 to 4 \[2\]:"),
            ("1", r"Columns that win"),
            ("1", "removed or kept"),
            ("", "autopilot, wait or forfeit"),
            ("", "each decision"),
            ("", "besides"),
            ("", "with each turn"),
            ("", "Hints"),
            ("", "Counts for the ratings"),
            ("", "Dice"),
            ("", "Password"),
        ):
            screen.sendline(answer)
            screen.expect(question)
        screen.sendline("")
        screen.expect("/create Friday seats=1 target=1")
        screen.expect(r"Room [A-Z]{5} \(Friday\)")
        screen.sendline("/start")
        while decide(screen):
            pass
        screen.sendline("/quit")
        choose(screen, "Leave")
        assert exit_code(screen) == 0
        (game,) = json.loads(run(tmp_path, "history", "--json").stdout)
        assert game["status"] == "finished"


def test_a_server_of_the_menu_ends_with_its_terminal(tmp_path: Path) -> None:
    with menu(tmp_path, CANTSTOP_PORT="0") as screen:
        choose(screen, "Host here")
        choose(screen, "this machine alone")
        screen.expect(r"Hosting on 127.0.0.1:(\d+)")
        address = ("127.0.0.1", int(screen.match[1]))
        screen.expect("Title of the room")
        with socket.create_connection(address, SECONDS) as waiting:
            screen.close()
            assert waiting.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, SECONDS).close()


def test_a_held_seat_is_found_again(tmp_path: Path) -> None:
    home = tmp_path / "ann"
    with hosting(tmp_path) as host:
        with terminal(
            home, "join", "--create", "seats=1", "--server", host.address, CANTSTOP_NAME="Ann"
        ) as screen:
            screen.expect(r"Room ([A-Z]{5})")
            code = screen.match[1]
            screen.expect("/start")
            screen.sendline("/start")
            screen.expect("Your turn")
            screen.sendline("/quit")
            assert exit_code(screen) == 0
        with menu(home) as screen:
            choose(screen, "Continue a game")
            choose(screen, rf"{code}: Ann; playing.*, at cantstop")
            screen.expect(f"= cantstop join {code} --server {host.address}")
            screen.expect("Your turn")
            screen.sendintr()
            assert exit_code(screen) == 130


def test_control_c_at_a_question_leaves(tmp_path: Path) -> None:
    with menu(tmp_path) as screen:
        screen.expect("Number, ")
        screen.sendintr()
        assert exit_code(screen) == 130


def test_without_a_terminal_it_is_the_help(tmp_path: Path) -> None:
    shown = run(tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Usage: cantstop" in shown.stdout
    assert "play" in shown.stdout


def test_a_room_is_opened_from_the_command_line(tmp_path: Path) -> None:
    with hosting(tmp_path) as host:
        opened = run(
            *(tmp_path / "ann", "join", "--create", "Friday seats=3", "--server", host.address),
            stdin="/who\n",
        )
        assert (opened.returncode, opened.stderr) == (0, "")
        assert "(Friday): " in opened.stdout
        assert opened.stdout.count("free seat") >= 2
        refused = run(
            *(tmp_path / "ann", "join", "--create", "seats=9", "--server", host.address),
        )
        assert refused.returncode == 1
        assert "--create" in refused.stderr
        both = run(tmp_path, "join", "BADOK", "--create", "x", "--server", host.address)
        assert "leave out the code" in both.stderr
