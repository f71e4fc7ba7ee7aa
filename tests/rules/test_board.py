"""The board: columns, their lengths, and sets of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantstop_server.rules.board import (
    ALL_COLUMNS,
    COLUMNS,
    LENGTHS,
    NO_OWNERS,
    NO_STEPS,
    claimed_in,
    column_set,
    columns_in,
    standing,
)


def test_the_columns_have_the_lengths_of_the_printed_board() -> None:
    assert [LENGTHS[column] for column in COLUMNS] == [3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3]


@given(st.sets(st.sampled_from(COLUMNS)))
def test_a_set_of_columns_keeps_its_columns_in_rising_order(columns: set[int]) -> None:
    assert columns_in(column_set(columns)) == tuple(sorted(columns))


def test_the_set_of_all_columns_has_eleven() -> None:
    assert columns_in(ALL_COLUMNS) == COLUMNS


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_stands_present_one_below_the_top_and_topped(column: int) -> None:
    here = 1 << column
    for step in range(LENGTHS[column] + 1):
        row = tuple(step if c == column else 0 for c in range(13))
        left = LENGTHS[column] - step
        assert standing(row) == (
            here if step else 0,
            here if left == 0 else 0,
            here if left == 1 else 0,
        )


def test_an_empty_board_has_no_marker_and_no_owner() -> None:
    assert standing(NO_STEPS) == (0, 0, 0)
    assert claimed_in(NO_OWNERS) == 0


def test_a_column_with_any_owner_is_claimed() -> None:
    owners = tuple({4: 0, 9: 3}.get(column, -1) for column in range(13))
    assert columns_in(claimed_in(owners)) == (4, 9)
