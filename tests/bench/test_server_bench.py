"""The server benchmark measures a real server and its floor; how fast they are is not tested."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from program import run

from cantstop_server.bench.rate import Rate, format_lines, line
from cantstop_server.bench.suite import PARTS, QUICK, run_suite
from cantstop_server.loop import LOOPS


def test_a_small_run_gives_figures_for_server_and_floor(tmp_path: Path) -> None:
    options = ("--rooms", "1", "--seats", "2", "--spectators", "1", "--rounds", "1")
    options = (*options, "--seconds", "0.5", "--json")
    measured = run(tmp_path, "bench", "server", *options)
    assert measured.returncode == 0, measured.stderr
    results = json.loads(measured.stdout)
    assert [result["loop"] for result in results] == list(LOOPS)
    for result in results:
        assert (result["rooms"], result["seats"], result["spectators"]) == (1, 2, 1)
        for side in ("server", "floor"):
            assert result[side]["moves_per_cpu_second"] > 0
            assert 0 < result[side]["latency_p50"] <= result[side]["latency_p99"]
            assert result[side]["loop_lag"] >= 0
        assert len(result["ratios"]) == 1


def test_impossible_sizes_are_one_clear_line(tmp_path: Path) -> None:
    refused = run(tmp_path, "bench", "server", "--seats", "9")
    assert refused.returncode == 1
    assert "1 to 4 seats" in refused.stderr


@pytest.mark.parametrize(
    ("part", "sizes", "figures"),
    [
        ("codec", (), 7),
        ("memory", ("--rooms", "3"), 2),
        ("journal", ("--rooms", "3", "--seconds", "0.2"), 3),
        ("resume", ("--rooms", "3"), 3),
        ("startup", (), 1),
    ],
)
def test_each_part_gives_its_figures(
    tmp_path: Path, part: str, sizes: tuple[str, ...], figures: int
) -> None:
    measured = run(tmp_path, "bench", part, *sizes, "--rounds", "1", "--json")
    assert measured.returncode == 0, measured.stderr
    lines = json.loads(measured.stdout)
    assert len(lines) == figures
    for found in lines:
        ours = found["ours"]
        assert ours["lowest"] <= ours["median"] <= ours["highest"]
        assert (found["floor"] is None) == (found["ratio"] is None)
    if part != "memory":  # of three rooms nothing may be seen
        assert all(found["ours"]["lowest"] > 0 for found in lines)


@pytest.mark.parametrize("part", ["codec", "memory", "journal", "resume", "startup"])
def test_no_round_at_all_is_refused(tmp_path: Path, part: str) -> None:
    refused = run(tmp_path, "bench", part, "--rounds", "0")
    assert refused.returncode == 1
    assert "at least 1" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_whole_runs_every_part_and_tells_of_each() -> None:
    told: list[str] = []
    plan = replace(QUICK, rows=((1, 1, 0),), seconds=0.2, games=2, rooms=2)
    found = run_suite(plan, told.append)
    assert list(found) == list(PARTS)
    assert [report.split()[1] for report in told] == list(PARTS)
    json.dumps(found)


def test_a_ratio_is_of_the_rounds_own() -> None:
    one = line("what", "ms", [2.0, 9.0, 4.0], [1.0, 3.0, 4.0])
    assert one.ours == Rate(4.0, 2.0, 9.0)
    assert one.floor == Rate(3.0, 1.0, 4.0)
    assert one.ratio == Rate(2.0, 1.0, 3.0)
    table = format_lines([one, line("no floor", "s", [100_000.0])]).splitlines()
    assert table[1].split() == ["what", "ms", "4.00", "2.00-9.00", "3.00", "2.00"]
    assert table[2].split() == ["no", "floor", "s", "100,000", "100,000-100,000"]
    assert all(len(row) <= 90 for row in table)
