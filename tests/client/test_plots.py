"""Plots of characters: what is longer looks longer, and all fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantstop_client.glyphs import ASCII, UNICODE
from cantstop_client.plots import bar_lines, line_plot
from cantstop_protocol.text import cells

BOTH = pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
WIDTHS = pytest.mark.parametrize("width", [60, 80, 120])


@BOTH
@WIDTHS
def test_bars_are_as_long_as_their_values_and_fit(width: int, glyphs) -> None:
    bars = [("2", 0.0, "none"), ("7", 10.0, "10"), ("12", 5.0, "5")]
    none, ten, five = bar_lines(bars, width, glyphs)
    assert max(map(cells, (none, ten, five))) <= width
    assert none == " 2 | none"
    assert ten.startswith(f" 7 |{glyphs.bar}")
    assert 1.8 < ten.count(glyphs.bar) / five.count(glyphs.bar) < 2.3
    assert cells(ten) > width - 8, "the longest has the room there is"


def test_a_small_value_is_not_nothing_and_no_values_are_no_bars() -> None:
    small, _ = bar_lines([("a", 0.001, ""), ("b", 1000.0, "")], 60, ASCII)
    assert small == "a |#"
    assert bar_lines([("a", 0.0, "0")], 60, ASCII) == ["a | 0"]
    assert bar_lines([], 60, ASCII) == []


def test_a_rise_in_ascii() -> None:
    plot = line_plot([(1, 0.0), (11, 10.0)], 16, 3, ASCII)
    assert plot == [
        "10.0 |       ***",
        " 5.0 |   ****",
        " 0.0 |***",
        "     +----------",
        "      1       11",
    ]


def test_a_rise_in_braille_has_no_gap() -> None:
    assert line_plot([(1, 0.0), (8, 10.0)], 12, 2, UNICODE) == [
        "10.0 |   \u28c0\u2814\u280a",
        " 0.0 |\u2860\u2814\u2809",
        "     +------",
        "      1    8",
    ]


points = st.lists(
    st.tuples(st.integers(1, 10_000), st.floats(-50, 50)), min_size=1, max_size=40
).map(lambda pairs: [(float(x), y) for x, y in sorted(dict(pairs).items())])


@given(points, st.integers(30, 120), st.integers(2, 12), st.sampled_from([UNICODE, ASCII]))
def test_any_line_fits_and_has_a_mark_in_every_column(points, width, height, glyphs) -> None:
    plot = line_plot(points, width, height, glyphs)
    assert len(plot) == height + 2
    assert max(map(cells, plot)) <= width
    rows = [line.partition("|")[2] for line in plot[:height]]
    axis = plot[height].partition("+")[2]
    marked = {at for row in rows for at, mark in enumerate(row) if mark != " "}
    assert marked == set(range(len(axis)))
