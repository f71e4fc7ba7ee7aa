"""How many moves a second of CPU a server carries, beside a bare relay in the same run."""

import asyncio
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import Final

from cantstop_server.bench.child import Child, child
from cantstop_server.bench.load import Load
from cantstop_server.loop import Loop

WARM_UP: Final = 1.0
MEASURED: Final = 4.0


@dataclass(frozen=True, slots=True)
class Figures:
    """One side of a comparison: rates a second of the server's CPU, times in seconds.

    ``loop_lag`` is how late the server's loop was at most.
    """

    moves_per_cpu_second: float
    latency_p50: float
    latency_p99: float
    loop_lag: float
    update_bytes: float
    bytes_per_connection: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A server beside its floor, over the rounds: medians of each, and the ratio pair by pair."""

    loop: str
    rooms: int
    seats: int
    spectators: int
    server: Figures
    floor: Figures
    ratios: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The median ratio of moves a second of CPU, server to floor."""
        return median(self.ratios)

    def as_dict(self) -> dict[str, object]:
        """The same as plain values that JSON can hold."""
        return {**asdict(self), "ratio": self.ratio}


async def compare(
    loop: Loop,
    rooms: int,
    seats: int,
    spectators: int = 0,
    rounds: int = 3,
    seconds: float = MEASURED,
) -> Comparison:
    """Measure a server and its floor in turn, so often, for so many seconds each."""
    ours: list[Figures] = []
    floors: list[Figures] = []
    for _ in range(rounds):
        async with child("serve", loop) as process:
            ours.append(await _measure(process, rooms, seats, spectators, seconds, floor=False))
        size = str(round(ours[-1].update_bytes))
        async with child("floor", loop, size) as process:
            floors.append(await _measure(process, rooms, seats, spectators, seconds, floor=True))
    ratios = tuple(
        one.moves_per_cpu_second / other.moves_per_cpu_second
        for one, other in zip(ours, floors, strict=True)
    )
    return Comparison(loop, rooms, seats, spectators, _median(ours), _median(floors), ratios)


def format_report(results: list[Comparison]) -> str:
    """The comparisons as a table for people."""
    lines = [
        "moves a second of the server's CPU; times from move to update, and the loop's lag, in ms",
        "",
        f"{'loop':<8}{'rooms':>6}{'seats':>6}{'watch':>6}{'moves':>9}{'floor':>9}{'ratio':>7}"
        f"{'range':>11}{'p50':>8}{'p99':>8}{'floor':>8}{'p99':>8}{'lag':>6}",
    ]
    for r in results:
        spread = f"{min(r.ratios):.2f}-{max(r.ratios):.2f}"
        lines.append(
            f"{r.loop:<8}{r.rooms:>6}{r.seats:>6}{r.spectators:>6}"
            f"{r.server.moves_per_cpu_second:>9,.0f}{r.floor.moves_per_cpu_second:>9,.0f}"
            f"{r.ratio:>7.2f}{spread:>11}"
            f"{r.server.latency_p50 * 1000:>8.2f}{r.server.latency_p99 * 1000:>8.2f}"
            f"{r.floor.latency_p50 * 1000:>8.2f}{r.floor.latency_p99 * 1000:>8.2f}"
            f"{r.server.loop_lag * 1000:>6.0f}"
        )
    return "\n".join(lines)


async def _measure(
    process: Child, rooms: int, seats: int, spectators: int, seconds: float, *, floor: bool
) -> Figures:
    load = Load()
    empty = await process.usage()
    opening = load.open_floor if floor else load.open_rooms
    await opening(process.port, rooms, seats, spectators)
    idle = await process.usage()
    load.start()
    await asyncio.sleep(WARM_UP)
    load.tally.clear()
    before = await process.usage()
    await asyncio.sleep(seconds)
    after = await process.usage()
    tally = load.tally
    moves, latencies = tally.moves, list(tally.latencies)
    load.close()
    cuts = quantiles(latencies, n=100) if len(latencies) > 1 else [0.0] * 99
    return Figures(
        moves_per_cpu_second=moves / (after.cpu - before.cpu),
        latency_p50=cuts[49],
        latency_p99=cuts[98],
        loop_lag=after.lag,
        update_bytes=tally.update_bytes / max(1, tally.updates),
        bytes_per_connection=(idle.resident - empty.resident) / (rooms * (seats + spectators)),
    )


def _median(figures: list[Figures]) -> Figures:
    return Figures(
        *(median(getattr(f, name) for f in figures) for name in Figures.__dataclass_fields__)
    )
