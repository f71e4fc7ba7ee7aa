"""Games of the past as tables, as JSON and as CSV."""

import csv
import json

import pytest
from msgspec.structs import replace

from cantstop_client.past import CSV_COLUMNS, csv_lines, game_as_dict, games_lines
from cantstop_protocol.past import GameSeat, GameSummary
from cantstop_protocol.text import cells

ANN, KELLER = GameSeat("Ann", None, 3, False), GameSeat("keller", "keller", 1, False)
GAME = GameSummary(
    game="w9qy973z9p",
    status="finished",
    seats=(ANN, KELLER),
    target=3,
    dead_markers="removed",
    winner=0,
    turns=19,
    started=1_772_395_200.0,
    ended=1_772_397_000.123456,
    cursor="abc",
)


def test_a_game_as_json_has_its_times_in_utc_and_its_winner_by_name() -> None:
    assert json.loads(json.dumps(game_as_dict(GAME))) == {
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
        "ended_at": "2026-03-01T20:30:00.123456Z",
        "cursor": "abc",
    }


def test_an_unfinished_game_has_no_end_and_no_winner() -> None:
    live = replace(GAME, status="unfinished", winner=None, ended=None, cursor=None)
    values = game_as_dict(live)
    assert (values["winner"], values["ended_at"], values["cursor"]) == (None, None, None)
    assert games_lines([live], 80)[1] == (
        "w9qy973z9p  -                    19  unfinished, Ann 3, keller 1"
    )


def test_a_table_reads_well() -> None:
    odd = replace(
        GAME,
        seats=(ANN, replace(KELLER, resigned=True)),
        target=2,
        dead_markers="kept",
        winner=None,
        status="abandoned",
    )
    assert games_lines([GAME, odd, replace(GAME, winner=None)], 120) == [
        "game        ended (UTC)       turns  who won, and the columns of each",
        "w9qy973z9p  2026-03-01 20:30     19  Ann won, Ann 3, keller 1",
        "w9qy973z9p  2026-03-01 20:30     19  abandoned, Ann 3, keller 1 (gave up), target 2,"
        " dead markers kept",
        "w9qy973z9p  2026-03-01 20:30     19  nobody won, Ann 3, keller 1",
    ]


def test_a_narrow_table_has_the_players_below() -> None:
    assert games_lines([GAME, replace(GAME, turns=1)], 60) == [
        "w9qy973z9p  2026-03-01 20:30  19 turns",
        "  Ann won, Ann 3, keller 1",
        "w9qy973z9p  2026-03-01 20:30  1 turn",
        "  Ann won, Ann 3, keller 1",
    ]


def test_no_game_is_said() -> None:
    assert games_lines([], 80) == ["No such game"]


@pytest.mark.parametrize("width", [40, 60, 71, 72, 80, 120])
@pytest.mark.parametrize("name", ["Ann", "x" * 20, "\u6f22" * 10, "\x1b[2J\u202eevil"])
def test_a_table_fits_and_passes_the_gate(name: str, width: int) -> None:
    seat = GameSeat(name, None, 2, True)
    games = [replace(GAME, seats=(seat,) * count, dead_markers="kept") for count in (1, 2, 4)]
    for line in games_lines(games, width):
        assert cells(line) <= width
        assert "\x1b" not in line
        assert "\u202e" not in line


def test_csv_is_read_back() -> None:
    quoted = replace(GAME, seats=(replace(ANN, name='A,n"n'), KELLER), winner=1)
    live = replace(GAME, status="unfinished", winner=None, ended=None, cursor=None)
    rows = list(csv.DictReader(csv_lines([quoted, live])))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert rows[0] | {"cursor": "abc"} == rows[0]
    assert (rows[0]["name_1"], rows[0]["kind_1"], rows[0]["columns_1"]) == ('A,n"n', "person", "3")
    assert (rows[0]["kind_2"], rows[0]["winner"], rows[0]["name_3"]) == ("keller", "2", "")
    assert rows[0]["ended_at"] == "2026-03-01T20:30:00.123456Z"
    assert (rows[1]["winner"], rows[1]["ended_at"], rows[1]["status"]) == ("", "", "unfinished")


@pytest.mark.parametrize("time", [1e300, -1e300, float("inf"), float("nan"), 253_402_300_800.0])
def test_what_is_no_time_or_no_seat_is_left_out(time: float) -> None:
    odd = replace(GAME, started=time, ended=time, winner=7)
    values = game_as_dict(odd)
    assert (values["winner"], values["started_at"], values["ended_at"]) == (None, None, None)
    assert games_lines([odd], 80)[1].startswith("w9qy973z9p  -      ")
    assert len(list(csv_lines([odd]))) == 2
