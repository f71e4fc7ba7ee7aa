"""The odds as text and as plain values."""

from fractions import Fraction
from typing import Any

from cantstop_server.coach.odds import (
    Agreement,
    PositionOdds,
    agreement_with_expert,
    agreement_with_progress,
    column_chance,
    triples,
)
from cantstop_server.rules.board import COLUMNS
from cantstop_server.rules.odds import ROLLS
from cantstop_server.rules.rule28 import STOP_COUNT


def tables_as_dict() -> dict[str, Any]:
    """The single columns and the triples."""
    return {
        "columns": {str(column): _value(column_chance(column)) for column in COLUMNS},
        "triples": [
            {
                "columns": list(triple.columns),
                "bust": _value(triple.bust),
                "busting_rolls": int(triple.bust * ROLLS),
                "steps": _value(triple.steps),
                "points": _value(triple.points),
                "stop_at": _value(triple.stop_at),
            }
            for triple in triples()
        ],
    }


def table_lines() -> list[str]:
    """The same for people."""
    lines = ["column  chance that a roll can make a step there"]
    lines += [f"{column:>6}  {_percent(column_chance(column)):>6}" for column in COLUMNS]
    lines += [
        "",
        "Three runners below the top, nothing claimed. Points are those of the Rule of 28 without",
        "its adjustments; from the last column on, one more roll loses more than it gains.",
        f"{'columns':<9} {'bust':>7} {'of 1296':>8} {'steps':>6} {'points':>7} {'stop at':>8}",
    ]
    lines += [
        f"{'-'.join(map(str, triple.columns)):<9} {_percent(triple.bust):>7}"
        f" {int(triple.bust * ROLLS):>8} {float(triple.steps):>6.2f} {float(triple.points):>7.2f}"
        f" {float(triple.stop_at):>8.1f}"
        for triple in triples()
    ]
    return lines


def position_as_dict(odds: PositionOdds) -> dict[str, Any]:
    """A position's figures as plain values."""
    return {
        "bust": _value(odds.bust),
        "busting_rolls": int(odds.bust * ROLLS),
        "steps": _value(odds.steps),
        "rule_of_28": odds.count,
        "stop": odds.stop,
        "roll": odds.roll,
    }


def position_lines(odds: PositionOdds) -> list[str]:
    """A position's figures for people."""
    lines = [
        f"The next roll busts in {int(odds.bust * ROLLS)} of {ROLLS} cases: {_percent(odds.bust)}",
        f"It makes {float(odds.steps):.2f} steps on average",
        f"The Rule of 28 counts {odds.count}: stop at {STOP_COUNT}",
    ]
    if odds.stop is None:
        return [*lines, f"The turn is worth {odds.roll:.1f} points of progress"]
    better = "stop" if odds.stop >= odds.roll else "roll"
    return [
        *lines,
        f"Points of progress kept: {odds.stop:.1f} by stopping, {odds.roll:.1f} by rolling on:"
        f" {better}",
    ]


def rule28_as_dict() -> dict[str, Any]:
    """The Rule of 28 against two other ways to stop."""
    return {
        "progress": agreement_with_progress()._asdict(),
        "expert": agreement_with_expert()._asdict(),
    }


def rule28_lines() -> list[str]:
    """The same for people."""
    return [
        "Three runners on their first steps, an empty board, rolls that do not bust: how near to",
        "the other the Rule of 28 stops, over the 165 triples of columns.",
        f"{'':<34} {'same':>7} {'within 1':>9} {'within 2':>9}",
        _agreement("most progress of a single turn", agreement_with_progress()),
        _agreement("the strong player's first turn", agreement_with_expert()),
        f"{'(what its author found)':<34} {'':>7} {'75 %':>9} {'92 %':>9}",
    ]


def _agreement(name: str, found: Agreement) -> str:
    same, one, two = (f"{100 * share:.1f} %" for share in found)
    return f"{name:<34} {same:>7} {one:>9} {two:>9}"


def _percent(chance: Fraction) -> str:
    return f"{100 * float(chance):.1f} %"


def _value(fraction: Fraction) -> float:
    return float(fraction)
