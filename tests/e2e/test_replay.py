"""Replays as people meet them: pipes, real pseudo-terminals, a server, a live room behind."""

import re
import time
from pathlib import Path

import pexpect
import pytest
from program import exit_code, hosting, run, terminal
from screens import full_screen
from stories import example_record


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Somebody's data directory with the example's game in it."""
    file = tmp_path / "example.cantstop"
    file.write_text(example_record(), "utf-8")
    done = run(tmp_path, "import", str(file))
    assert done.stdout == "1 game imported\n", done.stderr
    return tmp_path


def test_orders_come_from_a_pipe(home: Path) -> None:
    done = run(home, "replay", "k3f", stdin="n 2\n14\nboard\nq\nn\n")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Game k3f9abcdef, 2026-06-11 14:00 UTC: Ann, keller, Cleo")
    assert "Ann rolls 1 2 3 2" in lines
    assert any(line.startswith("Turn 14 of 16, step ") for line in lines)
    assert "Column 4, 7 steps: Cleo at 4" in lines
    assert lines[-1] == "Cleo (C): 0 of 1 columns claimed"


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("replay",), None),
        (("replay", "last", "--turn", "15"), None),
        (("replay", "{file}"), None),
        (("replay", "-"), "record"),
        (("replay", "k3f"), "play\n"),
    ],
    ids=["nothing", "turn", "file", "standard input", "play"],
)
def test_without_orders_the_whole_game_is_told(home: Path, arguments, stdin) -> None:
    named = [part.format(file=home / "example.cantstop") for part in arguments]
    more = {} if stdin is None else {"stdin": example_record() if stdin == "record" else stdin}
    done = run(home, *named, LC_ALL="C", **more)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert "Cleo wins the game after 16 turns" in done.stdout
    assert ("Ann rolls 1 2 3 2" in done.stdout) is ("--turn" not in named)


@pytest.mark.parametrize(
    ("arguments", "stdin", "reason"),
    [
        (("replay", "nope"), "", "there is no game 'nope'"),
        (("replay", "./nope.cantstop"), "", "cannot read ./nope.cantstop: No such file"),
        (("replay", "--turn", "17"), "", "--turn is 1 to 16 in this game, not 17"),
        (("replay", "-"), "hello\n", "-:1: a record begins with the line"),
        (("replay", "-"), "", "-: there is no game in it"),
        (("replay", "-"), "TWICE", "there are several games here"),
        (("replay", "--server", "x", "--database", "y"), "", "name one of the two"),
        (("replay", "--server", "127.0.0.1:1"), "", "cannot reach 127.0.0.1:1"),
    ],
)
def test_what_cannot_be_shown_is_said(home: Path, arguments, stdin: str, reason: str) -> None:
    if stdin == "TWICE":
        again = example_record().replace("Game: k3f9abcdef", "Game: other")
        stdin = example_record() + "\n" + again
    done = run(home, *arguments, stdin=stdin)
    assert done.returncode == 1
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def test_the_full_screen_of_a_database(home: Path) -> None:
    with full_screen(home, "replay", "k3f") as screen:
        screen.shows("Turn 1 of 16, step 0 of 82, paused")
        screen.type("\x1b[C\x1b[C")
        screen.shows("Ann takes 3 + 5")
        screen.type("9\r")
        screen.shows("Turn 9 of 16")
        screen.shows("Cleo busts with 2 1 1 1")
        for rows, columns in ((40, 120), (20, 60), (10, 30), (24, 80)):
            screen.resize(rows, columns)
            screen.shows("60x20" if rows < 20 else "Replay k3f9abcdef")
        screen.type("\x1b[B")
        screen.shows("Turn 10 of 16")
        screen.type(" ")
        screen.shows("playing, 1 a second")
        screen.type("+")
        screen.shows("playing, 2 a second")
        screen.shows("Turn 11")
        screen.type("\x1b[F")
        screen.shows("Cleo wins the game after 16 turns")
        screen.type("?")
        screen.shows("The beginning of this turn, or of the one before")
        screen.type("\x1b")
        screen.until(lambda: "The next turn" not in screen.text, "the board")
        screen.type("q")
        assert screen.ended() == 0


def test_a_review_in_the_full_screen(home: Path) -> None:
    with full_screen(home, "replay", str(home / "example.cantstop")) as screen:
        screen.shows("step 0 of 82")
        screen.type("r")
        screen.shows("Reviewed: each step has its note")
        screen.type("\x1b[C\x1b[C")
        screen.until(lambda: bool(re.search(r"Ann \d+\.\d % -> \d+\.\d %", screen.text)), "notes")
        screen.type("r")
        screen.shows("costliest of")
        screen.type("\x03")
        assert screen.ended() == 130


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("\x04", 0)], ids=["Ctrl-C", "Ctrl-D"])
@pytest.mark.parametrize("where", ["", "?", "r"])
def test_leaving_is_quick_from_everywhere(home: Path, where: str, keys: str, code: int) -> None:
    with full_screen(home, "replay", "k3f") as screen:
        screen.shows("step 0 of 82")
        before = screen.text
        screen.type(where)
        if where:
            screen.until(lambda: screen.text != before, where)
        start = time.monotonic()
        screen.type(keys)
        assert screen.ended() == code
        assert time.monotonic() - start < 5
        assert "Traceback" not in screen.text


def test_a_replay_over_a_live_room_and_back(home: Path, tmp_path: Path) -> None:
    """The half-typed line, the events and the turn at the table are all still there."""
    database = str(home / "cantstop.db")
    with (
        hosting(tmp_path, "--database", database) as host,
        full_screen(tmp_path / "dan", "join", "--server", host.address, "--name", "Dan") as dan,
        terminal(tmp_path / "eve", "join", "--server", host.address, "--name", "Eve") as eve,
    ):
        dan.shows("/create opens a room")
        dan.type("/create Friday seats=2\r")
        dan.until(lambda: "Friday" in dan.lines[0], "a room")
        code = re.search(r"Room ([A-Z]{5})", dan.lines[0])[1]
        eve.sendline(f"/join {code}")
        dan.shows("Eve sits down as B")
        dan.type("/replay\r")
        dan.shows("Replay k3f9abcdef")
        dan.type("\x1b[C")
        dan.shows("Ann rolls 1 2 3 2")
        eve.sendline("are you there")
        eve.expect("Eve: are you there")
        assert "are you there" not in dan.text
        dan.type("\x1b")
        dan.until(lambda: "Friday" in dan.lines[0], "the table")
        dan.shows("Eve: are you there")
        dan.type("/start\r")
        dan.until(lambda: "to roll" in dan.lines[-2] or "YOUR TURN" in dan.lines[-2], "a game")
        dan.type("/replay k3f\r")
        dan.shows("at the table")
        eve.sendline("/resign")
        eve.expect("is out of the game")
        dan.until(lambda: "at the table" not in dan.text, "the end of the game")
        dan.type("q")
        dan.shows("Eve is out of the game")
        dan.type("/replay\r")
        dan.until(lambda: "Replay " in dan.lines[0], "the game that has just ended")
        dan.type("\x1b[F")
        dan.shows("Eve is out of the game")
        dan.type("\x04")
        assert dan.ended() == 0
        eve.close(force=True)


def test_what_happens_during_a_plain_replay_is_told_after_it(home: Path, tmp_path: Path) -> None:
    database = str(home / "cantstop.db")
    with (
        hosting(tmp_path, "--database", database) as host,
        terminal(tmp_path / "dan", "join", "--server", host.address, "--name", "Dan") as dan,
        terminal(tmp_path / "eve", "join", "--server", host.address, "--name", "Eve") as eve,
    ):
        dan.expect("/create opens a room")
        dan.sendline("/create Friday seats=2")
        dan.expect(r"Room ([A-Z]{5})")
        code = dan.match[1]
        eve.expect("/create opens a room")
        eve.sendline(f"/join {code}")
        dan.expect("Eve sits down as B")
        dan.sendline("/start")
        dan.expect("the game begins")
        dan.sendline("/replay k3f")
        dan.expect("A replay: help lists what can be done")
        dan.expect("Turn 1 of 16: Ann is to roll")
        eve.sendline("hurry up")
        eve.expect("Eve: hurry up")
        dan.sendline("n")
        dan.expect("Ann rolls 1 2 3 2")
        dan.sendline("q")
        dan.expect("End of the replay")
        dan.expect("Eve: hurry up")
        dan.expect(["Your turn 1: r to roll", "rolls or stops", r"\| *\r\n"])
        dan.sendline("/quit")
        assert exit_code(dan) == 0
        eve.close(force=True)


def test_the_turn_that_comes_during_a_plain_replay_is_announced(home: Path) -> None:
    with terminal(home, "play", "--name", "Dan", "--bots", "random", "--bot-delay", "0") as dan:
        dan.expect("Your turn [12]: r to roll")
        dan.sendline("r")
        dan.expect("to choose how to use")
        dan.sendline("1")
        dan.expect("s to stop;")
        dan.sendline("/replay k3f")
        dan.expect("A replay: help lists")
        dan.sendline("s")
        dan.expect("'s' is nothing that can be done here")
        dan.sendline("q")
        dan.expect("s to stop;")
        dan.sendline("s")
        dan.expect("stops and keeps")
        dan.sendline("/quit")
        assert exit_code(dan) == 0


def test_a_replay_in_a_game_from_a_pipe_goes_on_with_the_next_line(home: Path) -> None:
    done = run(home, "play", "--bots", "none", "--name", "Dan", stdin="/replay k3f\nall\nq\nr\n")
    assert done.returncode == 0, done.stderr
    told = done.stdout
    assert told.index("Cleo wins the game") < told.index("End of the replay")
    assert re.search(r"End of the replay(.|\n)*Dan rolls", told)


def test_a_server_is_asked_for_a_game(home: Path, tmp_path: Path) -> None:
    with hosting(tmp_path, "--database", str(home / "cantstop.db")) as host:
        done = run(tmp_path / "dan", "replay", "k3f", "--server", host.address, "--plain")
        assert (done.returncode, done.stderr) == (0, "")
        assert "Cleo wins the game after 16 turns" in done.stdout
        unknown = run(tmp_path / "dan", "replay", "zz", "--server", host.address)
        assert unknown.returncode == 1
        assert "No replay: no game 'zz' has ended here" in unknown.stderr


def test_a_plain_terminal_pauses_with_any_line(home: Path) -> None:
    with terminal(home, "replay", "k3f") as child:
        child.expect("Turn 1 of 16: Ann is to roll")
        child.sendline("play 16")
        child.expect("Ann takes 3 \\+ 5")
        child.sendline("p")
        child.expect(r"step (\d+) of 82: paused")
        at = int(child.match[1])
        child.sendline("b")
        child.expect(rf"step {at - 1} of 82:")
        child.sendline("q")
        child.expect(pexpect.EOF)
        assert exit_code(child) == 0
