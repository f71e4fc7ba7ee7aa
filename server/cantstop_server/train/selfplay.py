"""Games of the strong player, compiled, and what it learns from them."""

import numpy as np
from numba import njit

from cantstop_server.players.expert.network import TURNS_SCALE
from cantstop_server.players.expert.position import NO_OTHER
from cantstop_server.train.network import chance, prepare, stage_of
from cantstop_server.train.opponents import Opponent, choose, stops_now
from cantstop_server.train.solver import solve
from cantstop_server.train.stops import fill_stops
from cantstop_server.train.turns import MOST_OPTIONS, advance, list_options, roll, runner_state

MAX_TURNS = 4000
"""A game is given up after so many turns: it is no use to learn from."""


def workspace(geometry, hidden):
    """The arrays that a solution is computed in."""
    longest = int(geometry.lengths.max())
    return (
        np.zeros((geometry.columns, longest + 1, hidden), np.float32),
        np.zeros(hidden, np.float32),
        np.zeros((8, hidden), np.float32),
        *(np.zeros(geometry.states, np.float32) for _ in range(3)),
        np.zeros(geometry.columns, np.int64),
        np.zeros(geometry.columns, np.bool_),
    )


@njit(cache=True, nogil=True)
def solve_position(t, layout, p, me, markers, owner, lacking, work):
    """Solve the turn of the seat ``me`` into the arrays of ``work``: what a bust is worth."""
    change, base, head, stops, rolls, best, relative, opened = work
    seats = len(lacking)
    other = (me + 1) % seats
    other_need = lacking[other] if seats == 2 else NO_OTHER
    for c in range(len(owner)):
        relative[c] = -1 if owner[c] < 0 else (owner[c] - me) % seats
        opened[c] = owner[c] < 0
    out_bias = prepare(
        layout, t.lengths, markers[me], markers[other : other + seats - 1], relative, lacking[me],
        other_need, p, change, base, head,
    )  # fmt: skip
    bust = chance(base, head, out_bias)
    fill_stops(
        t,
        markers[me],
        opened,
        change,
        base,
        head[:4],
        head[4:],
        out_bias,
        lacking[me],
        0,
        stops,
    )
    solve(t, markers[me], opened, stops, bust, 0, rolls, best)
    return bust


@njit(cache=True, nogil=True)
def play_turn(t, sides, rules, who, own, other, opened, lacking, bust, stops, rolls, best):
    """Play a solved turn with the generator's dice, as ``who`` would.

    The runners' columns, steps and number, of which none means that the turn has bust, and what
    the dice gave, as a chance to win by the solution.
    """
    columns, steps = np.zeros(3, np.int64), np.zeros(3, np.int64)
    c1, s1 = np.zeros(3, np.int64), np.zeros(3, np.int64)
    dice, options = np.empty(4, np.int64), np.empty(MOST_OPTIONS, np.int64)
    n, at = 0, 0
    luck = 0.0
    while True:
        roll(sides, dice)
        count = list_options(t, own, opened, columns, steps, n, dice, options)
        if count == 0:
            return columns, steps, 0, luck + bust - rolls[at]
        top, taken = np.float32(-1e30), options[0]
        for k in range(count):
            c1[:] = columns
            s1[:] = steps
            n1 = advance(t, own, c1, s1, n, options[k])
            value = best[runner_state(t, c1, s1, n1)]
            if value > top:
                top, taken = value, options[k]
        luck += top - rolls[at]
        if who != Opponent.EXPERT and count > 1:
            taken = choose(rules, who, t, own, other, columns, steps, n, options, count)
        n = advance(t, own, columns, steps, n, taken)
        at = runner_state(t, columns, steps, n)
        if who == Opponent.EXPERT:
            stop = stops[at] >= rolls[at]
        else:
            stop = stops_now(rules, who, t, own, opened, lacking, columns, steps, n)
        if stop:
            return columns, steps, n, luck


@njit(cache=True, nogil=True)
def keep(t, me, markers, owner, lacking, columns, steps, n):
    """Put the markers where the runners of a stopped turn stand."""
    for i in range(n):
        c = columns[i]
        markers[me, c] = steps[i]
        if steps[i] == t.lengths[c]:
            owner[c] = me
            lacking[me] -= 1
            markers[:, c] = 0


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
def play_games(
    t, sides, layout, p, seats, wins_by, rules, opponents, games, memory, size, newest, work
):
    """Play so many games for one or two seats, adding an example for each turn: the new end of the
    memory, and the turns played.

    ``wins_by`` lists targets and ``opponents`` who plays against the strong player, one of which
    is drawn for each game. Whoever plays, a position is worth what the solved turn of the next
    seat leaves: others than the strong player only lead to positions that it would not.
    """
    stops, rolls, best, opened = work[3], work[4], work[5], work[7]
    markers = np.zeros((seats, len(t.lengths)), np.int64)
    owner = np.zeros(len(t.lengths), np.int64)
    lacking = np.zeros(seats, np.int64)
    turns = 0
    for _ in range(games):
        markers[:] = 0
        owner[:] = -1
        lacking[:] = wins_by[np.random.randint(len(wins_by))]
        opponent = opponents[np.random.randint(len(opponents))]
        expert = np.random.randint(seats)
        me = 0
        for _t in range(MAX_TURNS):
            other = (me + 1) % seats
            who = Opponent.EXPERT if me == expert else opponent
            bust = solve_position(t, layout, p, me, markers, owner, lacking, work)
            # The seat that moved last is worth what this turn leaves it; alone, a turn has passed.
            value = 1 - best[0]
            if seats == 1:
                value = max(best[0] - np.float32(1 / TURNS_SCALE), np.float32(0.0))
            _remember(memory, newest % size, other, markers, owner, lacking, value)
            newest += 1
            turns += 1
            columns, steps, n, _ = play_turn(
                t, sides, rules, who, markers[me], markers[other], opened, lacking[me], bust,
                stops, rolls, best,
            )  # fmt: skip
            keep(t, me, markers, owner, lacking, columns, steps, n)
            if lacking[me] <= 0:
                break
            me = other
    return newest, turns


@njit(cache=True)
def seed_chance(seed):
    """Start the compiled code's own generator."""
    np.random.seed(seed)
