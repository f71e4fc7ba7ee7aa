"""``cantstop play`` as a newcomer meets it: a process, a pipe, a terminal, a file of games."""

import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pexpect
import pytest
from program import COMMAND, decide, environment, exit_code, run, terminal

from cantstop_server.players.registry import KINDS


def games(home: Path) -> list[dict[str, object]]:
    listed = run(home, "history", "--json")
    assert listed.returncode == 0, listed.stderr
    return json.loads(listed.stdout)


def test_a_game_runs_unattended_to_its_result_and_is_kept(tmp_path: Path) -> None:
    played = run(tmp_path, "play", "--auto", "--name", "Ann")
    assert played.returncode == 0, played.stderr
    assert played.stderr == ""
    assert " wins the game after " in played.stdout
    assert played.stdout.count(" wins the game after ") == 1
    (game,) = games(tmp_path)
    assert game["status"] == "finished"
    assert [seat["name"] for seat in game["seats"]] == ["Ann", "keller"]
    assert game["winner"] in ("Ann", "keller")
    assert f"{game['winner']} wins the game after {game['turns']} turns" in played.stdout
    listed = run(tmp_path, "history")
    assert listed.returncode == 0
    assert "Ann" in listed.stdout
    stats = json.loads(run(tmp_path, "stats", "ann", "--json").stdout)
    assert [(record["name"], record["games"]) for record in stats] == [("Ann", 1)]


@pytest.mark.parametrize("options", [("--bots", "random,keller", "--target", "2"), ("--bots", "")])
def test_other_tables_run_unattended_too(tmp_path: Path, options: tuple[str, ...]) -> None:
    played = run(tmp_path, "play", "--auto", *options)
    assert played.returncode == 0, played.stderr
    (game,) = games(tmp_path)
    assert game["status"] == "finished"


def test_a_game_is_played_on_a_real_terminal(tmp_path: Path) -> None:
    with terminal(tmp_path, "play", "--name", "Ann", "--bot-delay", "0", "--target", "2") as screen:
        moves = 0
        while decide(screen):
            moves += 1
        assert moves > 5
        screen.expect("/quit")
        screen.sendline("/quit")
        assert exit_code(screen) == 0
    (game,) = games(tmp_path)
    assert game["status"] == "finished"


def test_another_game_starts_in_the_same_room(tmp_path: Path) -> None:
    with terminal(tmp_path, "play", "--name", "Ann", "--bot-delay", "0", "--target", "1") as screen:
        for _ in range(2):
            while decide(screen):
                pass
            screen.expect("/start")
            screen.sendline("/start")
        screen.expect("the game begins")
        screen.sendline("/quit")
        assert exit_code(screen) == 0
    assert [game["status"] for game in games(tmp_path)] == ["abandoned", "finished", "finished"]


@pytest.mark.parametrize(
    ("leave", "code"), [("eof", 0), ("interrupt", 130)], ids=["Ctrl-D", "Ctrl-C"]
)
def test_leaving_in_mid_game_is_clean(tmp_path: Path, leave: str, code: int) -> None:
    with terminal(tmp_path, "play", "--name", "Ann", "--bot-delay", "0") as screen:
        screen.expect("Your turn")
        if leave == "eof":
            screen.sendeof()
        else:
            screen.sendintr()
        assert exit_code(screen) == code
        assert "Traceback" not in (screen.before or "")
    (game,) = games(tmp_path)
    assert game["status"] == "abandoned"
    stats = json.loads(run(tmp_path, "stats", "--json").stdout)
    assert all(record["games"] == 0 for record in stats)


def test_piped_moves_are_played_in_order_and_the_end_of_input_ends_it(tmp_path: Path) -> None:
    played = run(tmp_path, "play", "--bots", "keller", stdin="r\n1\ns\n")
    assert played.returncode == 0, played.stderr
    assert "End of input: leaving" in played.stdout
    assert "Traceback" not in played.stdout + played.stderr


