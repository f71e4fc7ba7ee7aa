"""Draws ``docs/screen.svg``: the real renderer's picture of a game of three, as vector text.

``python docs/screen_svg.py`` writes it; a test checks that it is current.
"""

from html import escape
from pathlib import Path

from cantstop_client.fullscreen.compose import render
from cantstop_client.fullscreen.fragments import Line
from cantstop_client.fullscreen.marks import UNICODE_MARKS
from cantstop_client.fullscreen.palette import TRUE_COLOUR, Style, paint
from cantstop_client.fullscreen.scene import Entry, Scene
from cantstop_client.view import RoomView, View
from cantstop_protocol.table import Columns, GameOptions, Option, Seat, Table, Turn
from cantstop_protocol.text import cells

PICTURE = Path(__file__).with_name("screen.svg")

WIDTH, HEIGHT = 80, 24
CELL, ROW, MARGIN = 9.6, 20, 14
GROUND, INK = "#16181d", "#d8d8d8"


def scene() -> Scene:
    """Ann, Ben and a computer player; Ann chooses."""
    seats = (
        _seat("Ann", {7: 5, 6: 3, 9: 2, 4: 4}),
        _seat("Ben", {7: 5, 8: 6, 5: 3, 12: 3}),
        _seat("keller", {8: 6, 7: 5, 3: 2, 10: 4}, bot="keller"),
    )
    options = (
        Option((5,), _columns({5: 1, 6: 4, 7: 7}), 147, 17),
        Option((6, 8), _columns({6: 5, 7: 7, 8: 1}), 104, 13),
        Option((7, 7), _columns({6: 4, 7: 9}), 1, 9),
        Option((9,), _columns({6: 4, 7: 7, 9: 3}), 111, 13),
    )
    turn = Turn(
        seat=0,
        number=9,
        ply=52,
        decision="choose",
        runners=_columns({7: 7, 6: 4}),
        dice=(3, 4, 2, 5),
        options=options,
        busting_rolls=1,
        rule_of_28=7,
        seconds_left=41.0,
    )
    table = Table(
        room="BADOK",
        title="Friday",
        phase="playing",
        options=GameOptions(seats=3, decision_seconds=45),
        creator="Ann",
        private=False,
        seats=seats,
        spectators=("Cleo",),
        lengths=(3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3),
        owners=(*[None] * 10, 1),
        game="g",
        turn=turn,
        result=None,
    )
    log = (
        Entry("event", "keller stops and keeps 7 at 5 of 13 and 8 at 6 of 11", 2),
        Entry("chat", "Ben: that is three times the 8 in a row!", 1),
        Entry("chat", "Ann: wait for it", 0),
        Entry("event", "Ann rolls 1 6 4 2", 0),
        Entry("event", "Ann takes 7 + 6: 6 at 4 of 11 and 7 at 7 of 13", 0),
        Entry("event", "Ann rolls 3 4 2 5", 0),
    )
    room = RoomView(table=table, seat=0, seq=90)
    return Scene(view=View(name="Ann", room=room), log=log, latency=0.004, highlighted=1)


def draw(scene: Scene) -> str:
    """The picture of the scene as SVG; every run of text is pinned to its cells."""
    style = Style(UNICODE_MARKS, TRUE_COLOUR)
    lines = render(scene, WIDTH, HEIGHT, style, 0.0)
    width, height = WIDTH * CELL + 2 * MARGIN, HEIGHT * ROW + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" xml:space="preserve" '
        'aria-label="A game of Can\'t Stop in the terminal">',
        "<style>text{font:16px 'DejaVu Sans Mono',Menlo,Consolas,monospace}</style>",
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
    ]
    for row, line in enumerate(lines):
        parts.extend(_row(line, row, style))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _row(line: Line, row: int, style: Style) -> list[str]:
    parts = []
    at = 0
    for fragment in line:
        look, wide = paint(fragment.role, style), cells(fragment.text)
        left, top = MARGIN + at * CELL, MARGIN + row * ROW
        if look.bg:
            parts.append(
                f'<rect x="{left:g}" y="{top:g}" width="{wide * CELL:g}" height="{ROW}" '
                f'fill="{look.bg}"/>'
            )
        text = fragment.text.rstrip()
        if text.strip():
            lead = len(text) - len(text.lstrip())
            text = text.lstrip()
            bold = ' font-weight="bold"' if look.bold else ""
            parts.append(
                f'<text x="{left + lead * CELL:g}" y="{top + 15:g}" fill="{look.fg or INK}"{bold} '
                f'textLength="{cells(text) * CELL:g}">{escape(text)}</text>'
            )
        at += wide
    return parts


def _columns(steps: dict[int, int]) -> Columns:
    return tuple(steps.get(column, 0) for column in range(2, 13))  # type: ignore[return-value]


def _seat(name: str, steps: dict[int, int], bot: str | None = None) -> Seat:
    return Seat(
        name=name, bot=bot, autopilot=None, away=False, resigned=False, markers=_columns(steps)
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(scene()), "utf-8")
