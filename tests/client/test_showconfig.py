"""``cantstop config``: what is in force, and why."""

import json
from pathlib import Path

import pytest

from cantstop_client import cli


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.run(["config", *arguments]) == 0
    return capsys.readouterr().out


def test_each_setting_is_shown_with_its_origin(
    data_directory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "config" / "config.toml"
    file.parent.mkdir()
    file.write_text('name = "Ann"\nbell = "off"\n[servers]\nden = "10.0.0.1"\n', "utf-8")
    monkeypatch.setenv("CANTSTOP_PALETTE", "dark")
    lines = shown(capsys, "--server", "den").splitlines()
    assert lines[0] == f"Your configuration: {file}"
    assert str(data_directory) in lines[2]
    assert lines[3:] == [
        "name = Ann  (file)",
        "server = den  (--server)",
        "servers = den 10.0.0.1  (file)",
        "palette = dark  (CANTSTOP_PALETTE)",
        "bell = off  (file)",
        "keys = roll r, stop s, help ?  (default)",
    ]
    values = json.loads(shown(capsys, "--json", "--name", "Ben"))
    assert (values["file"], values["exists"]) == (str(file), True)
    assert values["settings"]["name"] == {"value": "Ben", "origin": "option", "source": "--name"}
    assert values["settings"]["bell"]["origin"] == "file"


def test_without_a_file_it_says_so_and_makes_none(
    data_directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "does not exist" in shown(capsys)
    assert json.loads(shown(capsys, "--json"))["exists"] is False
    assert not (tmp_path / "config").exists()


def test_a_slip_in_the_file_stops_every_command_that_needs_it(
    data_directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config" / "config.toml"
    file.parent.mkdir()
    file.write_text("nmae = 'Ann'\n", "utf-8")
    for command in ("config", "join", "play"):
        assert cli.run([command]) == 1
        complaint = capsys.readouterr().err
        assert complaint.count("\n") == 1
        assert str(file) in complaint
        assert "nmae" in complaint
