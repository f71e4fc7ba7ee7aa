"""The table of triples: the rules' numbers, all of them."""

from itertools import combinations

import pytest

from cantstop_client.triples import triple_lines, triples
from cantstop_protocol.text import cells
from cantstop_server.rules.board import column_set
from cantstop_server.rules.odds import busting_rolls


def test_the_numbers_are_those_of_the_rules() -> None:
    listed = {triple.columns: triple.busting_rolls for triple in triples()}
    assert listed == {
        columns: busting_rolls(column_set(columns)) for columns in combinations(range(2, 13), 3)
    }
    assert len(listed) == 165


@pytest.mark.parametrize("width", [20, 58, 78, 118, 200])
def test_the_table_shows_all_in_any_width(width: int) -> None:
    lines = triple_lines(width)
    assert sum(line.count("%") for line in lines) == 165
    assert all(cells(line) <= width for line in lines)
    assert "6-7-8     8.0%" in "\n".join(lines)
