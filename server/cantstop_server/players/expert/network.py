"""The learned value of a position between turns."""

from typing import Final

import numpy as np

from cantstop_server.players.expert.geometry import Geometry, Ints

MAX_NEED: Final = 5
"""Stages tell apart up to this many missing claims."""


class Layout:
    """Where the network's rows are, for a board and a number of seats.

    ``own[c] + step``, ``others[j, c] + step`` for the seat that moves ``j + 1`` turns later,
    ``joint[c] + step * length + highest other step``, ``claimed[c] + seat`` (0 the seat itself,
    then the others in their order), and by stage ``stage_bias``, ``stage_out``, ``out_bias``.
    """

    def __init__(self, geometry: Geometry, seats: int) -> None:
        lengths = geometry.lengths
        self.seats = seats
        self.rows = 0
        self.own = self._take(lengths)
        self.others: Ints = np.array(
            [self._take(lengths) for _ in range(seats - 1)], np.int32
        ).reshape(seats - 1, len(lengths))
        self.joint = self._take(lengths * lengths)
        self.claimed = self._take(np.full(len(lengths), seats))
        stages = MAX_NEED * MAX_NEED
        self.stage_bias, self.stage_out, self.out_bias = (
            self.rows + stages * i for i in range(3)
        )
        self.common_out = self.rows + 3 * stages
        self.rows = self.common_out + 1

    def _take(self, sizes: Ints) -> Ints:
        starts = self.rows + np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.rows += int(np.sum(sizes))
        return starts.astype(np.int32)
