"""The strong player on the compiled solver, for measurements: the same decisions, much sooner."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cantstop_server.players.expert.library import edge_in, known_view, network
from cantstop_server.players.expert.network import Network
from cantstop_server.players.expert.player import Solve
from cantstop_server.players.expert.position import View
from cantstop_server.players.expert.solution import Solution
from cantstop_server.players.expert.turn import NOTHING, Turn
from cantstop_server.rules.board import COLUMNS, Steps
from cantstop_server.train.network import chance, prepare, rows_of
from cantstop_server.train.solver import solve as solve_turn
from cantstop_server.train.solver import tables
from cantstop_server.train.stops import fill_stops


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
        """The turn of the seat whose view it is, solved as far as it is asked about.

        A state leads only to states with runners in the same columns and more, so that after the
        first roll a small part of the turn is enough for every decision.
        """
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
        solved: list[int] = []

        def reach(placed: int) -> None:
            if any(placed & one == one for one in solved):
                return
            fill_stops(
                self._tables, own, opened, self._change, self._base, head[:4], head[4:], out_bias,
                view.need, placed, self._stops,
            )  # fmt: skip
            solve_turn(
                self._tables, own, opened, self._stops, bust, placed, self._rolls, self._best
            )
            solved.append(placed)

        self._stops[0] = NOTHING
        return PartSolution(geometry, Turn(self._stops, self._rolls), float(bust), reach)


@dataclass(frozen=True, slots=True)
class PartSolution(Solution):
    """A turn of which a part is solved when it is asked about.

    ``reach`` solves all states with runners in a set of columns, a bit for each, and maybe more.
    """

    reach: Callable[[int], None]

    def state(self, runners: Steps) -> int:
        """The number of a runner state given by the rules' columns, which is solved then."""
        self.reach(sum(1 << i for i, column in enumerate(COLUMNS) if runners[column]))
        return Solution.state(self, runners)


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
