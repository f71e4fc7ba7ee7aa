"""The characters of the full-screen picture.

None is of ambiguous width (Unicode Standard Annex 11) nor an emoji: no box drawing, no blocks.
"""

from dataclasses import dataclass, replace
from typing import Final

from cantstop_client.glyphs import ASCII, UNICODE, Glyphs


@dataclass(frozen=True, slots=True)
class Marks:
    """``shapes`` are the seats' own; ``preview`` is where a runner would go, ``lost`` where one
    was. ``words`` are for the texts that the other faces use too."""

    shapes: str
    step: str
    runner: str
    preview: str
    lost: str
    rule: str
    words: Glyphs
    ascii: bool


UNICODE_MARKS: Final = Marks(
    shapes="\u25b4\u25ae\u25ca\u25be",
    step="\u2219",
    runner="\u25c9",
    preview="\u25cc",
    lost="x",
    rule="-",
    words=replace(UNICODE, runner="\u25c9", times="x"),
    ascii=False,
)
"""Triangle, bar, lozenge, triangle on its point; a fisheye runs."""

ASCII_MARKS: Final = Marks(
    shapes="^#*%",
    step=".",
    runner="@",
    preview="o",
    lost="x",
    rule="-",
    words=ASCII,
    ascii=True,
)
