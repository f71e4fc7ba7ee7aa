"""How each role looks: the colours of Okabe and Ito, which colour-blind people tell apart.

Masataka Okabe and Kei Ito, "Color Universal Design", 2008: https://jfly.uni-koeln.de/color/
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from cantstop_client.fullscreen.fragments import Line
from cantstop_client.fullscreen.marks import Marks

Depth = Literal[0, 16, 256, 16777216]
NO_COLOUR: Final[Depth] = 0
TRUE_COLOUR: Final[Depth] = 16777216

ColourChoice = Literal["auto", "always", "never"]
Palette = Literal["auto", "dark", "light"]

_ORANGE, _SKY, _GREEN, _YELLOW = "#e69f00", "#56b4e9", "#009e73", "#f0e442"
_BLUE, _VERMILLION, _PURPLE = "#0072b2", "#d55e00", "#cc79a7"
_GREY, _DARK_GREY, _WHITE, _BLACK = "#8a8a8a", "#6c6c6c", "#ffffff", "#000000"


@dataclass(frozen=True, slots=True)
class Paint:
    """A colour is ``#rrggbb``, the number of one of 16 or 256 colours, or "" for the usual one."""

    fg: str = ""
    bg: str = ""
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Style:
    """What a picture is made with: its characters, and what the terminal can show."""

    marks: Marks
    depth: Depth = NO_COLOUR
    light: bool = False


@dataclass(frozen=True, slots=True)
class _Look:
    """A colour on a dark and on a light background, with their nearest of the 16."""

    dark: str
    dark16: str
    light: str
    light16: str


_SEATS: Final = (
    _Look(_ORANGE, "3", _VERMILLION, "1"),
    _Look(_SKY, "6", _BLUE, "4"),
    _Look(_GREEN, "2", _GREEN, "2"),
    _Look(_PURPLE, "5", _PURPLE, "5"),
)
_TURN: Final = _Look(_YELLOW, "11", _BLUE, "4")
_ALARM: Final = _Look(_VERMILLION, "9", _VERMILLION, "1")
_FAINT: Final = _Look(_GREY, "7", _DARK_GREY, "0")


def paint(role: str, style: Style) -> Paint:
    """How the role looks. Without colour everything looks the same: the text says it all."""
    if style.depth == NO_COLOUR or not role:
        return Paint()
    if role[-1].isdigit():
        look = _SEATS[int(role[-1]) % len(_SEATS)]
        if role.startswith("runner"):
            return Paint(_ink(style), _colour(look, style), bold=True)
        return Paint(_colour(look, style), bold=role.startswith("seat"))
    match role:
        case "dim":
            return Paint(_colour(_FAINT, style))
        case "bold":
            return Paint(bold=True)
        case "turn":
            return Paint(_ink(style), _colour(_TURN, style), bold=True)
        case "preview" | "match" | "chosen":
            return Paint(_colour(_TURN, style), bold=True)
        case "alarm":
            return Paint(_colour(_ALARM, style), bold=True)
        case "notice":
            return Paint(_colour(_TURN, style))
    return Paint()


def ansi(lines: Iterable[Line], style: Style) -> list[str]:
    """The lines with the terminal's own codes in them; without colour, with none."""
    return ["".join(_coded(part.text, paint(part.role, style)) for part in line) for line in lines]


def choose_depth(choice: ColourChoice, environment: Mapping[str, str]) -> Depth:
    """How many colours to use. https://no-color.org: any value of NO_COLOR but the empty one."""
    if choice == "never" or (choice == "auto" and environment.get("NO_COLOR")):
        return NO_COLOUR
    if environment.get("COLORTERM", "").casefold() in ("truecolor", "24bit"):
        return TRUE_COLOUR
    term = environment.get("TERM", "")
    if "256" in term or environment.get("WT_SESSION"):
        return 256
    return 16


def is_light(palette: Palette, environment: Mapping[str, str]) -> bool:
    """Whether the background is light. COLORFGBG, where it is set, ends in its number."""
    if palette != "auto":
        return palette == "light"
    return environment.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")


def nearest_of_256(colour: str) -> int:
    """The number of the nearest colour in the cube of the 256."""
    levels = (0, 95, 135, 175, 215, 255)
    red, green, blue = (
        min(range(6), key=lambda level: abs(levels[level] - part)) for part in rgb(colour)
    )
    return 16 + 36 * red + 6 * green + blue


def rgb(colour: str) -> tuple[int, int, int]:
    """The parts of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _ink(style: Style) -> str:
    """What is written with on a coloured ground."""
    if style.depth == 16:
        return "15" if style.light else "0"
    return _deep(_WHITE if style.light else _BLACK, style)


def _colour(look: _Look, style: Style) -> str:
    if style.depth == 16:
        return look.light16 if style.light else look.dark16
    return _deep(look.light if style.light else look.dark, style)


def _deep(colour: str, style: Style) -> str:
    return colour if style.depth == TRUE_COLOUR else str(nearest_of_256(colour))


def _coded(text: str, look: Paint) -> str:
    codes = [*(["1"] if look.bold else []), *_sgr(look.fg, 30), *_sgr(look.bg, 40)]
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes else text


def _sgr(colour: str, base: int) -> list[str]:
    """ECMA-48, 8.3.117: 30 to 37 and 40 to 47, 90 and 100 for the bright ones, 38 and 48."""
    if not colour:
        return []
    if colour.startswith("#"):
        return [str(base + 8), "2", *map(str, rgb(colour))]
    number = int(colour)
    if number < 8:
        return [str(base + number)]
    if number < 16:
        return [str(base + 60 + number - 8)]
    return [str(base + 8), "5", colour]
