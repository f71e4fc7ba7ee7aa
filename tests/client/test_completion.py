"""Shell completion scripts."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cantstop_client import cli

SHELLS = ("bash", "zsh", "fish")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_knows_the_commands_and_their_options(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["completion", "show", shell]) == 0
    script = capsys.readouterr().out
    for word in ("cantstop", "join", "find", "history", "people", "no-announce"):
        assert word in script, word


@pytest.mark.parametrize("shell", SHELLS)
def test_it_is_put_where_the_shell_looks(
    shell: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ZSH", "ZSH_CUSTOM"):
        monkeypatch.delenv(name, raising=False)
    assert cli.run(["completion", "install", shell]) == 0
    said = capsys.readouterr().out
    (path,) = (path for path in tmp_path.rglob("*cantstop*") if path.is_file())
    assert str(path) in said
    started = {"bash": ".bashrc", "zsh": ".zshrc"}.get(shell)
    assert {file.name for file in tmp_path.iterdir() if file.is_file()} == (
        {started} if started else set()
    )


def test_what_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".config").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cli.run(["completion", "install", "fish"]) == 1
    assert "cantstop completion show" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_takes_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["completion", "show", "bash"]) == 0
    script = capsys.readouterr().out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
