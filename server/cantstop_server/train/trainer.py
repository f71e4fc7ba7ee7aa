"""Training by self-play: games fill a memory of positions, and the network learns from it."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from cantstop_server.players.expert.geometry import standard
from cantstop_server.players.expert.network import Layout
from cantstop_server.train.network import learn, rows_of, start_parameters
from cantstop_server.train.selfplay import play_games, seed_chance
from cantstop_server.train.solver import tables


@dataclass(frozen=True, slots=True)
class Plan:
    """What a training run does. The same plan gives the same network on the same machine.

    Each turn's position is used about ``reuse`` times, in batches of ``batch``. The step size
    falls from ``rate`` to ``last_rate`` over the games. ``targets`` are drawn from for each game;
    ``seats`` are 1 or 2.
    """

    games: int = 24_000
    seats: int = 2
    targets: tuple[int, ...] = (3,)
    hidden: int = 128
    seed: int = 1
    rate: float = 3e-3
    last_rate: float = 3e-5
    reuse: int = 24
    batch: int = 256
    memory: int = 60_000
    checkpoint_games: int = 500
    chunk: int = 20


def train(plan: Plan, folder: Path, tell: Callable[[str], None]) -> Path:
    """Run a plan; checkpoints go to the folder. Returns the path of the last one.

    What is saved is a running mean of the network over the last tenth or so of the games.
    """
    geometry = standard()
    layout = Layout(geometry, plan.seats)
    rows, t = rows_of(layout), tables(geometry)
    hidden, columns = plan.hidden, geometry.columns
    p = start_parameters(rows, hidden, plan.seed)
    seed_chance(plan.seed)
    average, m, v = p.copy(), np.zeros_like(p), np.zeros_like(p)
    memory = (
        np.zeros((plan.memory, columns), np.int8),
        np.zeros((plan.memory, plan.seats - 1, columns), np.int8),
        np.zeros((plan.memory, columns), np.int8),
        np.zeros(plan.memory, np.int16),
        np.zeros(plan.memory, np.float32),
    )
    longest = int(geometry.lengths.max())
    work = (
        np.zeros((columns, longest + 1, hidden), np.float32),
        np.zeros(hidden, np.float32),
        np.zeros((8, hidden), np.float32),
        *(np.zeros(geometry.states, np.float32) for _ in range(3)),
    )
    targets = np.array(plan.targets, np.int64)
    newest = played = steps = turns = 0
    start = perf_counter()
    path = folder / "none.npz"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan.json").write_text(json.dumps(asdict(plan)) + "\n", encoding="utf-8")
    while played < plan.games:
        newest, more = play_games(
            t, geometry.sides, rows, p, plan.seats, targets, plan.chunk, memory, plan.memory,
            newest, work,
        )  # fmt: skip
        played += plan.chunk
        turns += more
        done = played / plan.games
        rate = plan.rate * (plan.last_rate / plan.rate) ** done
        times = max(1, more * plan.reuse // plan.batch)
        # Early positions were judged by a network that knew little: look at the newer half.
        window = min(plan.memory, max(newest // 2, min(newest, 2000)))
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


def save(path: Path, parameters: "np.typing.NDArray[np.float32]", plan: Plan) -> None:
    """Write a network, in half precision."""
    np.savez_compressed(
        path, rows=parameters.astype(np.float16), seats=plan.seats, targets=np.array(plan.targets)
    )