def test_a_bad_option_is_one_clear_line_and_leaves_no_game(tmp_path: Path) -> None:
    for options, word in (
        (("--bots", "deepblue"), "keller"),
        (("--target", "9"), "1 to 5"),
        (("--bots", "keller,keller,keller", "--target", "4"), "at most 3"),
        (("--bots", "a,b,c,d"), "at most 3"),
        (("--bot-delay", "-1"), "bot-delay"),
        (("--auto", "deepblue"), "keller"),
        (("--name", "keller"), "another name"),
    ):
        refused = run(tmp_path, "play", *options)
        assert refused.returncode == 1, options
        assert word in refused.stderr, options
        assert refused.stderr.count("\n") == 1, refused.stderr
        assert "Traceback" not in refused.stderr
    assert [game["status"] for game in games(tmp_path) if game["status"] == "finished"] == []


def test_a_database_that_cannot_be_used_is_one_clear_line(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as theirs:
        theirs.execute("create table recipes (name)")
    theirs.close()
    before = other.read_bytes()
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"\x00\x01 not a database " * 400)
    for path in (other, garbage, tmp_path):
        for command in ("play", "history", "stats"):
            refused = run(tmp_path, command, "--database", str(path))
            assert refused.returncode == 1, (path, command)
            assert refused.stderr.startswith("cantstop: "), refused.stderr
            assert refused.stderr.count("\n") == 1, refused.stderr
    assert other.read_bytes() == before


def test_looking_back_before_the_first_game_makes_no_database(tmp_path: Path) -> None:
    assert run(tmp_path, "history", "--json").stdout == "[]\n"
    assert "no database yet" in run(tmp_path, "history").stdout
    assert "no database yet" in run(tmp_path, "stats").stdout
    assert not list(tmp_path.glob("*.db"))


def test_a_killed_game_leaves_a_database_that_opens(tmp_path: Path) -> None:
    with terminal(tmp_path, "play", "--name", "Ann", "--bot-delay", "0") as screen:
        screen.expect("Your turn")
        os.kill(screen.pid, signal.SIGKILL)
        screen.wait()
    played = run(tmp_path, "play", "--auto", "--name", "Ann")
    assert played.returncode == 0, played.stderr
    assert [game["status"] for game in games(tmp_path)] == ["finished"]


def test_bench_rules_prints_games_and_decisions_a_second(tmp_path: Path) -> None:
    measured = run(tmp_path, "bench", "rules", "--games", "20", "--json")
    assert measured.returncode == 0, measured.stderr
    report = json.loads(measured.stdout)
    assert report["games"] == 20
    assert report["decisions"] > 20 * 20
    printed = run(tmp_path, "bench", "rules", "--games", "20").stdout
    assert "games" in printed
    assert "decisions" in printed


def test_output_that_nobody_reads_any_more_ends_the_game_quietly(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "play", "--auto"],
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_ends_the_game_quietly(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [COMMAND, "play", "--auto"],
            env=environment(tmp_path),
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_a_home_that_nobody_has_is_one_clear_line(tmp_path: Path) -> None:
    nowhere = "~no-such-user/x"
    for arguments in (
        ("play", "--auto", "--database", nowhere),
        ("history", "--database", nowhere),
        ("stats", "--database", f"sqlite:///{nowhere}"),
        ("host", "--database", nowhere),
        ("host", "--config", nowhere),
        ("join", "--server", "wss://127.0.0.1:1", "--tls-ca", nowhere),
        ("admin", "status", "--database", nowhere),
    ):
        refused = run(tmp_path, *arguments)
        assert refused.returncode == 1, arguments
        assert "no such home folder" in refused.stderr, (arguments, refused.stderr)
        assert refused.stderr.count("\n") == 1, refused.stderr
    refused = run(tmp_path, "play", "--auto", CANTSTOP_DATA_DIR=nowhere)
    assert "CANTSTOP_DATA_DIR" in refused.stderr


def test_a_database_whose_name_is_impossible_is_one_clear_line(tmp_path: Path) -> None:
    refused = run(tmp_path, "history", "--database", str(tmp_path / ("x" * 300)))
    assert refused.returncode == 1
    assert "fault in this program" not in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_an_error_is_broken_between_words_in_a_narrow_window(tmp_path: Path) -> None:
    with terminal(tmp_path, "play", "--bots", "nobody", size=(24, 40)) as screen:
        screen.expect(pexpect.EOF)
        lines = screen.before.splitlines()
    assert len(lines) > 3
    assert max(map(len, lines)) <= 40
    words = " ".join(lines).split()
    assert words[:5] == ["cantstop:", "no", "computer", "player", "'nobody':"]
    assert words[-1] == "expert-9"
    assert all(word.rstrip(",") in KINDS for word in words[8:])
