"""The learned value of a position between turns.

It is the chance to win for a seat that has just moved; in solitaire, how few turns are still to
come. The hidden layer is a sum of rows: for each
column one for the seat's own marker, one for each other marker, and one for the own marker with
the highest of the others; or one for who claimed the column; and one for the *stage*, how many
claims the seat and the best other seat lack. The output weights are common ones plus the stage's
own. So a turn, which moves markers in at most three columns, changes three terms of the sum.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cantstop_server.players.expert.geometry import Geometry, Ints
from cantstop_server.players.expert.position import View
from cantstop_server.players.expert.turn import CLOSED, runner_states_with
from cantstop_server.rules.board import RUNNERS

MAX_NEED: Final = 5
"""Stages tell apart up to this many missing claims."""

TURNS_SCALE: Final = 40
"""In solitaire the value is 1 less the turns still to come in this unit."""

_EDGES: Final = ((1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3))
"""Runners out and how many of them on top: all but the bulk, three of them below the top."""

Singles = NDArray[np.float32]


class Layout:
    """Where the network's rows are, for a board and a number of seats.

    ``own[c] + step``, ``others[j, c] + step`` for the seat that moves ``j + 1`` turns later,
    ``joint[c] + step * length + highest other step``, ``claimed[c] + seat`` (0 the seat itself,
    then the others in their order), and by stage ``stage_bias``, ``stage_out``, ``out_bias``.
    """

    def __init__(self, geometry: Geometry, seats: int) -> None:
        lengths = geometry.lengths
        self.rows = 0
        self.own = self._take(lengths)
        self.others: Ints = np.array(
            [self._take(lengths) for _ in range(seats - 1)], np.int32
        ).reshape(seats - 1, len(lengths))
        self.joint = self._take(lengths * lengths)
        self.claimed = self._take(np.full(len(lengths), seats))
        stages = MAX_NEED * MAX_NEED
        self.stage_bias, self.stage_out, self.out_bias = (self.rows + stages * i for i in range(3))
        self.common_out = self.rows + 3 * stages
        self.rows = self.common_out + 1

    def _take(self, sizes: Ints) -> Ints:
        starts = self.rows + np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.rows += int(np.sum(sizes))
        return starts.astype(np.int32)


def stage_of(need: int, other_need: int) -> int:
    """The stage's number for the claims that the seat and the best other seat lack."""
    return (min(need, MAX_NEED) - 1) * MAX_NEED + min(other_need, MAX_NEED) - 1


