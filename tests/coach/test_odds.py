"""The numbers people ask for."""

import csv
from fractions import Fraction

import pytest
from positions import VECTORS

from cantstop_server.coach.odds import (
    BadPosition,
    agreement_with_progress,
    column_chance,
    position_odds,
    triples,
)
from cantstop_server.coach.odds_report import position_lines, table_lines, tables_as_dict


def test_the_triples_are_all_there_and_bust_as_published() -> None:
    found = {triple.columns: triple for triple in triples()}
    assert len(found) == 165
    assert found[6, 7, 8].bust == Fraction(13, 162)
    assert found[2, 3, 12].bust == Fraction(91, 162)
    with (VECTORS / "bust.csv").open(encoding="utf-8") as file:
        assert len(list(csv.reader(file))) >= 165
    assert all(0 < triple.steps < 2 and triple.stop_at > 0 for triple in found.values())


def test_a_column_is_hit_as_often_as_counting_says() -> None:
    assert column_chance(7) == Fraction(139, 216)
    assert column_chance(2) == column_chance(12) == Fraction(171, 1296)


def test_a_position_says_what_stopping_and_rolling_keep() -> None:
    early = position_odds({6: 1, 7: 1, 8: 1}, {}, frozenset())
    assert early.bust == Fraction(13, 162)
    assert early.stop == 5
    assert early.roll > early.stop
    late = position_odds({2: 2, 3: 3, 12: 2}, {}, frozenset())
    assert late.stop is not None
    assert late.stop > late.roll
    assert "stop" in position_lines(late)[-1]
    start = position_odds({}, {7: 3}, frozenset({2}))
    assert start.stop is None
    assert start.roll > 0
    assert "worth" in position_lines(start)[-1]


def test_a_roll_may_bust_with_a_free_runner() -> None:
    assert position_odds({}, {}, frozenset({2})).bust == Fraction(1, 1296)


@pytest.mark.parametrize(
    ("runners", "markers", "claimed", "wrong"),
    [
        ({1: 1}, {}, (), "no column 1"),
        ({2: 1, 3: 1, 4: 1, 5: 1}, {}, (), "3 runners"),
        ({7: 14}, {}, (), "step 1 to 13"),
        ({7: 2}, {7: 2}, (), "step 3 to 13"),
        ({}, {7: 13}, (), "step 0 to 12"),
        ({7: 2}, {}, (7,), "claimed"),
    ],
)
def test_what_cannot_stand_so_is_refused(
    runners: dict[int, int], markers: dict[int, int], claimed: tuple[int, ...], wrong: str
) -> None:
    with pytest.raises(BadPosition, match=wrong):
        position_odds(runners, markers, frozenset(claimed))


def test_the_rule_of_28_stops_near_the_optimum_of_a_single_turn() -> None:
    found = agreement_with_progress()
    assert 0.5 < found.same < found.within_one < found.within_two < 1


def test_the_tables_read_as_text_and_as_values() -> None:
    text = "\n".join(table_lines())
    assert "6-7-8" in text
    values = tables_as_dict()
    assert len(values["triples"]) == 165
    assert values["columns"]["7"] == pytest.approx(139 / 216)
