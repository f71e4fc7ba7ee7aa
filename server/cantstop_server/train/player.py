"""The strong player on the compiled solver, for measurements: the same decisions, much sooner."""

import numpy as np

from cantstop_server.players.expert.library import edge_in, known_view, network
from cantstop_server.players.expert.network import Network
from cantstop_server.players.expert.player import Solve
from cantstop_server.players.expert.position import View
from cantstop_server.players.expert.solution import Solution
from cantstop_server.players.expert.turn import NOTHING, Turn
from cantstop_server.train.network import chance, prepare, rows_of
from cantstop_server.train.solver import fill_stops, tables
from cantstop_server.train.solver import solve as solve_turn


class CompiledSolver:
    """Solves turns as ``NumpySolver`` does. Each solution lasts until the next one."""

    def __init__(self, network: Network, edge: float = 0.0) -> None:
        network = network.with_edge(edge)
        geometry, hidden = network.geometry, network.rows.shape[1]
        self._network = network
        self._tables = tables(geometry)
        self._rows = rows_of(network.layout)
        self._change = np.zeros(
            (geometry.columns, int(geometry.lengths.max()) + 1, hidden), np.float32
        )
        self._base = np.zeros(hidden, np.float32)
        self._head = np.zeros((8, hidden), np.float32)
        self._stops, self._rolls, self._best = (
            np.zeros(geometry.states, np.float32) for _ in range(3)
        )

    def solve(self, view: View) -> Solution:
        """The turn of the seat whose view it is."""
        network, geometry = self._network, self._network.geometry
        own = np.array(view.own, np.int64)
        owner = np.array(view.owner, np.int64)
        others = np.array(view.others, np.int64).reshape(-1, geometry.columns)
        out_bias = prepare(
            self._rows, geometry.lengths, own, others, owner, view.need, view.other_need,
            network.rows, self._change, self._base, self._head,
        )  # fmt: skip
        bust = chance(self._base, self._head, out_bias)
        head, opened = self._head, owner < 0
        fill_stops(
            self._tables, own, opened, self._change, self._base, head[:4], head[4:], out_bias,
            view.need, self._stops,
        )  # fmt: skip
        solve_turn(self._tables, own, opened, self._stops, bust, self._rolls, self._best)
        self._stops[0] = NOTHING
        return Solution(geometry, Turn(self._stops, self._rolls), float(bust))


def compiled_solve(fixed: Network | None = None) -> Solve:
    """What ``players.expert.library.solve_with_edge`` does, compiled: with the same networks, or
    with a ``fixed`` one for every game."""
    solvers: dict[tuple[str, float], CompiledSolver] = {}
    last: tuple[View, Solution] | None = None

    def solve(view: View) -> Solution:
        nonlocal last
        if last is None or last[0] != view:
            known, name = known_view(view)
            key = name, edge_in(view)
            if key not in solvers:
                solvers[key] = CompiledSolver(fixed or network(name), key[1])
            last = view, solvers[key].solve(known)
        return last[1]

    return solve
