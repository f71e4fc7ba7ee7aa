"""The lines typed earlier: kept, bounded, private, and without secrets; and pasted blocks."""

import os
import sys
from pathlib import Path

import pytest

from cantstop_client.fullscreen import typed_lines
from cantstop_client.fullscreen.typed_lines import KEPT, is_secret, load, pasted, save


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("/join LEZAT sesame", True),
        ("/JOIN LEZAT sesame", True),
        ("/watch LEZAT sesame", True),
        ("/create Friday password=sesame", True),
        ("/create Friday PassWord=sesame", True),
        ("/join LEZAT", False),
        ("hello", False),
    ],
)
def test_what_is_a_secret(line: str, secret: bool) -> None:
    assert is_secret(line) is secret


def test_lines_come_back_in_the_next_run_without_the_secret_ones(tmp_path: Path) -> None:
    save(tmp_path / "new", ["one", "/join A secret", " ", "t\x1bwo"])
    assert load(tmp_path / "new") == ["one", "two"]
    if sys.platform != "win32":
        assert os.stat(tmp_path / "new" / "history").st_mode & 0o077 == 0


def test_they_are_bounded(tmp_path: Path) -> None:
    save(tmp_path, map(str, range(KEPT + 10)))
    assert len(load(tmp_path)) == KEPT
    assert load(tmp_path)[0] == "10"


def test_what_cannot_be_read_or_written_is_no_trouble(tmp_path: Path) -> None:
    assert load(tmp_path / "nothing") == []
    (tmp_path / "file").write_text("x")
    save(tmp_path / "file", ["one"])
    assert typed_lines.load(tmp_path / "file") == []


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("r\n1\ns\n", "r 1 s"),
        ("/leave\r\n/quit\r\n", "//leave /quit"),
        ("\n/leave\n", "/leave"),
        ("/join LEZAT", "/join LEZAT"),
        ("a\tb\x1b[31m\x07c", "a b[31mc"),
        ("", ""),
        ("\n\n", ""),
    ],
)
def test_a_pasted_block_is_one_line_of_text(block: str, line: str) -> None:
    assert pasted(block) == line
