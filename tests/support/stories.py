"""Past games to look at: that of the record's specification, and others in its form."""

from __future__ import annotations

import re
from pathlib import Path

from cantstop_client.local import story_of
from cantstop_client.replay.story import Story
from cantstop_server.record.read import read_record

DOCUMENT = Path(__file__).parents[2] / "docs" / "record.md"


def example_record() -> str:
    """The record in the specification."""
    found = re.search(
        r"```\n(Can't Stop game record.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL
    )
    assert found
    return found[1]


def example_story() -> Story:
    """The game of that record: three seats, 16 turns, a resignation, two busts."""
    return story_of(read_record(example_record()))
