"""Figures over the rounds of a benchmark, and how they look."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Rate:
    """A figure over the rounds: the median, and the range."""

    median: float
    lowest: float
    highest: float


def rate_of(values: Sequence[float]) -> Rate:
    """The median and the range of at least one value."""
    return Rate(median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Line:
    """A figure beside its floor in the same rounds; ``ratio`` is of each round's two.

    There is no floor where nothing does the same with less.
    """

    what: str
    unit: str
    ours: Rate
    floor: Rate | None = None
    ratio: Rate | None = None


def line(what: str, unit: str, ours: Sequence[float], floor: Sequence[float] | None = None) -> Line:
    """A line of what each round gave."""
    if floor is None:
        return Line(what, unit, rate_of(ours))
    ratios = [one / other for one, other in zip(ours, floor, strict=True) if other]
    return Line(what, unit, rate_of(ours), rate_of(floor), rate_of(ratios) if ratios else None)


def format_lines(lines: Sequence[Line]) -> str:
    """The lines as a table for people."""
    rows = [f"{'':<30}{'':<10}{'median':>10}{'range':>20}{'floor':>10}{'ratio':>7}"]
    for each in lines:
        ours = each.ours
        spread = f"{_number(ours.lowest)}-{_number(ours.highest)}"
        row = f"{each.what:<30}{each.unit:<10}{_number(ours.median):>10}{spread:>20}"
        if each.floor is not None:
            row += f"{_number(each.floor.median):>10}"
        if each.ratio is not None:
            row += f"{each.ratio.median:>7.2f}"
        rows.append(row)
    return "\n".join(rows)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
