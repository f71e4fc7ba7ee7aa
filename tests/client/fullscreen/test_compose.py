"""The whole picture: golden files, and what holds at every size."""

import os
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from scenes import MOMENTS, scene_of

from cantstop_client.fullscreen.compose import layout_for, render
from cantstop_client.fullscreen.fragments import text_of, width_of
from cantstop_client.fullscreen.marks import ASCII_MARKS, UNICODE_MARKS
from cantstop_client.fullscreen.palette import NO_COLOUR, TRUE_COLOUR, Style, ansi
from cantstop_client.fullscreen.scene import Scene, Trouble

GOLDENS = Path(__file__).parent / "goldens"
SIZES = ((120, 40), (80, 24), (60, 20))
STYLES = {
    "unicode_colour": Style(UNICODE_MARKS, TRUE_COLOUR),
    "unicode_none": Style(UNICODE_MARKS, NO_COLOUR),
    "ascii_colour": Style(ASCII_MARKS, TRUE_COLOUR),
    "ascii_none": Style(ASCII_MARKS, NO_COLOUR),
}
PLAIN = STYLES["ascii_none"]


def texts(scene: Scene, width: int = 80, height: int = 24, style: Style = PLAIN, now=0.0):
    return [text_of(line).rstrip() for line in render(scene, width, height, style, now)]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("size", SIZES, ids=["120x40", "80x24", "60x20"])
def test_the_screen_is_as_it_should_look(moment, players, style, size) -> None:
    width, height = size
    lines = render(scene_of(moment, players), width, height, STYLES[style], 2.0)
    text = "\n".join(line.rstrip() for line in ansi(lines, STYLES[style])) + "\n"
    path = GOLDENS / f"{moment}_{players}_{width}x{height}_{style}.txt"
    if os.environ.get("CANTSTOP_WRITE_GOLDENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text


def test_the_goldens_keep_their_promises() -> None:
    pages = sorted(GOLDENS.glob("*.txt"))
    assert len(pages) == len(MOMENTS) * 2 * len(STYLES) * len(SIZES)
    for page in pages:
        data = page.read_bytes()
        if "ascii" in page.name:
            assert max(data) <= 0x7E, page.name
        assert (b"\x1b" in data) is ("colour" in page.name), page.name


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("style", ["unicode_none", "ascii_none"])
def test_every_size_has_a_picture_that_fits(moment, players, style) -> None:
    scene = scene_of(moment, players)
    for page in (None, "help", "rules", "odds") if moment == "mid_turn" else (None,):
        for width in (1, 7, 59, 60, 79, 80, 101, 120, 200):
            for height in (1, 2, 19, 20, 24, 34, 70):
                shown = replace(scene, page=page)
                lines = render(shown, width, height, STYLES[style], 0.0)
                assert len(lines) == height, (width, height)
                assert {width_of(line) for line in lines} == {width}, (width, height)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("players", [2, 4])
def test_the_designed_sizes_show_everything_of_a_turn(size, players) -> None:
    width, height = size
    shown = "\n".join(texts(scene_of("mid_turn", players), width, height, now=2.0))
    for wanted in ("YOUR TURN", "[4] [2] [3] [5]", "1) 4 + 8", "4) 10 + 2", "0:22", "(71/648)"):
        assert wanted in shown
    assert "12 ms" in shown
    assert "LEZAT" in shown
    for letter in "ABCD"[:players]:
        assert f" {letter} " in shown


def test_no_glyph_is_of_ambiguous_width_or_an_emoji() -> None:
    for players in (2, 4):
        for moment in MOMENTS:
            scene = replace(scene_of(moment, players), log=())
            for width, height in SIZES:
                for line in render(scene, width, height, STYLES["unicode_none"], 0.0):
                    for character in text_of(line).replace("\u00dcnal \u6f22\u5b57", ""):
                        wide = unicodedata.east_asian_width(character)
                        assert wide not in "AWF" or character in "\u00dcnal\u6f22\u5b57", character


def test_all_who_share_a_step_are_on_the_board() -> None:
    shown = texts(scene_of("bust", 4))
    assert any("ABCD" in line for line in shown)
    assert any("BCD" in line and "ABCD" not in line for line in shown)


def test_the_previewed_option_is_on_the_board_and_its_chance_is_told() -> None:
    scene = replace(scene_of("mid_turn", 2), highlighted=0)
    before = texts(scene)
    after = texts(replace(scene, typed=" 4"))
    assert before != after
    assert "Bust after 9.7 % (7/72)" in "\n".join(before)
    assert "Bust after 19.4 % (7/36)" in "\n".join(after)
    assert "\n".join(after).count("o ") > 0


def test_a_line_that_is_begun_is_told_to_be_in_the_way() -> None:
    shown = texts(replace(scene_of("claim", 2), typed="so"))
    assert "Ctrl-U" in shown[-2]
    assert shown[-1] == "> so"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_is_to_be_done_with_a_begun_line_fits_the_screen(width: int) -> None:
    for moment in ("mid_turn", "claim"):
        banner = texts(replace(scene_of(moment, 4), typed="so"), width, 24)[-2].strip()
        assert banner.startswith(">>> YOUR TURN")
        assert "Ctrl-U" in banner
        assert banner.endswith("<<<")


def test_chat_gives_way_before_the_board_does() -> None:
    for width, height in SIZES:
        shown = "\n".join(texts(scene_of("mid_turn", 4), width, height))
        for column in range(2, 13):
            assert str(column) in shown


def test_smaller_says_which_size_is_needed_and_keeps_what_is_typed() -> None:
    shown = texts(replace(scene_of("bust", 2), typed="half"), 50, 12)
    assert layout_for(50, 12) == "none"
    assert "60x20" in " ".join(shown)
    assert shown[-1] == "> half"


def test_a_lost_connection_is_told_and_counts_down() -> None:
    scene = replace(scene_of("claim", 2), trouble=Trouble("the connection broke", 10.0))
    shown = texts(scene, now=7.0)
    assert "Trying again in 3 s" in shown[-2]
    assert "OFFLINE" in shown[0]


def test_a_clock_counts_down_and_never_below_zero() -> None:
    scene = scene_of("mid_turn", 2)
    assert "Clock 0:24" in "\n".join(texts(scene, now=0.0))
    assert "Clock 0:14" in "\n".join(texts(scene, now=10.0))
    assert "Clock 0:00" in "\n".join(texts(scene, now=99.0))


def test_a_bust_stays_with_its_dice_and_dead_pairs() -> None:
    shown = "\n".join(texts(scene_of("bust", 2)))
    assert "BUST [1] [1] [3] [5]" in shown
    assert "Ann busts:" in shown
    assert "2+8, 4+6 are dead" in shown


def test_who_is_away_is_told_at_every_size() -> None:
    for width, height in SIZES:
        assert "away" in "\n".join(texts(scene_of("bust", 4), width, height))


def test_in_no_room_the_list_of_rooms_and_what_to_do_are_shown() -> None:
    shown = "\n".join(texts(Scene(log=scene_of("win", 2).log)))
    assert "/join CODE" in shown
    assert "in no room" in shown
