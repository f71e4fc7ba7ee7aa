"""``cantstop host`` and several ``cantstop join``: separate processes, real terminals."""

import json
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pexpect
import pytest
from program import decide, exit_code, hosting, run, terminal


def home_of(directory: Path, name: str) -> Path:
    home = directory / name
    home.mkdir()
    return home


def open_room(screen: pexpect.spawn, *lines: str) -> str:
    """Create a room in the lobby and give its code."""
    screen.expect("/create opens a room")
    screen.sendline("/create " + lines[0])
    screen.expect(r"Room ([A-Z]{5})")
    code = str(screen.match[1])
    for line in lines[1:]:
        screen.sendline(line)
    return code


def play_to_the_end(screen: pexpect.spawn) -> int | None:
    while decide(screen):
        pass
    screen.sendline("/quit")
    return exit_code(screen)


def test_three_seats_are_played_out_and_a_fourth_may_only_watch(tmp_path: Path) -> None:
    ann_home, ben_home, cat_home = (home_of(tmp_path, name) for name in ("ann", "ben", "cat"))
    database = tmp_path / "games.db"
    with (
        hosting(tmp_path, "--database", str(database)) as host,
        terminal(ann_home, "join", "--server", host.address, "--name", "Ann") as ann,
    ):
        code = open_room(ann, "Friday seats=3 target=2", "/bot keller")
        ann.expect("keller sits down")
        with (
            terminal(ben_home, "join", code, "--server", host.address, "--name", "Ben") as ben,
            ThreadPoolExecutor(2) as pool,
        ):
            ann.expect("Ben sits down")
            refused = run(cat_home, "join", code, "--server", host.address, "--name", "Cat")
            assert refused.returncode == 1
            assert "seats" in refused.stderr
            assert "--watch" in refused.stderr
            with terminal(
                cat_home, "join", code, "--server", host.address, "--name", "Cat", "--watch"
            ) as cat:
                ann.expect("Cat")
                ann.sendline("/start")
                assert list(pool.map(play_to_the_end, (ann, ben))) == [0, 0]
                cat.expect(r"(\w+) wins the game after (\d+) turns")
                winner, turns = cat.match.groups()
                cat.sendline("/quit")
                assert exit_code(cat) == 0
        assert host.end()[0] == 0
    listed = json.loads(run(tmp_path, "history", "--json", "--database", str(database)).stdout)
    assert [(g["status"], g["winner"], g["turns"]) for g in listed] == [
        ("finished", winner, int(turns))
    ]
    assert [seat["name"] for seat in listed[0]["seats"]] == ["Ann", "keller", "Ben"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_a_server_that_is_stopped_in_mid_game_tells_everyone_and_loses_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    database = tmp_path / "games.db"
    with (
        hosting(tmp_path, "--database", str(database)) as host,
        terminal(
            home_of(tmp_path, "ann"), "join", "--server", host.address, "--name", "Ann"
        ) as ann,
    ):
        open_room(ann, "seats=1", "/start")
        ann.expect("Your turn")
        ann.sendline("r")
        ann.expect("You: ")
        code, _, errors = host.end(number)
        assert code == 0
        assert errors == ""
        ann.expect("[Tt]he server is shutting down")
        assert exit_code(ann) == 0
        assert "Traceback" not in ann.before
    with sqlite3.connect(database) as opened:
        assert opened.execute("pragma integrity_check").fetchone() == ("ok",)
        assert opened.execute("select count(*) from live_rooms").fetchone() == (1,)
    opened.close()
    listed = run(tmp_path, "history", "--json", "--database", str(database))
    assert [game["status"] for game in json.loads(listed.stdout)] == ["unfinished"]


def test_after_kill_9_the_game_goes_on_with_the_same_dice(tmp_path: Path) -> None:
    database, ann_home = tmp_path / "games.db", home_of(tmp_path, "ann")
    with (
        hosting(tmp_path, "--database", str(database)) as host,
        terminal(ann_home, "join", "--server", host.address, "--name", "Ann") as ann,
    ):
        room = open_room(ann, "seats=1", "/start")
        ann.expect("Your turn")
        ann.sendline("r")
        ann.expect(r"Ann rolls ([1-6] [1-6] [1-6] [1-6])")
        dice = ann.match[1]
        host.process.kill()
        ann.expect("[Cc]onnection")
        ann.sendintr()
        assert exit_code(ann) == 130
    with (
        hosting(tmp_path, "--database", str(database)) as again,
        terminal(ann_home, "join", room, "--server", again.address, "--name", "Ann") as ann,
    ):
        ann.expect(f"Ann rolls {dice}")
        ann.expect("You: .* to choose")
        ann.sendline("1")
        while decide(ann):
            pass


def test_a_server_that_cannot_start_says_why_in_one_line(tmp_path: Path) -> None:
    with hosting(tmp_path, "--database", str(tmp_path / "games.db")) as host:
        in_use = run(
            tmp_path, "host", "--port", str(host.port), "--database", str(tmp_path / "elsewhere.db")
        )
        same = run(tmp_path, "host", "--port", "0", "--database", str(tmp_path / "games.db"))
    for refused, word in ((in_use, "--port"), (same, "--database")):
        assert refused.returncode == 1
        assert word in refused.stderr
        assert refused.stderr.count("\n") == 1, refused.stderr


def test_a_server_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    nobody = run(tmp_path, "join", "--server", "127.0.0.1:1")
    assert nobody.returncode == 1
    assert nobody.stderr.count("\n") == 1
    assert "127.0.0.1" in nobody.stderr
    assert "cantstop host" in nobody.stderr
