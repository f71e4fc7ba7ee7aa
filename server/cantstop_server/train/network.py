"""The network while it learns: its rows, its answer, and the steps that improve it.

The hidden layer is a sum of rows: for each column one for the own marker, one for each other
seat's marker, one for the own marker together with the highest of the others', or one for who
claimed the column; and one for the *stage*, how many claims the seat and the best other seat lack.
The output row is a common one plus the stage's own.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from cantstop_server.players.expert.network import MAX_NEED, Layout


class Rows(NamedTuple):
    """A ``Layout`` as arrays for the compiled code."""

    own: Any
    others: Any
    joint: Any
    claimed: Any
    stage_bias: int
    stage_out: int
    common_out: int
    out_bias: int
    rows: int


def rows_of(layout: Layout) -> Rows:
    """The layout's row numbers for the compiled code."""
    return Rows(
        layout.own,
        layout.others,
        layout.joint,
        layout.claimed,
        layout.stage_bias,
        layout.stage_out,
        layout.common_out,
        layout.out_bias,
        layout.rows,
    )


@njit(cache=True, nogil=True)
def stage_of(need, other_need):
    """The stage's number for the claims that the seat and the best other seat lack."""
    return (min(need, MAX_NEED) - 1) * MAX_NEED + min(other_need, MAX_NEED) - 1


@njit(cache=True, nogil=True)
def start_parameters(layout, hidden, seed):
    """Small random rows; the joint and stage rows start at nothing."""
    np.random.seed(seed)
    p = np.zeros((layout.rows, hidden), np.float32)
    end = layout.joint[0]
    for r in range(end):
        for h in range(hidden):
            p[r, h] = np.random.normal() * 0.1
    for h in range(hidden):
        p[layout.common_out, h] = np.random.normal() * 0.1
    return p


@njit(cache=True, fastmath=True, nogil=True)
def content_row(layout, lengths, column, step, others, out, p):
    """What an open column adds to the hidden layer with the own marker on ``step``."""
    hidden = p.shape[1]
    if step == lengths[column]:
        r = layout.claimed[column]
        for h in range(hidden):
            out[h] = p[r, h]
        return
    top = 0
    for j in range(others.shape[0]):
        top = max(top, others[j, column])
    r = layout.own[column] + step
    q = layout.joint[column] + step * lengths[column] + top
    for h in range(hidden):
        out[h] = p[r, h] + p[q, h]
    for j in range(others.shape[0]):
        r = layout.others[j, column] + others[j, column]
        for h in range(hidden):
            out[h] += p[r, h]


@njit(cache=True, fastmath=True, nogil=True)
def prepare(layout, lengths, own, others, owner, need, other_need, p, change, base, head):
    """Fill ``change``, ``base`` and ``head`` for ``fill_stops``.

    ``owner`` is relative: -1 nobody, 0 the seat itself, 1 the next one. ``head`` is rows 0..3 for
    the hidden bias with 0..3 claims, rows 4..7 the output weights; the output bias is returned.
    """
    hidden = p.shape[1]
    base[:] = 0
    for c in range(len(lengths)):
        if owner[c] >= 0:
            r = layout.claimed[c] + owner[c]
            for h in range(hidden):
                base[h] += p[r, h]
            continue
        for s in range(own[c], lengths[c] + 1):
            content_row(layout, lengths, c, s, others, change[c, s], p)
        for h in range(hidden):
            base[h] += change[c, own[c], h]
        for s in range(lengths[c], own[c] - 1, -1):
            for h in range(hidden):
                change[c, s, h] -= change[c, own[c], h]
    out_bias = np.zeros(4, np.float32)
    for k in range(4):
        stage = stage_of(max(1, need - k), other_need)
        for h in range(hidden):
            head[k, h] = p[layout.stage_bias + stage, h]
            head[4 + k, h] = p[layout.common_out, h] + p[layout.stage_out + stage, h]
        out_bias[k] = p[layout.out_bias + stage, 0]
    return out_bias


@njit(cache=True, fastmath=True, nogil=True)
def chance(base, head, out_bias):
    """The chance to win as the position stands, with the other seats to move."""
    x = out_bias[0]
    for h in range(base.shape[0]):
        x += max(base[h] + head[0, h], np.float32(0.0)) * head[4, h]
    return np.float32(1.0) / (np.float32(1.0) + np.exp(-x))


@njit(cache=True, fastmath=True, nogil=True)
def _rows_of_example(layout, lengths, own, others, owner, mirror, found):
    count = len(lengths)
    seats = others.shape[0]
    n = 0
    for i in range(count):
        c = count - 1 - i if mirror else i
        if owner[i] >= 0:
            found[n] = layout.claimed[c] + owner[i]
            n += 1
            continue
        top = 0
        for j in range(seats):
            top = max(top, others[j, i])
            found[n] = layout.others[j, c] + others[j, i]
            n += 1
        found[n] = layout.own[c] + own[i]
        found[n + 1] = layout.joint[c] + own[i] * lengths[c] + top
        n += 2
    return n


@njit(cache=True, fastmath=True, nogil=True)
def learn(layout, lengths, memory, size, newest, window, p, m, v, step, rate, batch, times):
    """So many steps of Adam on random examples among the newest ``window``: the mean loss."""
    own, others, owner, stages, targets = memory
    hidden = p.shape[1]
    total = layout.rows
    grad = np.zeros((total, hidden), np.float32)
    found = np.empty(64, np.int64)
    h0 = np.empty(hidden, np.float32)
    loss = 0.0
    for _ in range(times):
        grad[:] = 0
        for _b in range(batch):
            i = (newest - 1 - np.random.randint(window)) % size
            mirror = np.random.randint(2) == 1
            n = _rows_of_example(layout, lengths, own[i], others[i], owner[i], mirror, found)
            stage = stages[i]
            r = layout.stage_bias + stage
            for h in range(hidden):
                h0[h] = p[r, h]
            for k in range(n):
                r = found[k]
                for h in range(hidden):
                    h0[h] += p[r, h]
            wr, ws = layout.common_out, layout.stage_out + stage
            x = p[layout.out_bias + stage, 0]
            for h in range(hidden):
                x += max(h0[h], np.float32(0.0)) * (p[wr, h] + p[ws, h])
            y = np.float32(1.0) / (np.float32(1.0) + np.exp(-x))
            target = targets[i]
            loss += (y - target) ** 2
            error = (y - target) / np.float32(batch)
            grad[layout.out_bias + stage, 0] += error
            for h in range(hidden):
                on = np.float32(1.0) if h0[h] > 0 else np.float32(0.0)
                grad[wr, h] += error * h0[h] * on
                grad[ws, h] += error * h0[h] * on
                h0[h] = on * error * (p[wr, h] + p[ws, h])
            r = layout.stage_bias + stage
            for h in range(hidden):
                grad[r, h] += h0[h]
            for k in range(n):
                r = found[k]
                for h in range(hidden):
                    grad[r, h] += h0[h]
        step += 1
        c1 = np.float32(1.0 - 0.9 ** min(step, 100000))
        c2 = np.float32(1.0 - 0.999 ** min(step, 100000))
        for r in range(total):
            for h in range(hidden):
                g = grad[r, h]
                m[r, h] += np.float32(0.1) * (g - m[r, h])
                v[r, h] += np.float32(0.001) * (g * g - v[r, h])
                p[r, h] -= (
                    np.float32(rate) * (m[r, h] / c1) / (np.sqrt(v[r, h] / c2) + np.float32(1e-7))
                )
    return loss / (batch * times)
