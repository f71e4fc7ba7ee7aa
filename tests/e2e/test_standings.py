"""Who is better: rated games, records, leaders, and players under other names, by commands."""

import json
import shutil
import unicodedata
from pathlib import Path

import pytest
from program import run
from screens import full_screen

MOVES = "r\n1\ns\n" * 150


def play(home: Path, *options: str, name: str = "Ann") -> None:
    arguments = ("play", "--target", "1", "--bots", "cautious", "--name", name, *options)
    ended = run(home, *arguments, stdin=MOVES)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rated games and a casual one of Ann's."""
    home = tmp_path_factory.mktemp("played")
    play(home, "--rated")
    play(home, "--rated")
    play(home)
    return home


@pytest.fixture
def home(played: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    copy = tmp_path / "home"
    shutil.copytree(played, copy)
    return copy


def test_records_ratings_and_leaders(played: Path) -> None:
    (ann,) = json.loads(run(played, "stats", "ann", "--json").stdout)
    assert (ann["name"], ann["kind"], ann["games"]) == ("Ann", "person", 3)
    assert ann["wins"] + ann["losses"] == 3
    assert ann["rating"]["games"] == len(ann["history"]) == 2
    assert ann["opponents"][0]["name"] == "cautious"
    assert ann["habits"]["turns"] > 0
    assert len(ann["claims"]) == 11
    found = json.loads(run(played, "leaders", "--json").stdout)
    assert [player["rank"] for player in found["rated"]] == [1, 2]
    assert {player["name"] for player in found["rated"]} == {"Ann", "cautious"}
    assert found["solitaire"] == []
    assert len(json.loads(run(played, "leaders", "--limit", "1", "--json").stdout)["rated"]) == 1
    shown = run(played, "leaders").stdout
    assert "Ann" in shown
    assert "computer" in shown


@pytest.mark.parametrize("columns", ["60", "80", "120"])
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_a_record_fits_the_terminal(played: Path, columns: str, locale: str) -> None:
    shown = run(played, "stats", "Ann", COLUMNS=columns, LC_ALL=locale).stdout
    assert "Rating over rated games" in shown
    assert "How they play" in shown
    assert max(map(len, shown.splitlines())) <= int(columns)
    assert shown.isascii() == (locale == "C")
    assert {unicodedata.east_asian_width(character) for character in shown} <= {"N", "Na"}


def test_records_are_told_in_a_room_on_the_full_screen_and_as_json(home: Path) -> None:
    with full_screen(home, "play", "--bots", "none", "--name", "Ann") as screen:
        screen.shows("YOUR TURN")
        screen.type("/leaders\r")
        screen.shows("rating     mu  sigma")
        screen.type("\x1b/stats cautious\r")
        screen.shows("cautious (computer player)")
        screen.type("\x04")
    asked = '{"type": "get_stats"}\n{"type": "get_leaders"}\n'
    told = run(home, "play", "--json", "--bots", "none", "--name", "Ann", stdin=asked).stdout
    replies = {line["type"]: line for line in map(json.loads, told.splitlines())}
    assert replies["stats"]["player"]["name"] == "Ann"
    assert replies["stats"]["player"]["rating"]["games"] == 2
    assert [player["rank"] for player in replies["leaders"]["rated"]] == [1, 2]


def test_without_games_it_says_how_to_begin(tmp_path: Path) -> None:
    assert json.loads(run(tmp_path, "leaders", "--json").stdout) == {"rated": [], "solitaire": []}
    assert "no database yet" in run(tmp_path, "leaders").stdout
    play(tmp_path)
    assert "cantstop play --rated" in run(tmp_path, "leaders").stdout


def test_a_player_is_renamed_and_merged(home: Path) -> None:
    play(home, "--rated", name="Ben")
    renamed = run(home, "players", "rename", "Ann", "Anna")
    assert (renamed.returncode, renamed.stderr) == (0, "")
    assert json.loads(run(home, "stats", "Anna", "--json").stdout)[0]["games"] == 3
    asked = run(home, "players", "merge", "Ben", "Anna")
    assert asked.returncode == 1
    assert "add --yes" in asked.stderr
    assert len(json.loads(run(home, "stats", "Ben", "--json").stdout)) == 1
    merged = run(home, "players", "merge", "Ben", "Anna", "--yes")
    assert (merged.returncode, merged.stderr) == (0, "")
    (anna,) = json.loads(run(home, "stats", "Anna", "--json").stdout)
    assert (anna["games"], anna["rating"]["games"]) == (4, 3)
    assert json.loads(run(home, "stats", "Ben", "--json").stdout) == []


def test_what_cannot_be_renamed_or_merged_is_said_in_one_line(home: Path, tmp_path: Path) -> None:
    for arguments, why in (
        (("rename", "Ann", "keller"), "is a computer player"),
        (("rename", "Eve", "Ann"), "no person called 'Eve'"),
        (("merge", "cautious", "Ann", "--yes"), "no person called 'cautious'"),
        (("merge", "Ann", "Ann", "--yes"), "the same person"),
        (("merge", "A", "B", "--yes", "--database", str(tmp_path / "no.db")), "no database"),
    ):
        refused = run(home, "players", *arguments)
        assert refused.returncode == 1
        assert refused.stderr.count("\n") == 1
        assert why in refused.stderr
