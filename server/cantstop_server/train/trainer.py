"""Training by self-play: games fill a memory of positions, and the network learns from it."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from cantstop_server.arena.contender import read_network
from cantstop_server.players.expert.geometry import standard
from cantstop_server.players.expert.network import Layout
from cantstop_server.train.network import Rows, learn, rows_of, start_parameters
from cantstop_server.train.opponents import Opponent, heuristics
from cantstop_server.train.selfplay import play_games, seed_chance, workspace
from cantstop_server.train.solver import tables


@dataclass(frozen=True, slots=True)
class Plan:
    """What a training run does. The same plan gives the same network on the same machine.

    Each turn's position is used about ``reuse`` times, in batches of ``batch``. The step size
    falls from ``rate`` to ``last_rate`` over the games. ``targets`` and ``opponents`` are drawn
    from for each game; ``seats`` are 1 or 2, and with 1 nobody else plays. A run goes on from the
    network in the file ``start``, or begins with ``hidden`` units of its own.
    """

    games: int = 24_000
    seats: int = 2
    targets: tuple[int, ...] = (3,)
    opponents: tuple[str, ...] = ("expert",)
    start: str | None = None
    hidden: int = 128
    seed: int = 1
    rate: float = 3e-3
    last_rate: float = 3e-5
    reuse: int = 24
    batch: int = 256
    memory: int = 60_000
    checkpoint_games: int = 500
    chunk: int = 20


class BadPlan(ValueError):
    """A plan that cannot be run; the text says why."""


def train(plan: Plan, folder: Path, tell: Callable[[str], None]) -> Path:
    """Run a plan; checkpoints go to the folder. Returns the path of the last one.

    What is saved is a running mean of the network over the last tenth or so of the games.
    Raises ``BadPlan``.
    """
    opponents = np.array([_opponent(name, plan.seats) for name in plan.opponents], np.int64)
    geometry = standard()
    layout = Layout(geometry, plan.seats)
    rows, t = rows_of(layout), tables(geometry)
    p = _first_parameters(plan, rows)
    hidden, columns = p.shape[1], geometry.columns
    seed_chance(plan.seed)
    average, m, v = p.copy(), np.zeros_like(p), np.zeros_like(p)
    memory = (
        np.zeros((plan.memory, columns), np.int8),
        np.zeros((plan.memory, plan.seats - 1, columns), np.int8),
        np.zeros((plan.memory, columns), np.int8),
        np.zeros(plan.memory, np.int16),
        np.zeros(plan.memory, np.float32),
    )
    work = workspace(geometry, hidden)
    targets = np.array(plan.targets, np.int64)
    rules = heuristics()
    newest = played = steps = turns = 0
    start = perf_counter()
    path = folder / "none.npz"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan.json").write_text(json.dumps(asdict(plan)) + "\n", encoding="utf-8")
    while played < plan.games:
        newest, more = play_games(
            t, geometry.sides, rows, p, plan.seats, targets, rules, opponents, plan.chunk,
            memory, plan.memory, newest, work,
        )  # fmt: skip
        played += plan.chunk
        turns += more
        done = played / plan.games
        rate = plan.rate * (plan.last_rate / plan.rate) ** done
        times = max(1, more * plan.reuse // plan.batch)
        window = min(plan.memory, newest)
        if plan.start is None:
            # Early positions were judged by a network that knew little: look at the newer half.
            window = min(window, max(newest // 2, 2000))
        loss = learn(
            rows, geometry.lengths, memory, plan.memory, newest % plan.memory, window,
            p, m, v, steps, rate, plan.batch, times,
        )  # fmt: skip
        steps += times
        average += (p - average) * np.float32(1 / (1 + 0.1 * (played / plan.chunk)))
        if played % plan.checkpoint_games == 0 or played >= plan.games:
            path = folder / f"{played:07d}.npz"
            save(path, average, plan)
            tell(
                f"{played} games, {turns / played:.1f} turns a game,"
                f" {perf_counter() - start:.0f} s, loss {loss:.5f}, rate {rate:.6f}"
            )
    return path


def _opponent(name: str, seats: int) -> Opponent:
    try:
        opponent = Opponent[name.upper()]
    except KeyError:
        known = ", ".join(one.name.lower() for one in Opponent)
        raise BadPlan(f"no opponent {name!r}: choose from {known}") from None
    if seats == 1 and opponent is not Opponent.EXPERT:
        raise BadPlan("in solitaire there is no opponent")
    return opponent


def _first_parameters(plan: Plan, rows: Rows) -> "np.typing.NDArray[np.float32]":
    if plan.start is None:
        return np.asarray(start_parameters(rows, plan.hidden, plan.seed), np.float32)
    try:
        network = read_network(Path(plan.start))
    except ValueError as error:
        raise BadPlan(str(error)) from error
    if network.seats != plan.seats:
        raise BadPlan(f"{plan.start} holds a network for {network.seats} seats, not {plan.seats}")
    return network.rows


def save(path: Path, parameters: "np.typing.NDArray[np.float32]", plan: Plan) -> None:
    """Write a network, in half precision."""
    np.savez_compressed(
        path, rows=parameters.astype(np.float16), seats=plan.seats, targets=np.array(plan.targets)
    )
