"""The benchmark of the strong player."""

import pytest

from cantstop_server.bench.thinking import format_thinking, run_thinking_bench


def test_it_times_turns_and_moves_and_says_so() -> None:
    result = run_thinking_bench(games=1, rooms=2, moves=10, seed=1)
    assert result.turns > 3
    assert (result.rooms, result.moves) == (2, 10)
    for spread in (result.turn, result.alone, result.beside):
        assert 0 < spread.median <= spread.p95 <= spread.highest
    assert "beside 2 rooms" in format_thinking(result)
    assert result.as_dict()["moves"] == 10


def test_numbers_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        run_thinking_bench(games=0, rooms=1, moves=1, seed=1)
