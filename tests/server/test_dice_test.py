"""The comparison of the generator with chance, and that it would find a biased generator."""

import math
from random import Random

import pytest

from cantstop_protocol import dice
from cantstop_server import dice_test
from cantstop_server.dice_test import chi_square_p, run_dice_test

SEED = 20


def test_the_generator_of_games_is_no_further_from_chance_than_chance_is() -> None:
    """The same rolls each time, so that it cannot fail by chance."""
    test = run_dice_test(60_000, _secrets())
    assert test.rolls == 60_000
    assert all(0.001 < one.p < 0.999 for one in test.comparisons), test


def test_dice_with_the_bias_of_a_plain_remainder_are_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A byte modulo 6 gives 1 to 4 a little more often: 43 of 256 instead of 42."""
    monkeypatch.setattr(dice, "_UNFAIR", b"")
    test = run_dice_test(300_000, _secrets())
    worst = min(one.p for one in test.comparisons if "face" in one.what or "sum" in one.what)
    assert worst < 1e-6


def test_dice_that_hang_together_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(SEED)

    def twins(*_: object) -> tuple[int, int, int, int]:
        one, two, three = (chance.randint(1, 6) for _ in range(3))
        return one, two, three, one if chance.random() < 0.1 else chance.randint(1, 6)

    monkeypatch.setattr(dice_test, "committed_roll", twins)
    found = {one.what: one.p for one in run_dice_test(20_000, _secrets()).comparisons}
    assert found["dice 1 and 4: their total"] < 1e-6
    assert found["die 1: its face"] > 1e-6
    assert found["die 4: its face"] > 1e-6


@pytest.mark.parametrize(
    ("statistic", "freedom", "p"),
    [
        # From published tables of the distribution.
        (3.841, 1, 0.05),
        (11.070, 5, 0.05),
        (20.515, 5, 0.001),
        (18.307, 10, 0.05),
        (23.209, 10, 0.01),
        (31.410, 20, 0.05),
        (14.578, 20, 0.80),
        (124.342, 100, 0.05),
    ],
)
def test_p_values_are_those_of_the_tables(statistic: float, freedom: int, p: float) -> None:
    assert chi_square_p(statistic, freedom) == pytest.approx(p, rel=2e-3)


def test_p_values_of_simple_cases_are_exact() -> None:
    assert chi_square_p(0.0, 5) == 1.0
    assert chi_square_p(6.0, 2) == pytest.approx(math.exp(-3), rel=1e-12)
    assert chi_square_p(9.0, 1) == pytest.approx(math.erfc(math.sqrt(4.5)), rel=1e-12)
    assert chi_square_p(1295.0, 1295) == pytest.approx(0.5, abs=0.01)
    assert 0 <= chi_square_p(5000.0, 1295) < 1e-100


def _secrets():
    chance = Random(SEED)
    return lambda: chance.randbytes(32)
