"""``cantstop verify`` and ``cantstop dice-test``: words, plain values, exit codes."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import program
import pytest

from cantstop_client.cli import run


def play(home: Path) -> str:
    """A game here and now: its database."""
    played = program.run(home, "play", "--auto", "--target", "1", "--name", "Ann")
    assert played.returncode == 0, played.stderr
    assert "rolls are right: they follow from the seed that was promised" in played.stdout
    (database,) = home.glob("*.db")
    return str(database)


def altered(database: str, statement: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute(statement).rowcount == 1


def test_a_game_that_was_played_here_holds_until_it_is_altered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = play(tmp_path)
    assert run(["verify", "--database", database]) == 0
    told = capsys.readouterr().out
    assert "rolls follow from the promised seed" in told
    assert "could look ahead" in told
    assert "Nothing was added by" not in told
    assert run(["verify", "--database", database, "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert (values["holds"], values["kind"], values["fault"]) == (True, "committed", None)
    assert values["missing"] == []

    die = "substr(course, 4, 1)"
    altered(
        database,
        f"UPDATE games SET course = substr(course, 1, 3) || ({die} % 6 + 1) || substr(course, 5)",
    )
    first = values["drawn"] + 1
    assert run(["verify", values["game"][:4], "--database", database]) == 1
    assert f"FAILS at roll {first} (turn 1, " in capsys.readouterr().out
    assert run(["verify", values["game"][:4], "--database", database, "--json"]) == 1
    failed = json.loads(capsys.readouterr().out)
    assert (failed["holds"], failed["roll"], failed["turn"]) == (False, first, 1)

    altered(database, "UPDATE games SET proof = NULL")
    assert run(["verify", "--database", database]) == 1
    assert "not checked: the game has no proof" in capsys.readouterr().out


def test_a_file_is_checked_like_a_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = play(tmp_path)
    record = tmp_path / "one.cantstop"
    assert run(["export", "--database", database, "--output", str(record)]) == 0
    assert run(["verify", str(record)]) == 0
    assert "rolls follow from the promised seed" in capsys.readouterr().out
    text = record.read_text(encoding="utf-8")
    seed = re.search(r'"seed": ?"([0-9a-f]{2})', text)
    assert seed is not None
    other = "00" if seed[1] != "00" else "01"
    record.write_text(text[: seed.start(1)] + other + text[seed.end(1) :], encoding="utf-8")
    assert run(["verify", str(record)]) == 1
    assert "the seed" in capsys.readouterr().out
    record.write_text(text.replace("1. ", "1. X", 1), encoding="utf-8")
    assert run(["verify", str(record)]) == 1
    assert f"{record}:" in capsys.readouterr().err


def test_a_game_that_is_not_there_is_told_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", "xyz", "--database", str(tmp_path / "none.db")]) == 1
    assert "there is no game 'xyz'" in capsys.readouterr().err


def test_the_generator_is_compared_with_chance(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["dice-test", "--rolls", "20000"]) == 0
    told = capsys.readouterr().out
    assert "20,000 rolls" in told
    assert "sum of the four" in told
    assert run(["dice-test", "--rolls", "20000", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["rolls"] == 20_000
    assert [one["freedom"] for one in values["comparisons"]] == [1295, *[5] * 4, 20, *[10] * 6]


@pytest.mark.parametrize("rolls", ["0", "-5", "9999", "100000001"])
def test_too_few_and_too_many_rolls_are_refused(
    rolls: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dice-test", f"--rolls={rolls}"]) == 1
    assert "--rolls: rolls are 10000 to 100000000" in capsys.readouterr().err
