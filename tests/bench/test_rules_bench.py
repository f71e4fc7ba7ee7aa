"""The rules benchmark: what it counts and reports, never how fast this machine is."""

import json
from collections.abc import Callable
from itertools import count

import pytest

from cantstop_server.bench.rules import RulesBench, format_report, run_rules_bench
from cantstop_server.players.registry import UnknownKind


def ticking(*seconds: float) -> Callable[[], float]:
    """A clock by which the rounds take these seconds, one after the other."""
    times = [0.0]
    for taken in seconds:
        times += [times[-1] + taken] * 2
    return iter(times).__next__


def bench(seed: int = 5, kind: str = "keller") -> RulesBench:
    return run_rules_bench(4, kind, seed, rounds=3, clock=ticking(2.0, 1.0, 4.0))


def test_the_rates_are_over_the_rounds_that_the_clock_timed() -> None:
    result = bench()
    assert (result.games_per_second.median, result.decisions_per_second.median) == (
        2.0,
        result.decisions / 2.0,
    )
    assert (result.games_per_second.lowest, result.games_per_second.highest) == (1.0, 4.0)


def test_each_round_plays_the_same_games() -> None:
    once = run_rules_bench(4, "keller", 5, rounds=1, clock=count(0.0, 1.0).__next__)
    assert (once.turns, once.rolls, once.decisions) == (
        bench().turns,
        bench().rolls,
        bench().decisions,
    )
    assert once.games == bench().games == 4


def test_one_seed_gives_the_same_counts_and_another_gives_others() -> None:
    assert bench(5) == bench(5)
    assert bench(5).rolls != bench(6).rolls


def test_every_roll_is_counted_with_the_decisions_it_leads_to() -> None:
    result = bench()
    assert result.rolls > result.turns >= 4 * 3
    assert result.decisions > result.rolls
    assert 0 <= result.first_seat_wins <= 4


def test_the_result_is_plain_values_for_json() -> None:
    values = json.loads(json.dumps(bench().as_dict()))
    assert values["kind"] == "keller"
    assert values["games"] == 4
    assert set(values["games_per_second"]) == {"median", "lowest", "highest"}


def test_the_report_is_a_short_table() -> None:
    lines = format_report(bench()).splitlines()
    assert lines[0] == ("4 games of keller against keller, two seats, target 3, seed 5, 3 rounds")
    assert lines[2].split() == ["per", "second", "median", "lowest", "highest"]
    assert lines[3].split() == ["games", "2", "1", "4"]
    assert lines[4].startswith("decisions")
    assert len(lines) < 10
    assert all(len(line) <= 80 for line in lines)


def test_a_benchmark_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 game and 1 round, not 0 and 5"):
        run_rules_bench(0, "keller", 1)
    with pytest.raises(ValueError, match="at least 1 game and 1 round, not 1 and 0"):
        run_rules_bench(1, "keller", 1, rounds=0)


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(UnknownKind, match="choose one of keller, glenn"):
        run_rules_bench(1, "nobody", 1)
