"""Turns played by compiled code: what a roll allows, and the runners as they move."""

import numpy as np
from numba import njit

MOST_OPTIONS = 6
"""What a roll can allow: each of three pairings gives at most two options."""

_SECOND = 16


@njit(cache=True, nogil=True)
def runner_state(t, columns, steps, n):
    """The number of the state with ``n`` runners in any order."""
    if n == 0:
        return 0
    if n == 1:
        return t.offset1[columns[0]] + steps[0]
    if n == 2:
        a, b = columns[0], columns[1]
        return t.offset2[a, b] + steps[0] * t.stride2[a, b] + steps[1] * t.stride2[b, a]
    a, b, c = columns[0], columns[1], columns[2]
    at = t.offset3[a, b, c] + steps[0] * t.stride3[a, b, c]
    return at + steps[1] * t.stride3[b, a, c] + steps[2] * t.stride3[c, a, b]


@njit(cache=True, nogil=True)
def runner_in(columns, n, x):
    """Which of the runners is in a column, -1 for none."""
    for i in range(n):
        if columns[i] == x:
            return i
    return -1


@njit(cache=True, nogil=True)
def _able(t, opened, columns, steps, n, x):
    if not opened[x]:
        return False
    i = runner_in(columns, n, x)
    return steps[i] < t.lengths[x] if i >= 0 else n < 3


@njit(cache=True, nogil=True)
def list_options(t, own, opened, columns, steps, n, dice, options):
    """The distinct options of a roll, in the order of the rules: how many.

    An option is its lower column times 16, plus the other column and one if it has two steps.
    """
    count = 0
    for k in range(1, 4):
        x = dice[0] + dice[k]
        y = dice[1] + dice[2] + dice[3] - dice[k]
        x, y = min(x, y), max(x, y)
        can_x = _able(t, opened, columns, steps, n, x)
        can_y = _able(t, opened, columns, steps, n, y)
        both = can_x and can_y
        if both and x != y and n == 2:
            both = runner_in(columns, n, x) >= 0 or runner_in(columns, n, y) >= 0
        if both and x == y:
            i = runner_in(columns, n, x)
            if (steps[i] if i >= 0 else own[x]) + 1 == t.lengths[x]:
                count = _add(options, count, x * _SECOND)
            else:
                count = _add(options, count, x * _SECOND + y + 1)
        elif both:
            count = _add(options, count, x * _SECOND + y + 1)
        else:
            if can_x:
                count = _add(options, count, x * _SECOND)
            if can_y:
                count = _add(options, count, y * _SECOND)
    return count


@njit(cache=True, nogil=True)
def _add(options, count, option):
    at = count
    for i in range(count):
        if options[i] == option:
            return count
        if options[i] > option:
            at = i
            break
    for i in range(count, at, -1):
        options[i] = options[i - 1]
    options[at] = option
    return count + 1


@njit(cache=True, nogil=True)
def advance(t, own, columns, steps, n, option):
    """Make an option's steps: the number of runners then."""
    x, y = option // _SECOND, option % _SECOND - 1
    n = _step(t, own, columns, steps, n, x)
    return _step(t, own, columns, steps, n, y) if y >= 0 else n


@njit(cache=True, nogil=True)
def _step(t, own, columns, steps, n, x):
    i = runner_in(columns, n, x)
    if i >= 0:
        steps[i] = min(steps[i] + 1, t.lengths[x])
        return n
    columns[n] = x
    steps[n] = own[x] + 1
    return n + 1


@njit(cache=True, nogil=True)
def topped(t, columns, steps, n):
    """How many runners stand on their top step."""
    count = 0
    for i in range(n):
        if steps[i] == t.lengths[columns[i]]:
            count += 1
    return count


@njit(cache=True, nogil=True)
def roll(sides, dice):
    """Roll with the compiled code's own generator; a die is 0 to ``sides`` - 1."""
    for i in range(len(dice)):
        dice[i] = np.random.randint(sides)
