"""The board as eleven horizontal tracks, for where rows are scarce. Pure."""

from typing import Final

from cantstop_client.fullscreen.fragments import Fragment, Line, fitted
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.scene import Scene
from cantstop_client.fullscreen.steps import column_label, standing
from cantstop_client.glyphs import letter
from cantstop_client.view import RoomView
from cantstop_client.wording import FIRST_COLUMN

ROWS: Final = 11
_LABEL: Final = 4


def track_lines(scene: Scene, room: RoomView, style: Style, width: int) -> list[Line]:
    """The board in ``ROWS`` lines, the finish at the right end of each."""
    table = room.table
    cell = max(3, min(5, (width - _LABEL - 1) // max(table.lengths)))
    lines = []
    for column, length in enumerate(table.lengths):
        label = column_label(room, column, column + FIRST_COLUMN)
        number = Fragment(f"{column + FIRST_COLUMN:>2}", label.role)
        owner = table.owners[column]
        whose = Fragment(" " if owner is None else letter(owner), label.role)
        parts: list[Fragment] = [number, whose, Fragment("|", "dim")]
        for step in range(1, length + 1):
            parts.extend(fitted(standing(scene, room, column, step, style), cell))
        parts.append(Fragment("|", "dim"))
        lines.append(tuple(parts))
    return lines
