"""How strong a network is against the published players, with the luck of the dice taken out.

A win less what the dice gave to the one and took from the other is on average the chance to win,
whatever the network is worth, and spreads far less than wins do: a game tells as much as three to
four plain ones.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import njit

from cantstop_server.arena.match import CONFIDENCE
from cantstop_server.players.expert.library import EDGE
from cantstop_server.players.expert.network import Network
from cantstop_server.rules.setup import DEFAULT_TARGET
from cantstop_server.train.network import rows_of
from cantstop_server.train.opponents import Opponent, heuristics
from cantstop_server.train.selfplay import (
    MAX_TURNS,
    keep,
    play_turn,
    seed_chance,
    solve_position,
    workspace,
)
from cantstop_server.train.solver import tables


class Strength(NamedTuple):
    """What a match of so many ``games`` says of a network's chance to win, 0..1.

    ``wins`` is the share that was won; ``win_rate`` that with the luck taken out, and ``error``
    half the width of its 95 % interval.
    """

    opponent: Opponent
    games: int
    wins: float
    win_rate: float
    error: float


def measure(
    network: Network, opponent: Opponent, games: int, seed: int, edge: float = EDGE
) -> Strength:
    """Play a network for two seats, with the strong player's ``edge``, against an opponent."""
    geometry, favoured = network.geometry, network.with_edge(edge)
    found = np.zeros((games, 2))
    seed_chance(seed)
    _play_match(
        tables(geometry), geometry.sides, rows_of(network.layout), favoured.rows, DEFAULT_TARGET,
        heuristics(), opponent, workspace(geometry, favoured.rows.shape[1]), found,
    )  # fmt: skip
    wins, win_rate = found.mean(axis=0).tolist()
    error = CONFIDENCE * float(found[:, 1].std()) / sqrt(games)
    return Strength(opponent, games, wins, win_rate, error)


def strength_as_dict(name: str, strength: Strength) -> dict[str, object]:
    """A measurement as plain values."""
    opponent = strength.opponent.name.lower()
    return {"network": name, **strength._asdict(), "opponent": opponent}


def strength_line(name: str, strength: Strength) -> str:
    """A measurement for people."""
    return (
        f"{name} against {strength.opponent.name.lower()}: {100 * strength.win_rate:.1f} %"
        f" ± {100 * strength.error:.1f} without luck, {100 * strength.wins:.1f} % with it,"
        f" {strength.games:,} games"
    )


@njit(cache=True, nogil=True)
def _play_match(t, sides, layout, p, target, rules, opponent, work, found):
    """Play games of two seats that take turns to begin. ``found`` gets for each game whether the
    network won, and that with the luck taken out."""
    stops, rolls, best, opened = work[3], work[4], work[5], work[7]
    markers = np.zeros((2, len(t.lengths)), np.int64)
    owner = np.zeros(len(t.lengths), np.int64)
    lacking = np.zeros(2, np.int64)
    for game in range(len(found)):
        markers[:] = 0
        owner[:] = -1
        lacking[:] = target
        expert, me = game % 2, 0
        luck = 0.0
        for _t in range(MAX_TURNS):
            who = Opponent.EXPERT if me == expert else opponent
            bust = solve_position(t, layout, p, me, markers, owner, lacking, work)
            columns, steps, n, gain = play_turn(
                t, sides, rules, who, markers[me], markers[1 - me], opened, lacking[me], bust,
                stops, rolls, best,
            )  # fmt: skip
            luck += gain if me == expert else -gain
            keep(t, me, markers, owner, lacking, columns, steps, n)
            if lacking[me] <= 0:
                break
            me = 1 - me
        found[game, 0] = 1.0 if lacking[expert] <= 0 else 0.0
        found[game, 1] = found[game, 0] - luck
