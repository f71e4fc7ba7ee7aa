"""The turn solution of ``players.expert.turn``, compiled: the same figures, many times as fast."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from cantstop_server.players.expert.geometry import Geometry

NOTHING = np.float32(-1e30)
"""The value of a pairing that gives no option."""


class Tables(NamedTuple):
    """The arrays of a ``Geometry`` that the compiled code reads."""

    lengths: Any
    pairs: Any
    rolls: Any
    roll_weights: Any
    offset1: Any
    offset2: Any
    stride2: Any
    offset3: Any
    stride3: Any
    triples: Any
    outcome_weights: Any
    bust_weights: Any


def tables(geometry: Geometry) -> Tables:
    """The tables of a board, with single precision for chances."""
    return Tables(
        geometry.lengths,
        geometry.pairs,
        geometry.rolls,
        geometry.roll_weights.astype(np.float32),
        geometry.offset1,
        geometry.offset2,
        geometry.stride2,
        geometry.offset3,
        geometry.stride3,
        geometry.triples,
        np.pad(geometry.outcome_weights, ((0, 0), (0, 6))).astype(np.float32),
        geometry.bust_weights.astype(np.float32),
    )


@njit(cache=True, fastmath=True, nogil=True)
def solve(t, own, opened, stops, bust, placed, rolls, best):
    """Solve a turn: ``rolls`` gets the value of rolling in each runner state, ``best`` the better
    of rolling and stopping. Entry 0 of both is the start of the turn.

    Only states with runners in the columns of the set ``placed``, a bit for each, are solved.
    """
    _three(t, own, opened, stops, bust, placed, rolls, best)
    count = len(t.lengths)
    for a in range(count):
        for b in range(a + 1, count):
            if opened[a] and opened[b] and not placed & ~(1 << a | 1 << b):
                _two(t, own, opened, a, b, stops, bust, rolls, best)
    for a in range(count):
        if opened[a] and not placed & ~(1 << a):
            for sa in range(t.lengths[a], own[a], -1):
                _one(t, own, opened, a, sa, stops, bust, rolls, best)
    if not placed:
        _none(t, own, opened, bust, rolls, best)


@njit(cache=True, fastmath=True, nogil=True)
def _three(t, own, opened, stops, bust, placed, rolls, best):
    m = np.zeros(32, np.float32)
    w = t.outcome_weights
    for number in range(len(t.triples)):
        a, b, c = t.triples[number, 0], t.triples[number, 1], t.triples[number, 2]
        if not (opened[a] and opened[b] and opened[c]) or placed & ~(1 << a | 1 << b | 1 << c):
            continue
        la, lb, lc = t.lengths[a], t.lengths[b], t.lengths[c]
        wa, wb = t.stride3[a, b, c], t.stride3[b, a, c]
        for sa in range(la, own[a], -1):
            da1 = wa if sa < la else 0
            da2 = 2 * wa if sa + 1 < la else da1
            for sb in range(lb, own[b], -1):
                db1 = wb if sb < lb else 0
                db2 = 2 * wb if sb + 1 < lb else db1
                row = t.offset3[a, b, c] + sa * wa + sb * wb
                for sc in range(lc, own[c], -1):
                    dc1 = 1 if sc < lc else 0
                    dc2 = 2 if sc + 1 < lc else dc1
                    at = row + sc
                    topped = (1 if da1 == 0 else 0) + (2 if db1 == 0 else 0)
                    topped += 4 if dc1 == 0 else 0
                    v0, v1, v2 = best[at + da1], best[at + db1], best[at + dc1]
                    v3, v4, v5 = best[at + da2], best[at + db2], best[at + dc2]
                    v6 = best[at + da1 + db1]
                    v7 = best[at + da1 + dc1]
                    v8 = best[at + db1 + dc1]
                    # In the order of OUTCOMES.
                    m[0], m[1], m[2], m[3], m[4], m[5], m[6] = v0, v1, v2, v3, v4, v5, v6
                    m[7], m[8] = v7, v8
                    m[9], m[10], m[11] = max(v0, v1), max(v0, v2), max(v1, v2)
                    m[12], m[13], m[14] = max(v0, v4), max(v0, v5), max(v1, v3)
                    m[15], m[16], m[17] = max(v1, v5), max(v2, v3), max(v2, v4)
                    m[18], m[19], m[20] = max(v0, v8), max(v1, v7), max(v2, v6)
                    m[21] = max(v4, v7)
                    m[22], m[23] = max(m[9], v2), max(m[9], v5)
                    m[24], m[25] = max(m[10], v4), max(m[11], v3)
                    key = number * 8 + topped
                    value = t.bust_weights[key] * bust
                    for i in range(32):
                        value += w[key, i] * m[i]
                    rolls[at] = value
                    best[at] = max(value, stops[at])


@njit(cache=True, fastmath=True, nogil=True)
def _two(t, own, opened, a, b, stops, bust, rolls, best):
    """All states with runners in the columns ``a`` and ``b``."""
    count = len(t.lengths)
    # For each column that may take the third runner: the state with it just placed is at
    # starts + a's step * steps_a + b's step * steps_b.
    free = np.empty(count, np.int64)
    starts, steps_y = np.empty(count, np.int64), np.empty(count, np.int64)
    steps_a, steps_b = np.empty(count, np.int64), np.empty(count, np.int64)
    n = 0
    for y in range(count):
        if y not in (a, b) and opened[y]:
            free[n] = y
            steps_a[n], steps_b[n] = t.stride3[a, b, y], t.stride3[b, a, y]
            steps_y[n] = t.stride3[y, a, b]
            starts[n] = t.offset3[a, b, y] + (own[y] + 1) * steps_y[n]
            n += 1
    place = np.full(count, NOTHING)
    pair_values = np.empty(count * (count + 1) // 2, np.float32)
    step_a, step_b = t.stride2[a, b], t.stride2[b, a]
    for sa in range(t.lengths[a], own[a], -1):
        for sb in range(t.lengths[b], own[b], -1):
            at = t.offset2[a, b] + sa * step_a + sb * step_b
            free_a, free_b = sa < t.lengths[a], sb < t.lengths[b]
            alone_a = best[at + step_a] if free_a else NOTHING
            alone_b = best[at + step_b] if free_b else NOTHING
            for k in range(n):
                place[free[k]] = best[starts[k] + sa * steps_a[k] + sb * steps_b[k]]
            # Pairings are numbered in this order.
            pair = 0
            for x in range(count):
                for y in range(x, count):
                    pair_values[pair] = max(place[x], place[y])
                    pair += 1
            for y in range(count):
                if not opened[y]:
                    pair_values[t.pairs[a, y]], pair_values[t.pairs[b, y]] = alone_a, alone_b
            for k in range(n):
                y, i = free[k], starts[k] + sa * steps_a[k] + sb * steps_b[k]
                if own[y] + 2 <= t.lengths[y]:
                    pair_values[t.pairs[y, y]] = best[i + steps_y[k]]
                if free_a:
                    pair_values[t.pairs[a, y]] = best[i + steps_a[k]]
                if free_b:
                    pair_values[t.pairs[b, y]] = best[i + steps_b[k]]
            twice_a, twice_b = sa + 2 <= t.lengths[a], sb + 2 <= t.lengths[b]
            pair_values[t.pairs[a, a]] = best[at + 2 * step_a] if twice_a else alone_a
            pair_values[t.pairs[b, b]] = best[at + 2 * step_b] if twice_b else alone_b
            both = best[at + step_a + step_b] if free_a and free_b else max(alone_a, alone_b)
            pair_values[t.pairs[a, b]] = both
            value = _expected(t, pair_values, bust)
            rolls[at] = value
            best[at] = max(value, stops[at])


@njit(cache=True, fastmath=True, nogil=True)
def _one(t, own, opened, a, sa, stops, bust, rolls, best):
    count = len(t.lengths)
    at = t.offset1[a] + sa
    free_a = sa < t.lengths[a]
    pair_values = np.empty(count * (count + 1) // 2, np.float32)
    for x in range(count):
        for y in range(x, count):
            value = NOTHING
            if x == a and y == a:
                if free_a:
                    value = best[min(at + 2, t.offset1[a] + t.lengths[a])]
            elif x == a or y == a:
                other = y if x == a else x
                if opened[other]:
                    step = sa + 1 if free_a else sa
                    value = best[_at2(t, a, step, other, own[other] + 1)]
                elif free_a:
                    value = best[at + 1]
            elif x == y:
                if opened[x]:
                    value = best[_at2(t, a, sa, x, min(own[x] + 2, t.lengths[x]))]
            elif opened[x] and opened[y]:
                i = t.offset3[a, x, y] + sa * t.stride3[a, x, y]
                i += (own[x] + 1) * t.stride3[x, a, y] + (own[y] + 1) * t.stride3[y, a, x]
                value = best[i]
            elif opened[x]:
                value = best[_at2(t, a, sa, x, own[x] + 1)]
            elif opened[y]:
                value = best[_at2(t, a, sa, y, own[y] + 1)]
            pair_values[t.pairs[x, y]] = value
    value = _expected(t, pair_values, bust)
    rolls[at] = value
    best[at] = max(value, stops[at])


@njit(cache=True, fastmath=True, nogil=True)
def _none(t, own, opened, bust, rolls, best):
    count = len(t.lengths)
    pair_values = np.empty(count * (count + 1) // 2, np.float32)
    for x in range(count):
        for y in range(x, count):
            value = NOTHING
            if x == y:
                if opened[x]:
                    value = best[t.offset1[x] + min(own[x] + 2, t.lengths[x])]
            elif opened[x] and opened[y]:
                value = best[_at2(t, x, own[x] + 1, y, own[y] + 1)]
            elif opened[x]:
                value = best[t.offset1[x] + own[x] + 1]
            elif opened[y]:
                value = best[t.offset1[y] + own[y] + 1]
            pair_values[t.pairs[x, y]] = value
    rolls[0] = best[0] = _expected(t, pair_values, bust)


@njit(cache=True, fastmath=True, nogil=True)
def _at2(t, x, sx, y, sy):
    return t.offset2[x, y] + sx * t.stride2[x, y] + sy * t.stride2[y, x]


@njit(cache=True, fastmath=True, nogil=True)
def _expected(t, pair_values, bust):
    value = np.float32(0.0)
    for r in range(len(t.rolls)):
        top = max(
            pair_values[t.rolls[r, 0]],
            max(pair_values[t.rolls[r, 1]], pair_values[t.rolls[r, 2]]),
        )
        value += t.roll_weights[r] * (top if top > NOTHING else bust)
    return value
