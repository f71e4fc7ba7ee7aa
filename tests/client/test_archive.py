"""Records as tables and as JSON."""

import json
from dataclasses import dataclass, field

from cantstop_client.archive import (
    best_lines,
    record_as_dict,
    stats_lines,
)


@dataclass(frozen=True)
class Record:
    name: str
    bot: str | None
    games: int
    wins: int
    by_seats: dict[int, tuple[int, int]]
    against: dict[str, tuple[int, int]]
    solitaire: dict[int, tuple[int, int]] = field(default_factory=dict)


def test_records_read_well() -> None:
    record = Record("Ann", None, 4, 3, {2: (3, 3), 1: (1, 0)}, {"keller": (3, 3), "people": (0, 0)})
    assert stats_lines([record, Record("keller", "keller", 0, 0, {}, {})]) == [
        "Ann: 3 of 4 won (75 %)",
        "  2 seats            3 of 3 won (100 %)",
        "  against keller     3 of 3 won (100 %)",
        "  against people     0 of 0 won",
        "keller (computer player keller): 0 of 0 won",
    ]
    assert "cantstop play" in stats_lines([])[0]


def test_a_record_as_json() -> None:
    record = Record("Ann", None, 4, 3, {2: (4, 3)}, {"keller": (4, 3)}, {3: (2, 9)})
    assert json.loads(json.dumps(record_as_dict(record))) == {
        "name": "Ann",
        "kind": "person",
        "games": 4,
        "wins": 3,
        "losses": 1,
        "by_seats": {"2": {"games": 4, "wins": 3}},
        "against": {"keller": {"games": 4, "wins": 3}},
        "solitaire": {"3": {"games": 2, "best_turns": 9}},
    }


def test_the_best_solitaire_scores_come_first() -> None:
    ann = Record("Ann", None, 3, 3, {1: (3, 3)}, {}, {3: (2, 11), 1: (1, 4)})
    ben = Record("Ben", None, 1, 1, {1: (1, 1)}, {}, {3: (1, 9)})
    assert best_lines([ann, ben]) == [
        "Solitaire, 1 column, fewest turns:",
        "    4  Ann                   1 game",
        "Solitaire, 3 columns, fewest turns:",
        "    9  Ben                   1 game",
        "   11  Ann                   2 games",
    ]
