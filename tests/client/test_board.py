"""The board as text: golden files, and what holds for every board."""

import unicodedata

import pytest

from cantstop_client.board import FULL_WIDTH, board_lines, spoken_board
from cantstop_client.glyphs import ASCII, UNICODE
from cantstop_protocol.table import GameOptions
from cantstop_protocol.text import cells


@pytest.fixture
def boards(table, seat, turn):
    """Tables by name: each shows something that a board has to show."""
    four = (
        seat("Ann", {7: 3, 6: 2, 2: 1, 12: 3}),
        seat("Benedict the Second", {7: 3, 6: 2, 8: 5}, away=True),
        seat("\u6f22\u5b57\u540d", {7: 3, 8: 5, 11: 5}, autopilot="keller"),
        seat("keller", {7: 3, 6: 2, 8: 11}, bot="keller", resigned=True),
    )
    return {
        "two_at_the_start": table(turn=turn(0)),
        "two_mid_turn": table(
            seat("Ann", {7: 3, 6: 2}),
            seat("keller", {7: 5, 6: 2, 12: 1}, bot="keller"),
            turn=turn(0, "roll_or_stop", {7: 5, 6: 3, 12: 1}),
        ),
        "two_with_claims": table(
            seat("Ann", {2: 3, 7: 13}),
            seat("keller", {9: 9, 6: 1}, bot="keller"),
            owners={2: 0, 7: 0, 9: 1},
            turn=turn(1, "roll_or_stop", {6: 11}),
        ),
        "two_with_dead_markers": table(
            seat("Ann", {7: 13, 5: 2}),
            seat("keller", {7: 12, 5: 9}, bot="keller"),
            owners={7: 0, 5: 1},
            options=GameOptions(dead_markers="kept"),
        ),
        "two_and_a_free_seat": table(seat("Ann"), None, phase="waiting"),
        "three": table(
            seat("Ann", {7: 1}),
            seat("Ben", {7: 1}),
            seat("Cy", {7: 1}),
            turn=turn(0, "roll_or_stop", {7: 2}),
        ),
        "four_on_one_step": table(
            *four, owners={12: 0, 8: 3}, turn=turn(1, "roll_or_stop", {7: 4, 10: 7})
        ),
        "four_and_a_runner_on_a_full_step": table(
            seat("Ann"),
            *(seat(name, {7: 13}) for name in ("Ben", "Cy", "Dee")),
            turn=turn(0, "roll_or_stop", {7: 13}),
        ),
        "four_and_the_longest_claimed": table(*four, owners={7: 1}, turn=turn(0)),
        "solitaire": table(seat("Ann", {7: 12}), turn=turn(0, "roll_or_stop", {7: 13})),
    }


NAMES = (
    "two_at_the_start",
    "two_mid_turn",
    "two_with_claims",
    "two_with_dead_markers",
    "two_and_a_free_seat",
    "three",
    "four_on_one_step",
    "four_and_a_runner_on_a_full_step",
    "four_and_the_longest_claimed",
    "solitaire",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("style", "glyphs"), [("unicode", UNICODE), ("ascii", ASCII)])
def test_the_board_is_as_it_should_look(boards, golden, name, style, glyphs) -> None:
    assert set(boards) == set(NAMES)
    lines = board_lines(boards[name], glyphs, own_seat=0)
    if glyphs is ASCII:
        # As the output does with names in other scripts where it can write no more than ASCII.
        lines = [line.encode("ascii", "replace").decode() for line in lines]
    golden(f"board_{name}_{style}", lines)


def test_the_ascii_goldens_hold_no_byte_above_7e(goldens) -> None:
    pages = sorted(goldens.glob("*_ascii.txt"))
    assert len(pages) >= len(NAMES)
    for page in pages:
        assert max(page.read_bytes()) <= 0x7E, page.name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [20, 40, 58, 60, 80, 120])
def test_no_line_is_wider_than_it_may_be(boards, name, width) -> None:
    for glyphs in (UNICODE, ASCII):
        for line in board_lines(boards[name], glyphs, own_seat=0, width=width):
            assert cells(line) <= width


@pytest.mark.parametrize("name", NAMES)
def test_the_board_fits_sixteen_rows(boards, name) -> None:
    assert len(board_lines(boards[name], UNICODE, width=FULL_WIDTH)) <= 16


@pytest.mark.parametrize("name", NAMES)
def test_the_ascii_board_is_ascii(boards, name) -> None:
    lines = board_lines(boards[name], ASCII)
    names = "".join(seat.name for seat in boards[name].seats if seat)
    assert all(character.isascii() or character in names for line in lines for character in line)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_no_glyph_of_the_grid_is_of_ambiguous_or_double_width(glyphs) -> None:
    for character in (glyphs.step, glyphs.runner, glyphs.claimed):
        assert unicodedata.east_asian_width(character) in ("N", "Na")
        assert cells(character) == 1


def test_all_who_share_a_step_are_shown_with_the_runner_last(boards) -> None:
    (line,) = [
        line
        for line in board_lines(boards["four_and_a_runner_on_a_full_step"], ASCII)
        if line.startswith(" 7")
    ]
    assert line.endswith("BCD>|")


def test_a_narrow_screen_gets_the_columns_in_words(boards) -> None:
    lines = board_lines(boards["two_mid_turn"], ASCII, width=40)
    assert lines[0] == "6 of 11: A 2, B 2, runner 3"
    assert board_lines(boards["two_at_the_start"], ASCII, width=40)[0] == (
        "No marker is on the board"
    )


def test_the_board_in_words_has_all_that_stands_on_it(boards) -> None:
    assert spoken_board(boards["two_mid_turn"], 0) == [
        "Column 6, 11 steps: Ann at 2, keller at 2, a runner at 3",
        "Column 7, 13 steps: Ann at 3, keller at 5, a runner at 5",
        "Column 12, 3 steps: keller at 1, a runner at 1",
        "Nobody in columns 2, 3, 4, 5, 8, 9, 10, 11",
        "Ann (A, you): 0 of 3 columns claimed",
        "keller (B): 0 of 3 columns claimed",
    ]
    dead = spoken_board(boards["two_with_dead_markers"])
    assert "Column 7, 13 steps: claimed by Ann, keller at 12" in dead


def test_the_legend_says_who_has_left(table, seat) -> None:
    board = board_lines(table(seat("Ann"), seat("Ben", left=True, resigned=True)), ASCII)
    assert "B Ben (0 of 3, left)" in board[-1]
