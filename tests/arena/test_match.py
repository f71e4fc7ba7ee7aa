"""Matches between computer players."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from cantstop_server.arena.contender import contender
from cantstop_server.arena.match import Match, MatchResult, format_match, interval, play_match
from cantstop_server.players.expert.player import ExpertPlayer
from cantstop_server.rules.errors import InvalidSetup


def timeless(result: MatchResult) -> MatchResult:
    return replace(result, decision_ms_a=0.0, decision_ms_b=0.0, seconds=0.0)


def test_a_match_is_the_same_on_one_core_and_on_two() -> None:
    match = Match("keller", "random", 60)
    alone, together = play_match(match, 1), play_match(match, 2)
    assert timeless(alone) == timeless(together)
    assert alone.win_rate > 0.8
    assert alone.interval[0] < alone.win_rate < alone.interval[1] <= 1
    assert alone.decision_ms_a > 0


def test_another_seed_gives_another_match() -> None:
    results = {play_match(Match("glenn", "rule28", 40, seed=s), 1).turns for s in (1, 2)}
    assert len(results) == 2


def test_a_player_against_itself_wins_its_share() -> None:
    for seats in (2, 3):
        result = play_match(Match("keller", "keller", 300, seats=seats), 1)
        assert result.fair_share == pytest.approx(1 / seats)
        assert result.interval[0] < result.fair_share < result.interval[1]


def test_in_solitaire_fewer_turns_win() -> None:
    result = play_match(Match("keller", "random", 40, seats=1), 1)
    assert result.turns_a is not None
    assert result.turns_b is not None
    assert result.turns_a < result.turns_b
    assert result.win_rate > 0.5
    assert "keller" in format_match(result)


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    play_match(Match("random", "random", 60), 1, lambda *done: told.append(done))
    assert told[-1] == (60, 60)


def test_a_match_reads_as_text_and_as_values() -> None:
    result = play_match(Match("keller", "random", 10, seats=3), 1)
    assert "95 % interval" in format_match(result)
    assert {"games", "win_rate", "interval"} <= set(result.as_dict())


@pytest.mark.parametrize("match", [Match("nobody", "keller", 1), Match("keller", "keller", 0)])
def test_a_match_that_cannot_be_is_refused(match: Match) -> None:
    with pytest.raises(ValueError, match=r"nobody|at least"):
        play_match(match, 1)


def test_a_target_that_nobody_may_reach_is_refused() -> None:
    with pytest.raises(InvalidSetup):
        play_match(Match("keller", "keller", 1, seats=4, target=5), 1)


def test_a_checkpoint_plays(tmp_path: Path) -> None:
    weights = tmp_path / "network.npz"
    shipped = files("cantstop_server.players").joinpath("weights", "duel.npz")
    weights.write_bytes(shipped.read_bytes())
    assert isinstance(contender(f"expert@{weights}"), ExpertPlayer)
    assert play_match(Match(f"expert@{weights}", "random", 1), 1).games == 1


@pytest.mark.parametrize("content", [None, b"", b"nonsense"])
def test_a_file_without_a_network_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "network.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match="holds no network"):
        contender(f"expert@{path}")


def test_the_interval_narrows_with_the_games_and_stays_between_none_and_all() -> None:
    low, high = interval(10, 10)
    assert 0 < low < high == pytest.approx(1)
    assert interval(0, 10)[0] == pytest.approx(0)
    wide, narrow = interval(60, 100), interval(6000, 10_000)
    assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 5
