"""The gate for people's text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantstop_protocol.text import (
    BadText,
    cells,
    clean_chat,
    clean_name,
    clean_title,
    name_key,
    visible,
)

CONTROLS = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
BIDI = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c"


@given(st.text())
def test_nothing_that_controls_a_terminal_gets_through(text: str) -> None:
    shown = visible(text)
    assert not set(shown) & set(CONTROLS + BIDI)
    assert not any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Cn"} for c in shown)
    assert "\n" not in shown
    assert "\r" not in shown
    assert visible(shown) == shown


@pytest.mark.parametrize("control", [*CONTROLS, *BIDI])
def test_each_control_character_is_taken_out_of_chat_and_refused_in_names(control: str) -> None:
    assert visible(f"a{control}b") in ("ab", "a b")
    if not control.isspace():
        with pytest.raises(BadText):
            clean_name(f"a{control}b")


def test_ordinary_text_of_any_script_is_left_alone() -> None:
    for text in ("Grüße, Ann!", "日本語", "नमस्ते", "שלום", "é", "a  b".replace("  ", " ")):
        assert visible(text) == text


def test_heaps_of_combining_marks_are_cut_down() -> None:
    assert visible("a" + "\u0301" * 50) == "a" + "\u0301" * 3


def test_names_are_trimmed_and_normalised_and_compared_without_case() -> None:
    assert clean_name("  Ann\u3000") == "Ann"
    assert clean_name("\uff21nn") == "Ann"
    assert name_key("Straße") == name_key("STRASSE")
    assert name_key("ANN") == name_key("\uff41nn")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "visible"),
        (" \t ", "visible"),
        ("\u200b\u200d", "visible"),
        ("\u3164", "visible"),
        ("\u2800", "visible"),
        ("x" * 21, "20 cells"),
        ("\u754c" * 11, "20 cells"),
        ("a\nb", "one line"),
        ("a  b", "doubled"),
        ("/quit", "begin"),
    ],
)
def test_impossible_names_say_why(name: str, why: str) -> None:
    with pytest.raises(BadText, match=why):
        clean_name(name)


def test_lengths_are_counted_in_terminal_cells() -> None:
    assert cells("\u754c\u754c") == 4
    assert clean_name("\u754c" * 10) == "\u754c" * 10
    assert cells(clean_chat("\u754c" * 200)) == 400
    with pytest.raises(BadText):
        clean_chat("\u754c" * 201)
    with pytest.raises(BadText):
        clean_title("x" * 41)
    assert clean_title("") == ""


def test_chat_is_one_line() -> None:
    assert clean_chat("a paste\r\nof\n\nlines") == "a paste of lines"
    with pytest.raises(BadText):
        clean_chat("\n\u200b\n")
