"""The chances to win by stopping, by runner state, compiled: what ``Network.stops`` computes."""

import numpy as np
from numba import njit

_WON = np.float32(100.0)
"""The log odds of a stop that wins."""

_LOG2_E = np.float32(1.4426950408889634)
_POWERS = tuple(
    np.float32(c)
    for c in (1.8775767e-3, 8.9893397e-3, 5.5826318e-2, 2.4015361e-1, 6.9315308e-1, 9.9999994e-1)
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
