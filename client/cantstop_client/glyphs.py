"""The characters a picture is made of, for outputs that can show them and for those that cannot.

None is of ambiguous width (Unicode Standard Annex 11): those take one cell here and two there.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Glyphs:
    """``step`` is a free step, ``runner`` a runner, ``claimed`` a step of a claimed column.

    ``bar`` and ``half_bar`` are a cell of a bar and half a one; ``fine`` plots have braille dots.
    """

    step: str
    runner: str
    claimed: str
    times: str
    bar: str
    half_bar: str
    fine: bool


UNICODE: Final = Glyphs(
    step="\u2219",
    runner="\u25b8",
    claimed="=",
    times="\u00d7",
    bar="\u28ff",
    half_bar="\u2847",
    fine=True,
)
"""A bullet operator and a small triangle; the multiplication sign is for words, not the grid."""

ASCII: Final = Glyphs(
    step=".", runner=">", claimed="=", times="x", bar="#", half_bar="#", fine=False
)

LETTERS: Final = "ABCD"
"""The letter of each seat, on the board and in the legend."""


def letter(seat: int | None) -> str:
    """The letter of a seat; a question mark for what is none."""
    return LETTERS[seat] if seat is not None and 0 <= seat < len(LETTERS) else "?"
