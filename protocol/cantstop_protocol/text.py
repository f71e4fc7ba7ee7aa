"""The one gate that text from a person passes: before it is kept, and before it is shown."""

import re
import unicodedata
from typing import Final

from wcwidth import wcswidth, wcwidth

from cantstop_protocol.limits import (
    MAX_BYTES_PER_CELL,
    MAX_CHAT_CELLS,
    MAX_NAME_CELLS,
    MAX_TITLE_CELLS,
)

_UNSHOWABLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK_LOOKING: Final = frozenset("\u2800\u115f\u1160\u3164\uffa0\u034f")
_SPACES: Final = re.compile(r"\s+")
_MAX_MARKS: Final = 3


class BadText(ValueError):
    """A text that cannot be used; the message says why and what is possible."""


def visible(text: str) -> str:
    """The text as one line that is safe to show in a terminal.

    Line breaks, tabs and runs of spaces become one space. Control characters (C0, DEL, C1),
    bidi and other format characters, unassigned and private ones vanish, and so do combining
    marks past the third on one character.
    """
    kept = []
    marks = 0
    for character in _SPACES.sub(" ", text):
        category = unicodedata.category(character)
        if category in _UNSHOWABLE or character in _BLANK_LOOKING:
            continue
        marks = marks + 1 if category[0] == "M" else 0
        if marks <= _MAX_MARKS:
            kept.append(character)
    return _SPACES.sub(" ", "".join(kept)).strip()


def cells(text: str) -> int:
    """How many terminal cells the text takes. The text has passed ``visible``."""
    width = wcswidth(text)
    return width if width >= 0 else sum(max(wcwidth(character), 0) for character in text)


def clean_name(raw: str) -> str:
    """A name as it will be shown: trimmed, NFKC.

    Raises ``BadText`` if it is empty, longer than 20 cells, or holds invisible or control
    characters: a name that was silently changed would not be the one that was asked for.
    """
    name = unicodedata.normalize("NFKC", raw).strip()
    if not name or not cells(visible(name)):
        raise BadText("a name needs at least one visible character")
    if visible(name) != name:
        raise BadText("a name is one line without control, invisible or doubled space characters")
    _bounded(name, MAX_NAME_CELLS, "a name")
    if name[0] in "/@#":
        raise BadText(f"a name does not begin with {name[0]!r}")
    return name


def name_key(name: str) -> str:
    """What names are compared by: two names with the same key are the same name."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded)


def clean_title(raw: str) -> str:
    """A room's title: one visible line, possibly empty. Raises ``BadText`` past 40 cells."""
    return _bounded(visible(unicodedata.normalize("NFC", raw)), MAX_TITLE_CELLS, "a title")


def clean_chat(raw: str) -> str:
    """A line of chat. Raises ``BadText`` if nothing is visible in it, or past 400 cells."""
    text = _bounded(visible(unicodedata.normalize("NFC", raw)), MAX_CHAT_CELLS, "a line of chat")
    if not cells(text):
        raise BadText("there is nothing to see in this line")
    return text


def _bounded(text: str, limit: int, what: str) -> str:
    if cells(text) > limit:
        raise BadText(f"{what} takes at most {limit} cells, this one {cells(text)}")
    if len(text.encode()) > limit * MAX_BYTES_PER_CELL:
        raise BadText(f"{what} takes at most {limit * MAX_BYTES_PER_CELL} bytes: use fewer marks")
    return text
