"""The configuration file at work."""

import json
from pathlib import Path

import pytest
from program import hosting, run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "config").mkdir()
    return tmp_path


def write(home: Path, text: str) -> None:
    (home / "config" / "config.toml").write_text(text, "utf-8")


def test_the_configured_name_is_played_under_unless_another_is_given(home: Path) -> None:
    write(home, 'name = "Cora"\n')
    game = ("play", "--auto", "--target", "1")
    assert run(home, *game, "--name", "Ann").returncode == 0
    assert run(home, *game, CANTSTOP_NAME="Ben").returncode == 0
    assert run(home, *game).returncode == 0
    games = json.loads(run(home, "history", "--json").stdout)
    assert [game["seats"][0]["name"] for game in games] == ["Cora", "Ben", "Ann"]


def test_keys_of_ones_own_roll_and_stop(home: Path) -> None:
    write(home, '[keys]\nroll = "w"\nstop = "x"\n')
    played = run(home, "play", "--bots", "none", "--name", "Ann", stdin="w\n1\nx\n?\n")
    assert (played.returncode, played.stderr) == (0, "")
    assert "Ann rolls" in played.stdout
    assert "Ann stops" in played.stdout
    assert "Between games:" in played.stdout


def test_a_server_is_joined_by_its_name(home: Path, tmp_path: Path) -> None:
    with hosting(tmp_path / "host") as host:
        write(home, f'server = "den"\n[servers]\nden = "{host.address}"\n')
        for arguments in ((), ("--server", "den"), ("--server", host.address)):
            joined = run(home, "join", "--name", "Ann", *arguments)
            assert (joined.returncode, joined.stderr) == (0, "")
            assert f"at {host.address}. You are Ann" in joined.stdout
        # That is remembered for the menu.
        assert (home / "servers").read_text() == f"ws://{host.address}/\n"
