"""Many rolls of the generator that games are played with, and how far they are from chance.

Chi-square compares how often each outcome came with how often fair dice would give it. The p-value
is the chance that fair dice are at least as far off: all of 0 to 1 is as likely, so that one below
0.001 now and then is no fault, and one that is always there is.
"""

import math
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cantstop_protocol.dice import SECRET_BYTES, Terms, committed_roll

ROLLS_PER_GAME: Final = 100
MOST_ROLLS: Final = 100_000_000
LEAST_ROLLS: Final = 10_000
"""Fewer would be fewer than chi-square needs in each of the 1,296 outcomes."""

_ALL: Final[NDArray[np.int64]] = np.array(list(product(range(1, 7), repeat=4)))
_PLACES: Final = np.array([216, 36, 6, 1])


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison: its statistic, degrees of freedom, and p-value."""

    what: str
    chi_square: float
    freedom: int
    p: float


@dataclass(frozen=True, slots=True)
class DiceTest:
    """All comparisons of so many rolls."""

    rolls: int
    comparisons: tuple[Comparison, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def run_dice_test(rolls: int, secret: Callable[[], bytes] | None = None) -> DiceTest:
    """Roll so often and compare. ``secret`` gives seeds and nonces, by default from the system.

    Raises ``ValueError`` for too few or too many rolls.
    """
    if not LEAST_ROLLS <= rolls <= MOST_ROLLS:
        raise ValueError(f"rolls are {LEAST_ROLLS} to {MOST_ROLLS}, not {rolls}")
    counts = _counted(rolls, secret or (lambda: secrets.token_bytes(SECRET_BYTES)))
    found = [_compared("all 1,296 rolls", counts, np.ones(len(_ALL)))]
    found += [_grouped(f"die {die + 1}: its face", counts, _ALL[:, die]) for die in range(4)]
    found.append(_grouped("sum of the four", counts, _ALL.sum(axis=1)))
    for first, second in ((0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)):
        totals = _ALL[:, first] + _ALL[:, second]
        found.append(_grouped(f"dice {first + 1} and {second + 1}: their total", counts, totals))
    return DiceTest(rolls, tuple(found))


def format_dice_test(test: DiceTest) -> str:
    """A report for people."""
    lines = [
        f"{test.rolls:,} rolls of the generator of games, compared with fair dice:",
        f"  {'what':<28} {'chi-square':>10} {'freedom':>8} {'p':>8}",
        *(
            f"  {one.what:<28} {one.chi_square:>10.1f} {one.freedom:>8} {one.p:>8.4f}"
            for one in test.comparisons
        ),
        "p is how often fair dice are at least as far off: each value is as likely as any other.",
    ]
    return "\n".join(lines)


def chi_square_p(statistic: float, freedom: int) -> float:
    """The chance that a chi-square of so many degrees of freedom is at least this.

    The regularised upper incomplete gamma function of halves, whose series is finite.
    """
    if statistic <= 0:
        return 1.0
    half = statistic / 2
    start, total = (1.0, 0.0) if freedom % 2 == 0 else (1.5, math.erfc(math.sqrt(half)))
    terms = np.arange(start, freedom / 2 + 0.25)
    logs = (terms - 1) * math.log(half) - half - np.array([math.lgamma(t) for t in terms])
    return min(1.0, total + math.fsum(np.exp(logs)))


def _counted(rolls: int, secret: Callable[[], bytes]) -> NDArray[np.int64]:
    """How often each of the 1,296 rolls came."""
    counts = np.zeros(len(_ALL), dtype=np.int64)
    for begun in range(0, rolls, ROLLS_PER_GAME):
        seed, terms = secret(), Terms((secret(), None))
        many = range(1, min(ROLLS_PER_GAME, rolls - begun) + 1)
        dice = np.array([committed_roll(seed, terms, number, "") for number in many])
        np.add.at(counts, (dice - 1) @ _PLACES, 1)
    return counts


def _grouped(what: str, counts: NDArray[np.int64], value: NDArray[np.int64]) -> Comparison:
    """The comparison by what each of the 1,296 rolls has for a value."""
    return _compared(what, np.bincount(value, counts), np.bincount(value))


def _compared(what: str, counts: NDArray[Any], ways: NDArray[Any] | Sequence[float]) -> Comparison:
    """The comparison of counts with outcomes that come about in so many ways."""
    possible = np.asarray(ways) > 0
    expected = np.asarray(ways)[possible] * counts.sum() / np.sum(ways)
    statistic = float(np.sum((counts[possible] - expected) ** 2 / expected))
    freedom = int(possible.sum()) - 1
    return Comparison(what, statistic, freedom, chi_square_p(statistic, freedom))
