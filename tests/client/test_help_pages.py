"""The pages of ``--help`` fill the window, whatever the lines of the docstrings are."""

import os
import subprocess
import sys
from itertools import pairwise

import pytest


def page(words: list[str], width: int) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "cantstop_client", *words, "--help"],
        env={**os.environ, "COLUMNS": str(width)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("words", [["join"], ["host"], ["replay"]])
def test_a_line_ends_only_where_the_next_word_would_not_fit(words: list[str], width: int) -> None:
    lines = page(words, width)
    further = [(line, after) for line, after in pairwise(lines) if after.startswith("    ")]
    assert max(map(len, lines)) <= width
    assert further
    for line, after in further:
        assert len(line) + 1 + len(after.split()[0]) > width


def test_paragraphs_stay_apart() -> None:
    assert page(["host"], 200)[2:6] == [
        "Host tables for others; ends with Ctrl-C.",
        "",
        "An option that is not given comes from the environment, as CANTSTOP_PORT, else from the"
        " file, else it is the default.",
        "",
    ]
