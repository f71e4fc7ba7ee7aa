"""The bust chances of all sets of three columns, as a table to look at.

The numbers are the rules'; a test compares the file with them.
"""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from cantstop_client.wording import ALL_ROLLS

_FILE: Final = "triples.csv"
_CELL: Final = "12-12-12 100.0%   "


@dataclass(frozen=True, slots=True)
class Triple:
    """Three columns, and how many of the 1,296 rolls bust with runners below the top in them."""

    columns: tuple[int, int, int]
    busting_rolls: int


@cache
def triples() -> tuple[Triple, ...]:
    """All 165."""
    text = files("cantstop_client").joinpath("data", _FILE).read_text("utf-8")
    rows = csv.reader(text.splitlines()[1:])
    return tuple(
        Triple((int(low), int(middle), int(high)), int(rolls)) for low, middle, high, rolls in rows
    )


def triple_lines(width: int) -> list[str]:
    """The table in as many columns as fit, read downwards."""
    entries = [
        f"{'-'.join(map(str, triple.columns)):<9}{triple.busting_rolls * 100 / ALL_ROLLS:4.1f}%"
        for triple in triples()
    ]
    across = max(1, min(8, (width + 3) // len(_CELL)))
    rows = -(-len(entries) // across)
    return [
        "   ".join(f"{entry:<15}" for entry in entries[row::rows]).rstrip() for row in range(rows)
    ]
