"""How long a server takes from its start to listening, beside a bare one."""

from time import perf_counter

from cantstop_server.bench.child import child
from cantstop_server.bench.rate import Line, line
from cantstop_server.loop import LOOPS


async def run_startup_bench(rounds: int) -> list[Line]:
    """Start both in turn. Raises ``ValueError`` for fewer than one round."""
    if rounds < 1:
        raise ValueError(f"a benchmark has at least 1 round, not {rounds}")
    ours, bare = [], []
    await _seconds("serve")  # files are read from disk
    for _ in range(rounds):
        ours.append(await _seconds("serve"))
        bare.append(await _seconds("floor", "600"))
    return [line("server, with a new database", "s", ours, bare)]


async def _seconds(module: str, *more: str) -> float:
    began = perf_counter()
    async with child(module, LOOPS[0], *more):
        return perf_counter() - began
