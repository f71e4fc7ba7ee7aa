"""The log in a window: its newest lines at the bottom, or those that were scrolled to. Pure."""

import re

from cantstop_client.fullscreen.fragments import Fragment, Line, filled, line
from cantstop_client.fullscreen.scene import Entry, Scene
from cantstop_client.widths import wrapped


def log_lines(scene: Scene, width: int, height: int) -> list[Line]:
    """The log in exactly ``height`` lines."""
    if height <= 0:
        return []
    older = bool(scene.scroll)
    room = height - 1 if older and height > 1 else height
    end = len(scene.log) - scene.scroll
    shown: list[Line] = []
    for entry in reversed(scene.log[:end]):
        if len(shown) >= room:
            break
        shown[:0] = _entry(entry, width, scene.find)
    lines = filled(shown[-room:], room)
    if len(shown) < room:
        # A short log starts at the bottom too: the eye looks for news in one place.
        lines = [*lines[len(shown) :], *shown]
    if room < height:
        more = "1 line" if scene.scroll == 1 else f"{scene.scroll} lines"
        lines.append(line(f"-- {more} below: PageDown --", "notice"))
    return lines


def _entry(entry: Entry, width: int, find: str | None) -> list[Line]:
    role = {"event": "", "chat": "bold", "notice": "notice"}[entry.kind]
    return [_marked(text, role, find) for text in wrapped(entry.text, width)]


def _marked(text: str, role: str, find: str | None) -> Line:
    """The text with what was searched for in another style."""
    if not find:
        return line(text, role)
    parts = re.split(f"({re.escape(find)})", text, flags=re.IGNORECASE)
    return tuple(
        Fragment(part, "match" if index % 2 else role) for index, part in enumerate(parts) if part
    )
