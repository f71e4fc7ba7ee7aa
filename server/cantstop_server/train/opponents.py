"""The published players, compiled, as opponents to learn from and to measure against."""

from enum import IntEnum
from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

from cantstop_server.players.generalised import GLENN_ALOI, RULE_OF_28, Parameters
from cantstop_server.players.keller import DEFAULT_WEIGHTS, option_tables
from cantstop_server.rules.board import COLUMNS
from cantstop_server.rules.odds import busting_rolls
from cantstop_server.train.turns import MOST_OPTIONS, advance, runner_in, topped


class Opponent(IntEnum):
    """Who plays a seat; ``EXPERT`` plays the solved turn."""

    EXPERT = -1
    GLENN = 0
    RULE28 = 1
    KELLER = 2


OPPONENTS: Final = (Opponent.GLENN, Opponent.RULE28, Opponent.KELLER)


class Heuristics(NamedTuple):
    """What the published players go by, as arrays; the first index is the ``Opponent``.

    ``extras`` are what three runners add in all odd and all even columns, in columns from 7 up
    and up to 7, what an option loses for each runner, and the count at which to stop. ``worth``
    and ``penalty`` are the tables of ``keller``'s choice, and ``certain`` tells for each set of
    columns, as bits, whether every roll moves one of them.
    """

    progress: Any
    choice: Any
    extras: Any
    worth: Any
    penalty: Any
    certain: Any


def heuristics() -> Heuristics:
    """The players with their published parameters."""
    given = (GLENN_ALOI, RULE_OF_28, RULE_OF_28)
    worth, penalty = option_tables(DEFAULT_WEIGHTS)
    longest = max(len(row) for row in penalty)
    worth_table = np.zeros((len(COLUMNS), longest, longest + 1), np.int64)
    penalty_table = np.zeros((len(COLUMNS), longest), np.int64)
    for i, column in enumerate(COLUMNS):
        for marker, row in enumerate(worth[column]):
            worth_table[i, marker, : len(row)] = row
        penalty_table[i, : len(penalty[column])] = penalty[column]
    return Heuristics(
        np.array([_mirrored(one.progress) for one in given], np.int64),
        np.array([_mirrored(one.choice) for one in given], np.int64),
        np.array([_extras(one) for one in given], np.int64),
        worth_table,
        penalty_table,
        np.array([busting_rolls(movable << 2) == 0 for movable in range(1 << len(COLUMNS))]),
    )


def _mirrored(values: tuple[int, ...]) -> tuple[int, ...]:
    return (*values, *values[-2::-1])


def _extras(given: Parameters) -> tuple[int, ...]:
    return (given.odd, given.even, given.high, given.low, given.marker, given.threshold)


@njit(cache=True, nogil=True)
def _extra(rules, who, columns, n):
    if n < 3:
        return 0
    middle = rules.progress.shape[1] // 2
    odd, high, low = 0, 0, 0
    for i in range(3):
        # Column 2 is number 0 here: even numbers are even columns.
        odd += columns[i] % 2
        high += 1 if columns[i] >= middle else 0
        low += 1 if columns[i] <= middle else 0
    extra = rules.extras[who, 0] if odd == 3 else rules.extras[who, 1] if odd == 0 else 0
    return extra + (rules.extras[who, 2] if high == 3 else rules.extras[who, 3] if low == 3 else 0)


@njit(cache=True, nogil=True)
def _weighed(values, own, columns, steps, n):
    total = 0
    for i in range(n):
        total += (steps[i] - own[columns[i]] + 1) * values[columns[i]]
    return total


@njit(cache=True, nogil=True)
def choose(rules, who, t, own, other, columns, steps, n, options, count):
    """The option that an opponent takes; the generator breaks the ties that are broken evenly."""
    c1, s1 = np.empty(3, np.int64), np.empty(3, np.int64)
    scores = np.empty(MOST_OPTIONS, np.int64)
    top, equals = 0, 0
    for k in range(count):
        if who == Opponent.KELLER:
            scores[k] = _keller_score(rules, t, own, other, columns, steps, n, options[k])
        else:
            c1[:] = columns
            s1[:] = steps
            n1 = advance(t, own, c1, s1, n, options[k])
            scores[k] = _weighed(rules.choice[who], own, c1, s1, n1)
            scores[k] -= _extra(rules, who, c1, n1) + rules.extras[who, 4] * n1
        if k == 0 or scores[k] > top:
            top, equals = scores[k], 1
        elif scores[k] == top:
            equals += 1
    skip = 0
    if who != Opponent.KELLER and equals > 1:
        skip = np.random.randint(equals)
    for k in range(count):
        if scores[k] == top:
            if skip == 0:
                return options[k]
            skip -= 1
    return options[0]


@njit(cache=True, nogil=True)
def _keller_score(rules, t, own, other, columns, steps, n, option):
    total, previous = 0, -1
    for x in (option // 16, option % 16 - 1):
        if x < 0:
            continue
        i = runner_in(columns, n, x)
        step = (steps[i] if i >= 0 else own[x]) + (2 if x == previous else 1)
        total += rules.worth[x, own[x], step] - rules.penalty[x, other[x]]
        previous = x
    return total


@njit(cache=True, nogil=True)
def stops_now(rules, who, t, own, opened, lacking, columns, steps, n):
    """Whether an opponent that lacks so many claims stops rather than roll."""
    on_top = topped(t, columns, steps, n)
    if on_top >= lacking:
        return True
    movable, placeable = 0, False
    for x in range(len(own)):
        i = runner_in(columns, n, x)
        if not opened[x] or (i < 0 and n == 3) or (i >= 0 and steps[i] == t.lengths[x]):
            continue
        movable |= 1 << x
        placeable = placeable or i < 0
    if who == Opponent.KELLER and on_top > 0:
        return not rules.certain[movable]
    if placeable:
        return False
    count = _weighed(rules.progress[who], own, columns, steps, n) + _extra(rules, who, columns, n)
    return count >= rules.extras[who, 5]
