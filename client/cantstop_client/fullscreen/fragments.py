"""Styled text: fragments in lines. A fragment says what it is; the palette says how that looks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cantstop_client.widths import cut
from cantstop_protocol.text import cells


@dataclass(frozen=True, slots=True)
class Fragment:
    """``role`` is what the text is, such as ``seat0`` or ``alarm``; "" is plain text.

    ``option`` is the number of the option that a click on this text takes.
    """

    text: str
    role: str = ""
    option: int | None = None


Line = tuple[Fragment, ...]

EMPTY: Final[Line] = ()


def line(text: str, role: str = "") -> Line:
    """A line in one style."""
    return (Fragment(text, role),)


def width_of(fragments: Iterable[Fragment]) -> int:
    """How many cells the fragments take."""
    return sum(cells(fragment.text) for fragment in fragments)


def text_of(fragments: Iterable[Fragment]) -> str:
    return "".join(fragment.text for fragment in fragments)


def fitted(fragments: Line, width: int, role: str = "") -> Line:
    """The line in exactly ``width`` cells: cut, or filled up with spaces in this role."""
    kept: list[Fragment] = []
    room = width
    for fragment in fragments:
        text = cut(fragment.text, room)
        if text:
            kept.append(replace(fragment, text=text))
        room -= cells(text)
        if text != fragment.text:
            break
    if room > 0:
        kept.append(Fragment(" " * room, role))
    return tuple(kept)


def filled(lines: Sequence[Line], height: int) -> list[Line]:
    """Exactly ``height`` lines: the last ones fall away, or empty ones follow."""
    return [*lines[:height], *[EMPTY] * (height - len(lines))]


def beside(left: Sequence[Line], right: Sequence[Line], width: int) -> list[Line]:
    """Two blocks of the same height, the left one in ``width`` cells."""
    return [(*fitted(one, width), *other) for one, other in zip(left, right, strict=True)]


def ends(left: Line, right: Line, width: int, role: str = "") -> Line:
    """A line with something at both of its ends; the right end is the one that stays whole."""
    room = max(0, width - width_of(right))
    return fitted((*fitted(left, room, role), *right), width, role)