class Network:
    """A trained network for a number of seats."""

    def __init__(self, geometry: Geometry, seats: int, rows: Singles) -> None:
        self.geometry = geometry
        self.seats = seats
        self.layout = Layout(geometry, seats)
        if rows.shape[0] != self.layout.rows:
            raise ValueError(f"{self.layout.rows} rows are due, not {rows.shape[0]}")
        self.rows = rows

    @classmethod
    def load(cls, geometry: Geometry, values: Mapping[str, NDArray[np.generic]]) -> "Network":
        """The network of a weights file."""
        return cls(geometry, int(values["seats"]), values["rows"].astype(np.float32))

    def with_edge(self, edge: float) -> "Network":
        """The network whose log odds are higher by ``edge`` in every position; 0 is this one."""
        if not edge:
            return self
        rows = self.rows.copy()
        rows[self.layout.out_bias : self.layout.common_out, 0] += edge
        return Network(self.geometry, self.seats, rows)

    def chance(self, view: View) -> float:
        """The chance of the seat to win when the position stands and the others are to move."""
        base = np.zeros(self.rows.shape[1], np.float32)
        for column, owner in enumerate(view.owner):
            step = view.own[column]
            base += (
                self._content(view, column)[step]
                if owner < 0
                else self.rows[self.layout.claimed[column] + owner]
            )
        bias, weights, out = self._head(view, 0)
        return float(_sigmoid(np.maximum(base + bias, 0) @ weights + out))

    def stops(self, view: View) -> Singles:
        """The chance to win by stopping in each runner state above the seat's markers."""
        geometry, rows, layout = self.geometry, self.rows, self.layout
        base = np.zeros(rows.shape[1], np.float32)
        changes: dict[int, Singles] = {}
        for column, owner in enumerate(view.owner):
            if owner >= 0:
                base += rows[layout.claimed[column] + owner]
                continue
            content = self._content(view, column)
            own = view.own[column]
            base += content[own]
            changes[column] = content[own + 1 :] - content[own]
        heads = [self._head(view, claims) for claims in range(min(view.need, RUNNERS + 1))]
        # Where nothing is written a stop wins.
        logits = np.full(geometry.states, np.inf, np.float32)
        bias, weights, out = heads[0]
        for a, b in combinations(changes, 2):
            both = changes[a][:-1, None] + changes[b][None, :-1] + (base + bias)
            for c in (c for c in changes if c > b):
                hidden = both[:, :, None] + changes[c][:-1]
                np.maximum(hidden, 0, out=hidden)
                block = _block(geometry, logits, (a, b, c))
                low, high = np.array([view.own[i] for i in (a, b, c)]) + 1, geometry.lengths
                block[low[0] : high[a], low[1] : high[b], low[2] : high[c]] = hidden @ weights + out
        table = np.zeros((_step_starts(geometry)[-1], rows.shape[1]), np.float32)
        for column, change in changes.items():
            end = _step_starts(geometry)[column + 1]
            table[end - len(change) : end] = change
        floor = np.where(np.array(view.owner) < 0, view.own, CLOSED)
        for runners, claims in _EDGES:
            if claims < len(heads):
                states = runner_states_with(geometry, runners, claims)
                used = states.above(floor)
                bias, weights, out = heads[claims]
                hidden = np.repeat((base + bias)[None], len(used), axis=0)
                for columns, steps in zip(states.columns, states.steps, strict=True):
                    hidden += table[_step_starts(geometry)[columns[used]] + steps[used]]
                np.maximum(hidden, 0, out=hidden)
                logits[states.states[used]] = hidden @ weights + out
        return _sigmoid(logits)

    def _content(self, view: View, column: int) -> Singles:
        """What an open column adds to the hidden layer, by the own step there; the top is a
        claim."""
        rows, layout = self.rows, self.layout
        length = int(self.geometry.lengths[column])
        steps = np.arange(length)
        content = np.empty((length + 1, rows.shape[1]), np.float32)
        content[:length] = rows[layout.own[column] + steps]
        highest = 0
        for other, markers in enumerate(view.others):
            content[:length] += rows[layout.others[other, column] + markers[column]]
            highest = max(highest, markers[column])
        content[:length] += rows[layout.joint[column] + steps * length + highest]
        content[length] = rows[layout.claimed[column]]
        return content

    def _head(self, view: View, claims: int) -> tuple[Singles, Singles, np.float32]:
        """The hidden bias, the output weights and the output bias after so many more claims."""
        stage = stage_of(view.need - claims, view.other_need)
        layout, rows = self.layout, self.rows
        weights = rows[layout.common_out] + rows[layout.stage_out + stage]
        return rows[layout.stage_bias + stage], weights, rows[layout.out_bias + stage, 0]


def _block(geometry: Geometry, values: Singles, columns: tuple[int, int, int]) -> Singles:
    """The part of the values with runners in these three columns, by their steps."""
    start = int(geometry.offset3[columns])
    shape = tuple(int(geometry.lengths[column]) + 1 for column in columns)
    return values[start : start + prod(shape)].reshape(shape)


@lru_cache(maxsize=16)
def _step_starts(geometry: Geometry) -> Ints:
    """Where each column's steps begin in a table of all columns' steps; the last is its end."""
    return np.concatenate([[0], np.cumsum(geometry.lengths + 1)]).astype(np.int32)


def _sigmoid(x: Singles) -> Singles:
    return np.asarray(1 / (1 + np.exp(-x)), np.float32)
