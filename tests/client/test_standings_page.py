"""A player's record and the leaders, as people read them."""

import unicodedata

import pytest
from msgspec.structs import replace
from samples import BEST, RATED, STATS

from cantstop_client.glyphs import ASCII, UNICODE
from cantstop_client.standings import leaders_page, reply_lines, stats_page
from cantstop_protocol.messages import Stats
from cantstop_protocol.standings import PlayerStats, Versus
from cantstop_protocol.text import cells

NOTHING = PlayerStats(
    name="Ann",
    bot=None,
    games=0,
    wins=0,
    losses=0,
    streak=0,
    longest_wins=0,
    longest_losses=0,
    rating=None,
    history=(),
    by_seats=(),
    opponents=(),
    solitaire=(),
    habits=None,
    claims=(0,) * 11,
    runner_sets=(),
)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(("name", "glyphs"), [("unicode", UNICODE), ("ascii", ASCII)])
def test_a_record_reads_well(golden, width, name, glyphs) -> None:
    lines = stats_page(STATS, width, glyphs)
    assert max(map(cells, lines)) <= width
    golden(f"stats_{width}_{name}", lines)


def test_ascii_is_ascii_and_nothing_is_of_ambiguous_width() -> None:
    for glyphs in (ASCII, UNICODE):
        text = "".join(stats_page(STATS, 80, glyphs))
        assert text.isascii() == (glyphs is ASCII)
        assert {unicodedata.east_asian_width(character) for character in text} <= {"N", "Na"}


def test_a_newcomer_has_a_record_without_plots() -> None:
    assert stats_page(NOTHING, 80, UNICODE) == [
        "Ann: 0 of 0 won, 0 lost",
        "  rating            none yet: no rated game",
    ]


@pytest.mark.parametrize("name", ["x" * 20, "\u6f22" * 10, "\x1b[2J\u202eevil"])
def test_names_of_others_pass_the_gate_and_fit(name: str) -> None:
    stats = replace(STATS, name=name, opponents=(Versus(name, None, 3, 1, 2),))
    best, rated = replace(BEST, name=name), replace(RATED, name=name)
    for line in [*stats_page(stats, 60, UNICODE), *leaders_page([rated], [best], 60)]:
        assert cells(line) <= 60
        assert "\x1b" not in line
        assert "\u202e" not in line


def test_the_leaders_read_well() -> None:
    keller = replace(RATED, rank=1, name="keller", bot="keller", rating=30.25)
    ben = replace(BEST, name="Ben", target=1, games=1, best_turns=4)
    assert leaders_page([keller, RATED], [ben, BEST], 80) == [
        "                            rating     mu  sigma  games",
        "   1  keller                  30.2   27.5    1.2    120 computer",
        "   2  Ann                     23.8   27.5    1.2    120",
        "",
        "Solitaire, 1 column, fewest turns",
        "   4  Ben                   1 game",
        "",
        "Solitaire, 3 columns, fewest turns",
        "   8  Ann                   7 games",
    ]
    assert "cantstop play --rated" in " ".join(leaders_page([], [], 80))


def test_nobody_is_told() -> None:
    assert reply_lines(Stats(re=1, player=None), 80, ASCII) == ["Nobody of that name is on record"]


def test_solitaire_is_named_where_it_counts() -> None:
    assert "How they play, solitaire included: 1000 turns, 4500 rolls" in stats_page(
        STATS, 80, UNICODE
    )
    others = replace(STATS, solitaire=())
    assert "How they play: 1000 turns, 4500 rolls" in stats_page(others, 80, UNICODE)
