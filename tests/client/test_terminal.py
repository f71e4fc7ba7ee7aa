"""The line face on a real pseudo-terminal."""

import os
import sys
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect")

SECONDS = 60


@pytest.fixture
def play(data_directory: Path):
    """Starts ``cantstop play`` on a terminal of its own."""
    games = []

    def start(*arguments: str):
        game = pexpect.spawn(
            sys.executable,
            ["-m", "cantstop_client", "play", "--plain", "--name", "Ann", *arguments],
            encoding="utf-8",
            timeout=SECONDS,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
        games.append(game)
        return game

    yield start
    for game in games:
        game.close(force=True)


def finish(game) -> int:
    game.expect(pexpect.EOF)
    assert "Traceback" not in game.before
    game.close()
    return game.exitstatus


def test_a_whole_game_is_played_by_hand(play) -> None:
    game = play("--bot-delay", "0", "--target", "1")
    while True:
        seen = game.expect(
            [
                r"r to roll; ",
                r"to choose how to use",
                r"r to roll again, s to stop; .*?count (\d+)",
                r"wins the game after",
            ]
        )
        if seen == 3:
            break
        rule_of_28 = int(game.match.group(1)) if seen == 2 else 0
        game.sendline(["r", "1", "s" if rule_of_28 >= 28 else "r"][seen])
    game.expect("/start begins another game")
    game.sendline("/start")
    game.expect("the game begins")
    game.sendeof()
    assert finish(game) == 0


def test_a_paste_makes_one_move_and_says_so(play) -> None:
    game = play("--bots", "")
    game.expect("r to roll; ")
    game.send("r\n1\ns\nr\n1\ns\nr\n1\ns\nr\n")
    game.expect("Entered before this was shown, so not done: 1")
    game.sendline("/quit")
    assert finish(game) == 0
    assert "takes" not in game.before


def test_a_paste_gives_nothing_up(play) -> None:
    game = play("--bots", "keller")
    game.expect("the game begins")
    game.send("Dear all,\nI wanted to try\n/resign\nbut did not\n")
    game.expect("Pasted with other lines, so not done: /resign")
    game.sendline("/who")
    game.expect("Ann [(]you")
    game.sendline("/quit")
    assert finish(game) == 0
    assert "is out of the game" not in game.before


def test_control_c_leaves_with_130(play) -> None:
    game = play("--bots", "")
    game.expect("r to roll; ")
    game.sendintr()
    assert finish(game) == 130


def test_control_d_leaves_while_others_play(play) -> None:
    game = play("--bot-delay", "30")
    # Who begins is drawn by lot.
    if game.expect([r"Ann rolls first", r"keller rolls first"]) == 0:
        for answer, shown in [("r", "to choose how to use"), ("1", "s to stop; "), ("s", "keeps")]:
            game.sendline(answer)
            game.expect(shown)
    game.sendeof()
    assert finish(game) == 0


def test_chat_and_commands_between_moves(play) -> None:
    game = play("--bot-delay", "0")
    game.expect("r to roll; ")
    for typed, answer in [
        ("good luck", "Ann: good luck"),
        ("//start", "Ann: /start"),
        ("/odds", "Rule of 28"),
        ("1", "nothing to choose"),
        ("s", "after the first roll"),
        ("/who", "B keller"),
        ("/nonsense", "no command /nonsense"),
        ("/auto", "lets a computer play"),
    ]:
        game.sendline(typed)
        game.expect_exact(answer)
    game.expect("wins the game after")
    game.sendline("/quit")
    assert finish(game) == 0
