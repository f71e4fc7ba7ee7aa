"""Games of the strong player against itself, compiled, and what it learns from them."""

import numpy as np
from numba import njit

from cantstop_server.players.expert.network import TURNS_SCALE
from cantstop_server.players.expert.position import NO_OTHER
from cantstop_server.train.network import chance, prepare, stage_of
from cantstop_server.train.solver import fill_stops, solve

MAX_TURNS = 4000
"""A game is given up after so many turns: it is no use to learn from."""


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
def _able(t, own, opened, columns, steps, n, x):
    if not opened[x]:
        return False
    for i in range(n):
        if columns[i] == x:
            return steps[i] < t.lengths[x]
    return n < 3


@njit(cache=True, nogil=True)
def _advance(t, own, columns, steps, n, x):
    for i in range(n):
        if columns[i] == x:
            steps[i] = min(steps[i] + 1, t.lengths[x])
            return n
    columns[n] = x
    steps[n] = own[x] + 1
    return n + 1


@njit(cache=True, nogil=True)
def _runs(columns, n, x):
    for i in range(n):
        if columns[i] == x:
            return True
    return False


@njit(cache=True, nogil=True)
def play_turn(t, sides, own, opened, stops, rolls, best):
    """Play a solved turn with the generator's dice: the runners' columns, steps and number.

    No runner means that the turn has bust.
    """
    columns = np.zeros(3, np.int64)
    steps = np.zeros(3, np.int64)
    n = 0
    dice = np.empty(4, np.int64)
    c1, s1 = np.zeros(3, np.int64), np.zeros(3, np.int64)
    best_c, best_s = np.zeros(3, np.int64), np.zeros(3, np.int64)
    while True:
        for i in range(4):
            dice[i] = np.random.randint(sides)
        top = np.float32(-1e30)
        best_n = -1
        for k in range(3):
            other = dice[1] + dice[2] + dice[3] - dice[k + 1]
            x, y = dice[0] + dice[k + 1], other
            can_x = _able(t, own, opened, columns, steps, n, x)
            can_y = _able(t, own, opened, columns, steps, n, y)
            rivals = x != y and n == 2 and can_x and can_y
            rivals = rivals and not _runs(columns, n, x) and not _runs(columns, n, y)
            for attempt in range(2 if rivals else 1):
                take_x = can_x and not (rivals and attempt == 1)
                take_y = can_y and not (rivals and attempt == 0)
                if not (take_x or take_y):
                    continue
                c1[:] = columns
                s1[:] = steps
                n1 = n
                if take_x:
                    n1 = _advance(t, own, c1, s1, n1, x)
                if take_y:
                    n1 = _advance(t, own, c1, s1, n1, y)
                value = best[runner_state(t, c1, s1, n1)]
                if value > top:
                    top, best_n = value, n1
                    best_c[:] = c1
                    best_s[:] = s1
        if best_n < 0:
            return columns, steps, 0
        n = best_n
        columns[:] = best_c
        steps[:] = best_s
        at = runner_state(t, columns, steps, n)
        if stops[at] >= rolls[at]:
            return columns, steps, n


@njit(cache=True, nogil=True)
def _remember(memory, at, me, markers, owner, lacking, target):
    """An example: the position as the seat ``me`` sees it, and what it is worth to that seat."""
    own, others, owners, stages, targets = memory
    seats = len(lacking)
    own[at] = markers[me]
    other_need = NO_OTHER
    if seats == 2:
        others[at, 0] = markers[1 - me]
        other_need = lacking[1 - me]
    for c in range(len(owner)):
        owners[at, c] = -1 if owner[c] < 0 else (owner[c] - me) % seats
    stages[at] = stage_of(lacking[me], other_need)
    targets[at] = target


@njit(cache=True, nogil=True)
def play_games(t, sides, layout, p, seats, wins_by, games, memory, size, newest, work):
    """Play so many games for one or two seats, adding an example for each turn: the new end of the
    memory, and the turns played.

    ``wins_by`` lists targets, one of which is drawn for each game.
    """
    content, base, head, stops, rolls, best = work
    lengths = t.lengths
    count = len(lengths)
    turns = 0
    markers = np.zeros((seats, count), np.int64)
    owner = np.zeros(count, np.int64)
    relative = np.zeros(count, np.int64)
    opened = np.zeros(count, np.bool_)
    lacking = np.zeros(seats, np.int64)
    for _ in range(games):
        markers[:] = 0
        owner[:] = -1
        lacking[:] = wins_by[np.random.randint(len(wins_by))]
        me = 0
        for _t in range(MAX_TURNS):
            other = (me + 1) % seats
            other_need = lacking[other] if seats == 2 else NO_OTHER
            for c in range(count):
                relative[c] = -1 if owner[c] < 0 else (owner[c] - me) % seats
                opened[c] = owner[c] < 0
            out_bias = prepare(
                layout, lengths, markers[me], markers[other : other + seats - 1], relative,
                lacking[me], other_need, p, content, base, head,
            )  # fmt: skip
            bust = chance(base, head, out_bias)
            fill_stops(
                t, markers[me], opened, content, base, head[:4], head[4:], out_bias,
                lacking[me], stops,
            )  # fmt: skip
            solve(t, markers[me], opened, stops, bust, rolls, best)
            # The seat that moved last is worth what this turn leaves it; alone, a turn has passed.
            value = 1 - best[0]
            if seats == 1:
                value = max(best[0] - np.float32(1 / TURNS_SCALE), np.float32(0.0))
            _remember(memory, newest % size, other, markers, owner, lacking, value)
            newest += 1
            turns += 1
            columns, steps, n = play_turn(t, sides, markers[me], opened, stops, rolls, best)
            for i in range(n):
                c = columns[i]
                markers[me, c] = steps[i]
                if steps[i] == lengths[c]:
                    owner[c] = me
                    lacking[me] -= 1
                    markers[:, c] = 0
            if lacking[me] <= 0:
                break
            me = other
    return newest, turns


@njit(cache=True)
def seed_chance(seed):
    """Start the compiled code's own generator."""
    np.random.seed(seed)
