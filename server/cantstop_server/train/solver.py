"""The turn solution of ``players.expert.turn``, compiled: the same figures, many times as fast."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from cantstop_server.players.expert.geometry import Geometry

NOTHING = np.float32(-1e30)
"""The value of a pairing that gives no option."""


_WON = np.float32(100.0)
"""The log odds of a stop that wins."""

_LOG2_E = np.float32(1.4426950408889634)
_POWERS = tuple(
    np.float32(c)
    for c in (1.8775767e-3, 8.9893397e-3, 5.5826318e-2, 2.4015361e-1, 6.9315308e-1, 9.9999994e-1)
)


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
def fill_stops(t, own, opened, change, base, bias, weights, out_bias, left, placed, stops):
    """The chance to win by stopping in each runner state of this position, into ``stops``.

    ``change[column, step]`` is what the own marker on that step changes of the hidden layer's
    ``base``. ``bias``, ``weights`` and ``out_bias`` belong to 0 to 3 columns claimed by the stop,
    and ``left`` claims win. Only states with runners in the columns of the set ``placed``, a bit
    for each, are filled; others, and those below the markers, get values without a meaning.
    """
    count = len(t.lengths)
    hidden = base.shape[0]
    bases = np.empty((4, hidden), np.float32)
    for k in range(4):
        for h in range(hidden):
            bases[k, h] = base[h] + bias[k, h]
    both, claimed = np.empty(hidden, np.float32), np.empty(hidden, np.float32)
    shifts = np.empty(t.lengths.max() + 1, np.int32)
    for a in range(count):
        if not opened[a]:
            continue
        lacking_a = placed & ~(1 << a)
        if _more_than_two(lacking_a):
            continue
        for sa in range(own[a] + 1, t.lengths[a] + 1):
            ta = 1 if sa == t.lengths[a] else 0
            x = _WON
            if ta < left:
                x = out_bias[ta] + _output(bases[ta], change[a, sa], weights[ta])
            stops[t.offset1[a] + sa] = chance_of(x)
            for b in range(a + 1, count):
                lacking_b = lacking_a & ~(1 << b)
                if not opened[b] or lacking_b & (lacking_b - 1):
                    continue
                for sb in range(own[b] + 1, t.lengths[b] + 1):
                    tb = ta + (1 if sb == t.lengths[b] else 0)
                    for h in range(hidden):
                        both[h] = change[a, sa, h] + change[b, sb, h] + bases[tb, h]
                        claimed[h] = both[h] + bias[tb + 1, h] - bias[tb, h]
                    x = _WON
                    if tb < left:
                        x = out_bias[tb] + _output(both, change[a, own[a]], weights[tb])
                    stops[t.offset2[a, b] + sa * t.stride2[a, b] + sb] = chance_of(x)
                    for c in range(b + 1, count):
                        if not opened[c] or lacking_b & ~(1 << c):
                            continue
                        at = t.offset3[a, b, c] + sa * t.stride3[a, b, c] + sb * t.stride3[b, a, c]
                        top = t.lengths[c]
                        if tb < left:
                            _outputs(
                                both, change[c], own[c] + 1, top, weights[tb], out_bias[tb], stops,
                                at,
                            )  # fmt: skip
                        else:
                            stops[at + own[c] + 1 : at + top] = _WON
                        x = _WON
                        if tb + 1 < left:
                            x = out_bias[tb + 1] + _output(claimed, change[c, top], weights[tb + 1])
                        stops[at + top] = x
                        _chances(stops[at + own[c] + 1 : at + top + 1], shifts)


@njit(cache=True, nogil=True)
def _more_than_two(columns):
    rest = columns & (columns - 1)
    return rest & (rest - 1) != 0


@njit(cache=True, fastmath=True, nogil=True)
def _output(base, change, weights):
    x = np.float32(0.0)
    for h in range(weights.shape[0]):
        x += max(base[h] + change[h], np.float32(0.0)) * weights[h]
    return x


@njit(cache=True, fastmath=True, nogil=True)
def _outputs(base, changes, start, end, weights, out_bias, stops, at):
    """The network's outputs with a column's steps from ``start`` up to ``end``; four at a time
    they read the base and the weights once."""
    step = start
    while step + 4 <= end:
        c0, c1, c2, c3 = changes[step], changes[step + 1], changes[step + 2], changes[step + 3]
        x0 = x1 = x2 = x3 = out_bias
        for h in range(weights.shape[0]):
            x0 += max(base[h] + c0[h], np.float32(0.0)) * weights[h]
            x1 += max(base[h] + c1[h], np.float32(0.0)) * weights[h]
            x2 += max(base[h] + c2[h], np.float32(0.0)) * weights[h]
            x3 += max(base[h] + c3[h], np.float32(0.0)) * weights[h]
        stops[at + step], stops[at + step + 1] = x0, x1
        stops[at + step + 2], stops[at + step + 3] = x2, x3
        step += 4
    while step < end:
        stops[at + step] = out_bias + _output(base, changes[step], weights)
        step += 1


@njit(cache=True, fastmath=True, nogil=True)
def chance_of(x):
    """The chance that log odds say."""
    return np.float32(1.0) / (np.float32(1.0) + np.exp(-x))


@njit(cache=True, fastmath=True, nogil=True)
def _chances(x, shifts):
    """``chance_of`` for a row, in place: a loop that the processor can do many at a time.

    ``2 ** y`` is a shift of the exponent by the whole part of ``y`` and a polynomial in the rest,
    good to single precision.
    """
    for i in range(len(x)):
        y = min(max(-x[i] * _LOG2_E, np.float32(-126.0)), np.float32(126.0))
        whole = np.floor(y)
        rest = y - whole
        shifts[i] = (np.int32(whole) + np.int32(127)) << np.int32(23)
        power = _POWERS[0]
        for k in range(1, 6):
            power = power * rest + _POWERS[k]
        x[i] = power
    scales = shifts.view(np.float32)
    for i in range(len(x)):
        x[i] = np.float32(1.0) / (np.float32(1.0) + x[i] * scales[i])


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
