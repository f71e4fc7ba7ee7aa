"""The Rule of 28."""

from typing import Any

import pytest
from positions import steps, vector_position, vector_rows

from cantstop_server.rules.rule28 import rule_of_28


@pytest.mark.parametrize("row", vector_rows(), ids=lambda row: row["name"])
def test_a_published_case_has_its_count(row: Any) -> None:
    game = vector_position(row)
    assert rule_of_28(game.runners, game.markers[0]) == row["rule_of_28"]


@pytest.mark.parametrize(
    ("runners", "count"),
    [
        ({}, 0),
        ({7: 1}, 2),
        ({7: 4}, 5),
        ({2: 1}, 12),
        ({6: 1, 8: 1}, 8),
        ({6: 1, 7: 1, 9: 1}, 4 + 2 + 6),
        ({4: 1, 6: 1, 10: 1}, 8 + 4 + 8 - 2),
        ({5: 1, 7: 1, 11: 1}, 6 + 2 + 10 + 2),
        ({5: 1, 6: 1, 7: 1}, 6 + 4 + 2 + 4),
        ({3: 1, 5: 1, 7: 1}, 10 + 6 + 2 + 2 + 4),
        ({8: 1, 10: 1, 12: 1}, 4 + 8 + 12 - 2 + 4),
    ],
    ids=str,
)
def test_a_new_runners_first_step_counts_double_and_three_columns_adjust(
    runners: dict[int, int], count: int
) -> None:
    assert rule_of_28(steps(runners), steps({})) == count


def test_steps_count_from_the_marker_wherever_it_stands() -> None:
    assert rule_of_28(steps({7: 10}), steps({7: 8, 6: 5})) == 3


def test_two_runners_make_no_adjustment() -> None:
    assert rule_of_28(steps({5: 1, 7: 1}), steps({})) == 6 + 2
