"""The page that is printed without loading the parser."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cantstop_client import cli
from cantstop_client.entry import HELP_PAGE

PAGE = Path(HELP_PAGE)


def test_the_ready_made_page_is_what_the_parser_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Write it anew with CANTSTOP_WRITE_GOLDENS=1."""
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.run(["--help"]) == 0
    page = capsys.readouterr().out
    if os.environ.get("CANTSTOP_WRITE_GOLDENS"):
        PAGE.write_text(page, "utf-8")
    assert PAGE.read_text("utf-8") == page
    assert page.isascii()


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_loads_no_parser(option: str) -> None:
    program = (
        "import sys\n"
        f"sys.argv = ['cantstop', {option!r}]\n"
        "from cantstop_client.entry import main\n"
        "main()\n"
        "print('loaded:', sorted({'cyclopts', 'rich', 'asyncio', 'json'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == PAGE.read_text("utf-8") + "loaded: []\n"


def test_everything_else_is_the_parsers() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cantstop_client", "join", "--help"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "--server" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_help_that_nobody_reads_is_a_quiet_end() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "cantstop_client", "--help"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "Traceback" not in done.stderr
