"""Plots of characters, readable without colour: bars, and a line over time. Pure.

The fine ones are made of braille patterns, which take one cell everywhere; ASCII has its own.
"""

from collections.abc import Sequence
from typing import Final

from cantstop_client.glyphs import Glyphs
from cantstop_client.widths import cut
from cantstop_protocol.text import cells

Bar = tuple[str, float, str]
"""What a bar is of, its value from 0 on, and what is said behind it."""

Point = tuple[float, float]

_LEAST: Final = 4
_BRAILLE: Final = 0x2800
_DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille pattern (Unicode Standard, 21.1), by row and column."""


def bar_lines(bars: Sequence[Bar], width: int, glyphs: Glyphs) -> list[str]:
    """A line for each bar, in at most ``width`` cells; the longest has what room there is."""
    label_width = max((cells(label) for label, _, _ in bars), default=0)
    said_width = max((cells(said) for _, _, said in bars), default=0)
    room = max(_LEAST, width - label_width - said_width - 4)
    most = max((value for _, value, _ in bars), default=0.0)
    lines = []
    for label, value, said in bars:
        bar = _bar(room * value / most if most else 0.0, glyphs)
        padding = " " * (label_width - cells(label))
        lines.append(cut(f"{padding}{label} |{bar} {said}", width).rstrip())
    return lines


def line_plot(points: Sequence[Point], width: int, height: int, glyphs: Glyphs) -> list[str]:
    """A line through the points, by rising x, with an axis: ``height`` lines and two below."""
    low, high = min(y for _, y in points), max(y for _, y in points)
    if high - low < 1:
        low, high = low - 0.5, high + 0.5
    labels = {
        row: f"{high - (high - low) * row / (height - 1):.1f}"
        for row in (0, (height - 1) // 2, height - 1)
    }
    label_width = max(map(len, labels.values()))
    room = max(_LEAST, width - label_width - 2)
    rows = _drawn(points, low, high, room, height, glyphs)
    lines = [
        f"{labels.get(number, ''):>{label_width}} |{row}".rstrip()
        for number, row in enumerate(rows)
    ]
    first, last = f"{points[0][0]:.0f}", f"{points[-1][0]:.0f}"
    gap = " " * max(1, room - len(first) - len(last))
    return [
        *lines,
        f"{'':{label_width}} +{'-' * room}",
        f"{'':{label_width}}  {first}{gap}{last}",
    ]


def _bar(length: float, glyphs: Glyphs) -> str:
    if length <= 0:
        return ""
    whole = int(length)
    part = glyphs.half_bar if length - whole >= 0.5 or not whole else ""
    return glyphs.bar * whole + part


def _drawn(
    points: Sequence[Point], low: float, high: float, width: int, height: int, glyphs: Glyphs
) -> list[str]:
    """The line in cells: each has several dots across and down where the glyphs are fine."""
    across, down = (2, 4) if glyphs.fine else (1, 1)
    dots_wide, dots_high = width * across, height * down
    levels = [
        round((high - y) / (high - low) * (dots_high - 1)) for y in _sampled(points, dots_wide)
    ]
    bits = [[0] * width for _ in range(height)]
    before = levels[0]
    for x, level in enumerate(levels):
        # Down or up from the level before, so that the line has no gaps.
        step = 1 if level >= before else -1
        for y in {level, *range(before + step, level, step)}:
            bits[y // down][x // across] |= _DOTS[y % down][x % across]
        before = level
    if glyphs.fine:
        return ["".join(chr(_BRAILLE + b) if b else " " for b in row) for row in bits]
    return ["".join("*" if b else " " for b in row) for row in bits]


def _sampled(points: Sequence[Point], count: int) -> list[float]:
    """The line's height at so many places, evenly from the first point to the last."""
    first, last = points[0][0], points[-1][0]
    found, index = [], 0
    for number in range(count):
        x = first + (last - first) * number / max(1, count - 1)
        while index + 2 < len(points) and points[index + 1][0] < x:
            index += 1
        (x0, y0), (x1, y1) = points[index], points[min(index + 1, len(points) - 1)]
        share = (x - x0) / (x1 - x0) if x1 > x0 else 1.0
        found.append(y0 + (y1 - y0) * min(1.0, max(0.0, share)))
    return found
