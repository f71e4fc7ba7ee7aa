"""What stands on one step of the board, for both of its drawings."""

from cantstop_client.fullscreen.fragments import Fragment, Line
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.scene import Scene
from cantstop_client.glyphs import letter
from cantstop_client.view import RoomView


def standing(scene: Scene, room: RoomView, column: int, step: int, style: Style) -> Line:
    """Everything on this step; ``column`` counts from 0, steps from 1.

    The markers of all who share it, then the runner, then where the previewed option would
    bring one, or where one was lost.
    """
    table, marks = room.table, style.marks
    owner = table.owners[column]
    here = [
        Fragment(letter(seat), f"seat{seat}" if owner in (None, seat) else "dim")
        for seat, who in enumerate(table.seats)
        if who is not None and who.markers[column] == step
    ]
    if owner is not None:
        return (*here, *(() if here else (Fragment(marks.shapes[owner % 4], f"claim{owner}"),)))
    here.extend(_passing(scene, room, column, step, style))
    return tuple(here) or (Fragment(marks.step, "dim"),)


def column_label(room: RoomView, column: int, number: int) -> Fragment:
    """A column's number; with the letter of the player who has claimed it."""
    owner = room.table.owners[column]
    if owner is None:
        return Fragment(str(number), "bold")
    return Fragment(f"{number}{letter(owner)}", f"seat{owner}")


def _passing(scene: Scene, room: RoomView, column: int, step: int, style: Style) -> Line:
    """Runners, previews and losses on this step."""
    turn, marks = room.turn, style.marks
    here = []
    if turn is not None and turn.runners[column] == step:
        here.append(Fragment(marks.runner, f"runner{turn.seat}"))
    elif scene.option is not None and scene.option.runners[column] == step:
        here.append(Fragment(marks.preview, "preview"))
    elif scene.bust is not None and scene.bust.lost[column] == step:
        here.append(Fragment(marks.lost, "alarm"))
    return tuple(here)
