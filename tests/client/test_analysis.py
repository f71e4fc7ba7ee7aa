"""The commands that measure and explain."""

import json
from pathlib import Path

import program
import pytest

from cantstop_client.cli import run


def test_the_arena_prints_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["arena", "keller", "random", "--games", "20", "--jobs", "1", "--json"]) == 0
    printed = capsys.readouterr()
    result = json.loads(printed.out)
    assert result["games"] == 20
    assert 0 <= result["interval"][0] <= result["win_rate"] <= result["interval"][1] <= 1
    assert printed.err == ""


def test_the_arena_tells_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["arena", "glenn", "rule28", "--games", "10", "--jobs", "1"]) == 0
    assert "95 % interval" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["arena", "nobody", "keller"], "no computer player 'nobody'"),
        (["arena", "keller", "keller", "--games", "0"], "at least 1 game"),
        (["arena", "keller", "keller", "--seats", "9"], "1 to 4 seats"),
        (["odds", "seven"], "column:step"),
        (["odds", "7:99"], "step 1 to 13"),
        (["odds", "--claimed", "x"], "whole numbers"),
        (["train", "folder", "--targets", "x"], "whole numbers"),
        (["train", "folder", "--games", "0"], "at least 1"),
        (["train", "folder", "--rate", "1"], "--rate is from"),
        (["strength", "file", "--games", "0"], "at least 1"),
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_refused_in_words(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 1
    assert complaint in capsys.readouterr().err


def test_odds_of_a_position_and_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "6:3", "7:2", "8:1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["busting_rolls"] == 104
    assert run(["odds"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 165


def test_a_game_is_reviewed_by_its_name_or_as_the_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = str(tmp_path / "games.db")
    assert run(["review", "--database", database]) == 1
    assert "no game" in capsys.readouterr().err
    played = program.run(
        tmp_path, "play", "--auto", "--bots", "random", "--name", "Ann", "--database", database
    )
    assert played.returncode == 0, played.stderr
    assert run(["review", "--database", database, "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    for player in values["players"]:
        total = player["start"] + player["luck"] + player["skill"]
        assert player["result"] == pytest.approx(total)
    assert run(["review", values["id"][:8], "--database", database]) == 0
    assert "Ann" in capsys.readouterr().out
    assert run(["review", "nothing", "--database", database]) == 1
