"""Exact chances, against published tables and counts by brute force."""

import csv
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from positions import ALL_ROLLS, VECTORS, position, positions, vector_position, vector_rows

from cantstop_server.rules.board import ALL_COLUMNS, COLUMNS, LENGTHS, column_set
from cantstop_server.rules.game import Game
from cantstop_server.rules.legal import legal_options
from cantstop_server.rules.odds import ROLLS, bust_chance, busting_rolls

KNOWN = {
    (6, 7, 8): Fraction(13, 162),
    (4, 6, 8): Fraction(115, 1296),
    (5, 6, 8): Fraction(17, 162),
    (5, 7, 9): Fraction(95, 648),
    (3, 5, 7): Fraction(23, 108),
    (2, 6, 7): Fraction(11, 81),
    (2, 3, 12): Fraction(91, 162),
    (2, 11, 12): Fraction(91, 162),
}


def published(name: str) -> list[dict[str, int]]:
    with (VECTORS / name).open(encoding="utf-8", newline="") as rows:
        return [{key: int(value) for key, value in row.items()} for row in csv.DictReader(rows)]


def chance_with_runners(*columns: int) -> Fraction:
    return bust_chance(position(runners=dict.fromkeys(columns, 1)).reach.movable)


def test_all_165_published_triples_are_exact() -> None:
    rows = published("bust.csv")
    triples = [(row["low"], row["middle"], row["high"]) for row in rows]
    assert triples == list(combinations(COLUMNS, 3))
    for triple, row in zip(triples, rows, strict=True):
        assert busting_rolls(column_set(triple)) == row["busting_rolls_of_1296"], triple
        assert chance_with_runners(*triple) == Fraction(row["busting_rolls_of_1296"], 1296), triple


def test_all_11_published_columns_are_exact() -> None:
    rows = published("single.csv")
    assert [row["column"] for row in rows] == list(COLUMNS)
    for row in rows:
        column = row["column"]
        assert row["length"] == LENGTHS[column]
        assert 1296 - busting_rolls(1 << column) == row["rolls_of_1296_with_the_total"]


@pytest.mark.parametrize("row", vector_rows(), ids=lambda row: row["name"])
def test_a_published_case_has_its_busting_rolls(row: Any) -> None:
    assert busting_rolls(vector_position(row).reach.movable) == row["busting_rolls_of_1296"]


@pytest.mark.parametrize("columns", KNOWN, ids=str)
def test_a_known_chance_is_exact(columns: tuple[int, int, int]) -> None:
    assert chance_with_runners(*columns) == KNOWN[columns]


def test_no_triple_is_worse_than_the_two_at_91_in_162() -> None:
    worst = [c for c in combinations(COLUMNS, 3) if chance_with_runners(*c) >= Fraction(91, 162)]
    assert worst == [(2, 3, 12), (2, 11, 12)]


def test_all_2048_column_sets_are_as_a_count_of_every_roll_finds_them() -> None:
    totals = [{a + b for a, b in combinations(dice, 2)} for dice in ALL_ROLLS]
    kinds = {frozenset(kind): totals.count(kind) for kind in totals}
    for size in range(len(COLUMNS) + 1):
        for columns in combinations(COLUMNS, size):
            by_hand = sum(n for kind, n in kinds.items() if kind.isdisjoint(columns))
            assert busting_rolls(column_set(columns)) == by_hand, columns


@settings(max_examples=60, deadline=None)
@given(positions())
def test_the_busting_rolls_are_those_that_give_no_option(game: Game) -> None:
    able = game.reach
    assert busting_rolls(able.movable) == sum(not legal_options(d, able) for d in ALL_ROLLS)


def test_nothing_movable_always_busts_and_everything_movable_never() -> None:
    assert bust_chance(0) == 1
    assert bust_chance(ALL_COLUMNS) == 0
    assert busting_rolls(0) == ROLLS == 1296


def test_a_set_is_read_by_its_columns_alone() -> None:
    assert busting_rolls(ALL_COLUMNS | 1 | 2 | 1 << 13) == 0


def test_a_free_runner_is_not_a_proof_of_safety() -> None:
    claimed = position(owners={2: 1}).reach
    topped = position(runners={2: 3}).reach
    assert claimed.free == 3
    assert topped.free == 2
    assert busting_rolls(claimed.movable) == busting_rolls(topped.movable) == 1
