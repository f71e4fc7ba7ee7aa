"""The board as it lies on the table: eleven columns of their true heights, an octagon. Pure."""

from typing import Final

from cantstop_client.fullscreen.fragments import Fragment, Line, width_of
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.scene import Scene
from cantstop_client.fullscreen.steps import column_label, standing
from cantstop_client.view import RoomView
from cantstop_client.wording import FIRST_COLUMN

ROWS: Final = 15
"""Thirteen steps of the longest column, and its number at both ends."""

_COLUMNS: Final = 11


def least_cell(seats: int) -> int:
    """Cells a step needs so that all may share it, with a gap beside it."""
    return 5 if seats > 3 else 4


def upright_width(cell: int) -> int:
    return cell * _COLUMNS


def upright_lines(scene: Scene, room: RoomView, style: Style, cell: int) -> list[Line]:
    """The board in ``ROWS`` lines, the finish on top; a step takes ``cell`` cells."""
    lines = []
    for row in range(ROWS):
        parts: list[Fragment] = []
        for column, length in enumerate(room.table.lengths):
            parts.extend(_centred(_cell(scene, room, style, column, length, row), cell))
        lines.append(tuple(parts))
    return lines


def _cell(
    scene: Scene, room: RoomView, style: Style, column: int, length: int, row: int
) -> tuple[Fragment, ...]:
    above = (ROWS - 2 - length) // 2
    step = above + length + 1 - row
    if step in (0, length + 1):
        return (column_label(room, column, column + FIRST_COLUMN),)
    return standing(scene, room, column, step, style) if 0 < step <= length else ()


def _centred(parts: tuple[Fragment, ...], width: int) -> list[Fragment]:
    spare = width - width_of(parts)
    left = spare // 2
    return [Fragment(" " * left), *parts, Fragment(" " * (spare - left))]
