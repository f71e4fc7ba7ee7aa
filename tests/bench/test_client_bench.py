"""The client's benchmark: what it reports, never how fast this machine is."""

import json
import sys
from pathlib import Path

import pytest
from program import run

from cantstop_client import bench
from cantstop_client.bench import ClientBench, Figure, first_picture, format_client
from cantstop_client.errors import ClientError


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_each_program_is_measured_beside_the_least_there_is(tmp_path: Path) -> None:
    measured = run(tmp_path, "bench", "client", "--rounds", "1", "--json")
    assert measured.returncode == 0, measured.stderr
    result = json.loads(measured.stdout)
    assert [figure["what"] for figure in result["screens"]] == [
        "prompt_toolkit, empty screen",
        "cantstop join",
        "cantstop play, server included",
    ]
    assert [figure["what"] for figure in result["helps"]] == ["python -c pass", "cantstop --help"]
    for figure in result["screens"] + result["helps"]:
        assert figure["seconds"] > 0
        assert figure["time_ratio"] > 0
    for floor in (result["screens"][0], result["helps"][0]):
        assert floor["time_ratio"] == 1
    if sys.platform == "linux":
        assert all(figure["memory_ratio"] > 0 for figure in result["screens"])
    assert not (tmp_path / "history").exists(), "nothing of one's own is touched"


def test_the_ratios_are_medians_of_the_rounds_own() -> None:
    costs = {
        "floor": iter([(9.0, 9.0), (1.0, 10.0), (2.0, 20.0), (4.0, 10.0)]),
        "other": iter([(9.0, 9.0), (3.0, 20.0), (4.0, 20.0), (20.0, 30.0)]),
    }
    programs = {what: of.__next__ for what, of in costs.items()}
    floor, other = bench._in_turn(programs, 3)
    assert (floor.seconds, floor.time_ratio, floor.memory_ratio) == (2.0, 1.0, 1.0)
    assert (other.seconds, other.megabytes) == (4.0, 20.0)
    assert (other.time_ratio, other.memory_ratio) == (3.0, 2.0)


def test_the_report_is_a_short_table() -> None:
    least, more = Figure("least", 0.1, 30.0, 1.0, 1.0), Figure("more", 0.25, 45.0, 2.5, 1.5)
    no_memory = Figure("help", 0.3, None, 3.0, None)
    lines = format_client(ClientBench(7, (least, more), (least, no_memory))).splitlines()
    assert lines[4].split() == ["more", "250", "ms", "2.50", "45", "MB", "1.50"]
    assert lines[8].split() == ["help", "300", "ms", "3.00"]
    assert lines[9].split()[-2:] == ["200", "ms"]
    assert all(len(line) <= 80 for line in lines)


def test_no_round_at_all_is_refused() -> None:
    with pytest.raises(ClientError, match="at least 1 round, not 0"):
        bench.run_client_bench(0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_program_that_shows_nothing_is_told_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match="showed no picture: broken"):
        first_picture((sys.executable, "-c", "print('broken')"), b"a board", tmp_path)
