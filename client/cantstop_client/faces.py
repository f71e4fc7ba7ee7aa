"""Which face a session gets: JSON lines if asked for, the full screen at a terminal, else plain."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from cantstop_client.glyphs import ASCII, Glyphs
from cantstop_client.happenings import Happening
from cantstop_client.jsonl import JsonFace
from cantstop_client.output import standard_output
from cantstop_client.paths import data_directory
from cantstop_client.plain import PlainFace
from cantstop_client.plain_screen import PlainScreen
from cantstop_client.session import Session
from cantstop_client.streams import is_terminal, standard_input
from cantstop_client.view import View

if TYPE_CHECKING:
    from cantstop_client.fullscreen.palette import Style


@dataclass(frozen=True, slots=True)
class FaceOptions:
    """How the person wants to see it. ``plain`` never takes the full screen.

    ``json`` is for programs. ``keys`` are the person's own, such as ``{"roll": "w"}``.
    """

    plain: bool = False
    json: bool = False
    color: Literal["auto", "always", "never"] = "auto"
    palette: Literal["auto", "dark", "light"] = "auto"
    bell: Literal["turn", "mention", "off"] = "turn"
    mouse: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)


class Face(Protocol):
    """What shows a session and lets a person act in it."""

    @property
    def view(self) -> View: ...
    def listen(self, happening: Happening) -> None: ...
    def say(self, lines: Iterable[str]) -> None: ...
    async def run(self, session: Session) -> int: ...


def make_face(options: FaceOptions, *, alone: bool = False, unattended: bool = False) -> Face:
    """The face that fits. ``alone``: nobody else can join; ``unattended``: nobody is asked."""
    if options.json:
        return JsonFace(unattended=unattended)
    output = standard_output()
    if not wants_full_screen(options, os.environ):
        output = standard_output(wrap=True)
        return PlainFace(PlainScreen(output, alone=alone, unattended=unattended), options.keys)
    # Loaded here: a plain face, and help, need none of it.
    from cantstop_client.fullscreen.face import FullScreenFace, Manner
    from cantstop_client.fullscreen.scene import KeyNames

    manner = Manner(
        make_style(options, output.glyphs), options.bell, options.mouse, KeyNames(**options.keys)
    )
    return FullScreenFace(output, manner, data_directory(), unattended=unattended)


def make_style(options: FaceOptions, glyphs: Glyphs) -> "Style":
    """What the full screen is drawn with."""
    from cantstop_client.fullscreen.marks import ASCII_MARKS, UNICODE_MARKS
    from cantstop_client.fullscreen.palette import Style, choose_depth, is_light

    return Style(
        ASCII_MARKS if glyphs is ASCII else UNICODE_MARKS,
        choose_depth(options.color, os.environ),
        is_light(options.palette, os.environ),
    )


def wants_full_screen(options: FaceOptions, environment: Mapping[str, str]) -> bool:
    """Whether both ends are a terminal that can do more than print."""
    return (
        not options.plain
        and environment.get("TERM", "") != "dumb"
        and is_terminal(standard_input())
        and is_terminal(sys.stdout)
    )
