"""Training runs and the measurement of their networks, where there is a compiler."""

from dataclasses import replace
from importlib.resources import files
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba")

from cantstop_server.players.expert.geometry import standard
from cantstop_server.players.expert.library import DUEL, network
from cantstop_server.players.expert.network import Network
from cantstop_server.train.measure import measure, strength_as_dict, strength_line
from cantstop_server.train.opponents import Opponent
from cantstop_server.train.trainer import BadPlan, Plan, train

SHORT = Plan(games=4, hidden=16, chunk=2, memory=500, batch=32)
SHIPPED = str(files("cantstop_server.players").joinpath("weights", "duel.npz"))
SOLITAIRE = str(files("cantstop_server.players").joinpath("weights", "solitaire.npz"))


def rows(path: Path) -> "np.typing.NDArray[np.float32]":
    with np.load(path) as values:
        return Network.load(standard(), values).rows


def test_a_plan_gives_the_same_network_each_time(tmp_path: Path) -> None:
    told: list[str] = []
    one, other = (train(SHORT, tmp_path / name, told.append) for name in ("one", "other"))
    assert np.array_equal(rows(one), rows(other))
    assert len(told) == 2


def test_games_against_others_teach_something_else(tmp_path: Path) -> None:
    alone = train(SHORT, tmp_path / "alone", lambda _: None)
    others = replace(SHORT, opponents=("glenn", "rule28", "keller"))
    assert not np.array_equal(rows(alone), rows(train(others, tmp_path / "others", lambda _: None)))


def test_a_run_goes_on_from_a_network(tmp_path: Path) -> None:
    first = train(SHORT, tmp_path / "first", lambda _: None)
    on = replace(SHORT, games=2, start=str(first), rate=1e-4, hidden=128)
    before, after = rows(first), rows(train(on, tmp_path / "second", lambda _: None))
    assert before.shape == after.shape
    assert 0 < np.abs(before - after).max() < 0.05


@pytest.mark.parametrize(
    ("plan", "complaint"),
    [
        (replace(SHORT, opponents=("nobody",)), "choose from expert, glenn"),
        (replace(SHORT, seats=1, opponents=("glenn",)), "solitaire"),
        (replace(SHORT, start="nowhere.npz"), "holds no network"),
        (replace(SHORT, start=SOLITAIRE), "for 1 seats, not 2"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused(plan: Plan, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(BadPlan, match=complaint):
        train(plan, tmp_path, lambda _: None)


def test_strength_without_luck_spreads_less_than_wins() -> None:
    found = measure(network(DUEL), Opponent.RULE28, 60, seed=3)
    assert found == measure(network(DUEL), Opponent.RULE28, 60, seed=3)
    assert found.win_rate - found.error > 0.6
    assert found.win_rate == pytest.approx(found.wins, abs=0.2)
    assert found.error < 1.96 * sqrt(found.wins * (1 - found.wins) / found.games)
    assert "against rule28" in strength_line("duel", found)
    assert strength_as_dict("duel", found)["opponent"] == "rule28"
