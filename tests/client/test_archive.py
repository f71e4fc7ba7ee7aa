"""History and records as tables and as JSON."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone

import pytest

from cantstop_client.archive import (
    best_lines,
    game_as_dict,
    history_lines,
    record_as_dict,
    stats_lines,
)
from cantstop_protocol.text import cells


@dataclass(frozen=True)
class Setup:
    seats: int = 2
    target: int = 3
    keep_dead_markers: bool = False
    first: int = 0


@dataclass(frozen=True)
class Seat:
    name: str
    columns: int
    bot: str | None = None
    resigned: bool = False
    player: int | None = None


@dataclass(frozen=True)
class Game:
    seats: tuple[Seat, ...]
    winner: int | None = 0
    status: str = "finished"
    turns: int = 19
    id: str = "w9qy973z9p"
    setup: Setup = Setup()
    course: str = ""
    started_at: datetime = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
    ended_at: datetime = datetime(2026, 3, 1, 22, 30, tzinfo=timezone(timedelta(hours=2)))


@dataclass(frozen=True)
class Record:
    name: str
    bot: str | None
    games: int
    wins: int
    by_seats: dict[int, tuple[int, int]]
    against: dict[str, tuple[int, int]]
    solitaire: dict[int, tuple[int, int]] = field(default_factory=dict)


ANN, KELLER = Seat("Ann", 3), Seat("keller", 1, bot="keller")


def test_a_game_as_json_has_its_course_in_utc_and_its_winner_by_name() -> None:
    value = json.loads(json.dumps(game_as_dict(Game((ANN, KELLER)))))
    assert value == {
        "id": "w9qy973z9p",
        "status": "finished",
        "options": {"seats": 2, "target": 3, "dead_markers": "removed"},
        "seats": [
            {"name": "Ann", "kind": "person", "columns": 3, "resigned": False},
            {"name": "keller", "kind": "keller", "columns": 1, "resigned": False},
        ],
        "winner": "Ann",
        "turns": 19,
        "started_at": "2026-03-01T20:00:00Z",
        "ended_at": "2026-03-01T20:30:00Z",
    }


def test_nobody_wins_an_abandoned_game() -> None:
    game = Game((ANN, KELLER), winner=None, status="abandoned")
    assert game_as_dict(game)["winner"] is None
    assert "abandoned" in history_lines([game])[1]


@pytest.mark.parametrize("name", ["Ann", "x" * 20, "\u6f22" * 10, "\x1b[2J\u202eevil"])
def test_history_fits_eighty_columns_and_passes_the_gate(name: str) -> None:
    games = [Game(tuple(Seat(name, 2) for _ in range(seats))) for seats in (1, 2, 4)]
    for line in history_lines(games):
        assert cells(line) <= 80
        assert "\x1b" not in line
        assert "\u202e" not in line


def test_history_reads_well() -> None:
    assert history_lines([Game((ANN, KELLER))]) == [
        "ended (UTC)       turns  winner                columns",
        "2026-03-01 20:30     19  Ann                   Ann 3, keller 1",
    ]
    assert "cantstop play" in history_lines([])[0]


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
