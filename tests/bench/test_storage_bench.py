"""The storage benchmark: what it makes, asks and reports, never how fast this machine is."""

import json
from itertools import count
from pathlib import Path

import pytest
from many_games import fill_games

from cantstop_server.bench.storage import StorageBench, format_storage, run_storage_bench
from cantstop_server.storage.history import HistoryQuery
from cantstop_server.storage.store import Store


async def bench(**more: object) -> StorageBench:
    return await run_storage_bench([3, 12], 2, 1, clock=count(0.0, 0.5).__next__, **more)  # type: ignore[arg-type]


async def test_every_question_is_asked_of_every_number_of_games() -> None:
    told: list[tuple[int, int]] = []
    result = await bench(progress=lambda done, whole: told.append((done, whole)))
    assert result.games == (3, 12)
    assert len(result.milliseconds) >= 5
    assert set(result.milliseconds.values()) == {(500.0, 500.0)}
    assert set(result.ratios.values()) == {(1.0, 1.0)}
    assert told == [(3, 12), (12, 12)]


async def test_the_result_is_plain_values_and_a_table() -> None:
    result = await bench()
    assert json.loads(json.dumps(result.as_dict()))["ratios"]["history"] == [1.0, 1.0]
    lines = format_storage(result).splitlines()
    assert any(line.split() == ["history", "500.00", "500.00", "x", "1.00"] for line in lines)
    assert all(len(line) <= 100 for line in lines)


@pytest.mark.parametrize(
    ("sizes", "rounds"), [([], 1), ([0], 1), ([5, 5], 1), ([9, 3], 1), ([3], 0)]
)
async def test_a_benchmark_of_nothing_is_refused(sizes: list[int], rounds: int) -> None:
    with pytest.raises(ValueError, match="numbers that rise"):
        await run_storage_bench(sizes, rounds, 1)


async def test_the_games_it_makes_are_sound_and_of_many_kinds(tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    await fill_games(database, 200)
    store = await Store.open(database)
    found = await store.examine()
    assert (found.games, found.faults) == (200, ())
    for fields in (
        {"seats": 1},
        {"seats": 4},
        {"keep_dead_markers": True},
        {"result": "abandoned"},
        {"kind": "keller"},
        {"player": "p1", "opponent": "p2"},
    ):
        assert (await store.history_page(HistoryQuery(**fields))).games, fields  # type: ignore[arg-type]
    await store.close()
