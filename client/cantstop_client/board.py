"""The board as lines of text: one track for each column, its steps from left to right. Pure."""

from collections.abc import Iterable
from typing import Final

from cantstop_client.glyphs import Glyphs, letter
from cantstop_client.wording import FIRST_COLUMN, named, seat_name
from cantstop_protocol.table import Table
from cantstop_protocol.text import cells

FULL_WIDTH: Final = 60
_FRAME: Final = len(" 7 ||")


def board_lines(
    table: Table, glyphs: Glyphs, *, own_seat: int | None = None, width: int = FULL_WIDTH
) -> list[str]:
    """The board with its legend, in lines of at most ``width`` cells.

    A step shows the letters of all who stand on it. Where there is no room for the tracks, the
    columns that hold anything are put in words.
    """
    step_width = _step_width(table)
    if _FRAME + step_width * max(table.lengths) > width:
        tracks = _in_words(table, width)
    else:
        tracks = [_ruler(table, step_width)]
        for column in range(FIRST_COLUMN, FIRST_COLUMN + len(table.lengths)):
            tracks.append(_track(table, column, glyphs, step_width, width))
    return [*tracks, *_wrapped(_legend(table, glyphs, own_seat), width)]


def spoken_board(table: Table, own_seat: int | None = None) -> list[str]:
    """The board in words alone, a line for each column with anybody in it, to be listened to."""
    lines, empty = [], []
    for column, length in enumerate(table.lengths, FIRST_COLUMN):
        index = column - FIRST_COLUMN
        owner = table.owners[index]
        here = [
            f"{named(who.name)} at {who.markers[index]}"
            for seat, who in enumerate(table.seats)
            if who is not None and who.markers[index] and seat != owner
        ]
        if table.turn is not None and table.turn.runners[index]:
            here.append(f"a runner at {table.turn.runners[index]}")
        if owner is not None:
            here.insert(0, f"claimed by {seat_name(table, owner)}")
        if here:
            lines.append(f"Column {column}, {length} steps: {', '.join(here)}")
        else:
            empty.append(str(column))
    if empty:
        lines.append(f"Nobody in {'column' if len(empty) == 1 else 'columns'} {', '.join(empty)}")
    for seat, who in enumerate(table.seats):
        if who is not None:
            you = ", you" if seat == own_seat else ""
            claimed = f"{table.owners.count(seat)} of {table.options.target} columns claimed"
            lines.append(f"{named(who.name)} ({letter(seat)}{you}): {claimed}")
    return lines


def _step_width(table: Table) -> int:
    """Room for all who may share a step, and a gap where that is cheap."""
    return max(3, min(len(table.seats) + 1, 4))


def _ruler(table: Table, step_width: int) -> str:
    numbers = "".join(f"{step:<{step_width}}" for step in range(1, max(table.lengths) + 1))
    return f"    {numbers}".rstrip()


def _track(table: Table, column: int, glyphs: Glyphs, step_width: int, width: int) -> str:
    index = column - FIRST_COLUMN
    owner = table.owners[index]
    empty = glyphs.step if owner is None else glyphs.claimed
    filler = " " if owner is None else glyphs.claimed
    steps = "".join(
        (_standing(table, index, step, glyphs) or empty).ljust(step_width, filler)
        for step in range(1, table.lengths[index] + 1)
    )
    track = f"{column:>2} |{steps}|"
    return track if owner is None else track + _claim(table, owner, width - len(track))


def _standing(table: Table, index: int, step: int, glyphs: Glyphs) -> str:
    """Who stands on the step: markers by their letters, then the runner."""
    letters = [
        letter(seat)
        for seat, who in enumerate(table.seats)
        if who is not None and who.markers[index] == step
    ]
    if table.turn is not None and table.turn.runners[index] == step:
        letters.append(glyphs.runner)
    return "".join(letters)


def _claim(table: Table, owner: int, room: int) -> str:
    """Whose column it is, in as many words as there is room for."""
    for text in (f" claimed by {seat_name(table, owner)}", f" claimed by {letter(owner)}"):
        if cells(text) <= room:
            return text
    return f" {letter(owner)}"[:room]


def _legend(table: Table, glyphs: Glyphs, own_seat: int | None) -> Iterable[str]:
    for seat, who in enumerate(table.seats):
        if who is None:
            yield f"{letter(seat)} free seat"
            continue
        notes = [f"{table.owners.count(seat)} of {table.options.target}"]
        if seat == own_seat:
            notes.insert(0, "you")
        if who.autopilot is not None:
            notes.append(f"{who.autopilot} plays")
        if who.left:
            notes.append("left")
        elif who.resigned:
            notes.append("out")
        elif who.away:
            notes.append("away")
        yield f"{letter(seat)} {named(who.name)} ({', '.join(notes)})"
    if table.turn is not None:
        yield f"{glyphs.runner} runner"


def _wrapped(parts: Iterable[str], width: int) -> list[str]:
    """The parts side by side as far as they fit; no part is broken unless it is too wide alone."""
    lines: list[str] = []
    for part in parts:
        joined = f"{lines[-1]}   {part}" if lines else part
        if lines and cells(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(_cut(part, width))
    return lines


def _in_words(table: Table, width: int) -> list[str]:
    lines = []
    for index, length in enumerate(table.lengths):
        owner = table.owners[index]
        here = [
            f"{letter(seat)} {who.markers[index]}"
            for seat, who in enumerate(table.seats)
            if who is not None and who.markers[index]
        ]
        if table.turn is not None and table.turn.runners[index]:
            here.append(f"runner {table.turn.runners[index]}")
        if owner is not None:
            here = [f"claimed by {letter(owner)}"]
        if here:
            lines.append(_cut(f"{index + FIRST_COLUMN} of {length}: {', '.join(here)}", width))
    return lines or [_cut("No marker is on the board", width)]


def _cut(text: str, width: int) -> str:
    while cells(text) > width:
        text = text[:-1]
    return text
