"""The server benchmark measures a real server and its floor; how fast they are is not tested."""

import json
from pathlib import Path

from program import run


def test_a_small_run_gives_figures_for_server_and_floor(tmp_path: Path) -> None:
    options = ("--rooms", "1", "--seats", "2", "--spectators", "1", "--rounds", "1", "--json")
    measured = run(tmp_path, "bench", "server", *options)
    assert measured.returncode == 0, measured.stderr
    results = json.loads(measured.stdout)
    assert results[0]["loop"] == "asyncio"
    for result in results:
        assert (result["rooms"], result["seats"], result["spectators"]) == (1, 2, 1)
        for side in ("server", "floor"):
            assert result[side]["moves_per_cpu_second"] > 0
            assert 0 < result[side]["latency_p50"] <= result[side]["latency_p99"]
        assert len(result["ratios"]) == 1


def test_impossible_sizes_are_one_clear_line(tmp_path: Path) -> None:
    refused = run(tmp_path, "bench", "server", "--seats", "9")
    assert refused.returncode == 1
    assert "1 to 4 seats" in refused.stderr
