"""Colours: which are used, on which terminal, and that players differ in all of them."""

import pytest

from cantstop_client.fullscreen.fragments import line
from cantstop_client.fullscreen.marks import ASCII_MARKS, UNICODE_MARKS
from cantstop_client.fullscreen.palette import (
    NO_COLOUR,
    TRUE_COLOUR,
    Paint,
    Style,
    ansi,
    choose_depth,
    is_light,
    nearest_of_256,
    paint,
)

ROLES = (
    "seat0",
    "runner1",
    "claim2",
    "dim",
    "bold",
    "turn",
    "preview",
    "alarm",
    "notice",
    "chosen",
)


@pytest.mark.parametrize(
    ("choice", "environment", "depth"),
    [
        ("auto", {"TERM": "xterm"}, 16),
        ("auto", {"TERM": "xterm-256color"}, 256),
        ("auto", {"TERM": "xterm", "COLORTERM": "truecolor"}, TRUE_COLOUR),
        ("auto", {"TERM": "xterm", "COLORTERM": "truecolor", "NO_COLOR": "1"}, NO_COLOUR),
        ("auto", {"TERM": "xterm", "NO_COLOR": ""}, 16),
        ("always", {"TERM": "xterm-256color", "NO_COLOR": "1"}, 256),
        ("never", {"TERM": "xterm-256color"}, NO_COLOUR),
    ],
)
def test_how_many_colours(choice, environment, depth) -> None:
    assert choose_depth(choice, environment) == depth


def test_the_background_is_told_or_found_out() -> None:
    assert is_light("light", {})
    assert not is_light("dark", {"COLORFGBG": "0;15"})
    assert is_light("auto", {"COLORFGBG": "0;15"})
    assert not is_light("auto", {"COLORFGBG": "15;0"})
    assert not is_light("auto", {})


@pytest.mark.parametrize("depth", [16, 256, TRUE_COLOUR])
@pytest.mark.parametrize("light", [False, True])
def test_players_have_four_colours_everywhere(depth, light) -> None:
    style = Style(UNICODE_MARKS, depth, light)
    assert len({paint(f"seat{seat}", style).fg for seat in range(4)}) == 4
    assert len({paint(f"runner{seat}", style).bg for seat in range(4)}) == 4


@pytest.mark.parametrize("marks", [UNICODE_MARKS, ASCII_MARKS])
def test_players_have_four_shapes_and_nothing_else_looks_like_them(marks) -> None:
    taken = [*marks.shapes, marks.step, marks.runner, marks.preview, marks.lost, *"ABCD"]
    assert len(set(taken)) == len(taken)


@pytest.mark.parametrize("role", ROLES)
def test_without_colour_nothing_is_coded(role) -> None:
    style = Style(UNICODE_MARKS, NO_COLOUR)
    assert paint(role, style) == Paint()
    assert ansi([line("x", role)], style) == ["x"]


def test_codes_are_those_of_the_standard() -> None:
    one = [line("x", "seat0")]
    assert ansi(one, Style(UNICODE_MARKS, 16)) == ["\x1b[1;33mx\x1b[0m"]
    assert ansi(one, Style(UNICODE_MARKS, 256)) == ["\x1b[1;38;5;178mx\x1b[0m"]
    assert ansi(one, Style(UNICODE_MARKS, TRUE_COLOUR)) == ["\x1b[1;38;2;230;159;0mx\x1b[0m"]
    assert ansi([line("x", "turn")], Style(UNICODE_MARKS, 16)) == ["\x1b[1;30;103mx\x1b[0m"]


def test_the_nearest_colour_of_the_cube() -> None:
    assert nearest_of_256("#000000") == 16
    assert nearest_of_256("#ffffff") == 231
    assert nearest_of_256("#e69f00") == 178
