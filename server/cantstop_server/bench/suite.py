"""Everything that is measured here, in one run of bounded length."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeAlias

from cantstop_server.bench.codec import run_codec_bench
from cantstop_server.bench.journal import run_journal_bench
from cantstop_server.bench.memory import run_memory_bench
from cantstop_server.bench.rate import Line, format_lines
from cantstop_server.bench.resume import run_resume_bench
from cantstop_server.bench.rules import format_report, run_rules_bench
from cantstop_server.bench.server import Comparison, compare
from cantstop_server.bench.server import format_report as format_comparisons
from cantstop_server.bench.startup import run_startup_bench
from cantstop_server.bench.thinking import format_thinking, run_thinking_bench
from cantstop_server.loop import LOOPS

Found: TypeAlias = tuple[str, Any]
"""A report for people, and the same as plain values."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: rounds of everything, and the sizes.

    ``rows`` are those of the server: rooms, seats, spectators. ``seconds`` is how long each row
    is measured in a round, after a second to warm up.
    """

    rounds: int
    rows: tuple[tuple[int, int, int], ...]
    seconds: float
    games: int
    rooms: int
    players: tuple[str, ...] = ("keller", "glenn", "rule28", "random")


WHOLE: Final = Plan(
    rounds=3,
    rows=(
        *((rooms, seats, 0) for rooms in (1, 50, 250, 1000) for seats in (2, 4)),
        (1, 4, 50),
        (50, 4, 50),
    ),
    seconds=3.0,
    games=500,
    rooms=1000,
)
"""About a quarter of an hour."""

QUICK: Final = Plan(
    rounds=1, rows=((1, 4, 0), (50, 4, 0)), seconds=2.0, games=100, rooms=100, players=("keller",)
)
"""About a minute."""


async def compare_all(plan: Plan) -> list[Comparison]:
    """The server's rows, on each loop there is."""
    return [
        await compare(loop, rooms, seats, spectators, plan.rounds, plan.seconds)
        for rooms, seats, spectators in plan.rows
        for loop in LOOPS
    ]


def run_suite(plan: Plan, tell: Callable[[str], None]) -> dict[str, Any]:
    """Measure it all; ``tell`` gets each part's report when it is done. Gives plain values."""
    found: dict[str, Any] = {}
    for name, part in PARTS.items():
        report, found[name] = part(plan)
        tell(f"== {name}\n{report}\n")
    return found


def _rules(plan: Plan) -> Found:
    results = [run_rules_bench(plan.games, kind, 1, plan.rounds) for kind in plan.players]
    return "\n\n".join(map(format_report, results)), [result.as_dict() for result in results]


def _codec(plan: Plan) -> Found:
    return lines_found(run_codec_bench(plan.rounds))


def _server(plan: Plan) -> Found:
    results = asyncio.run(compare_all(plan))
    return format_comparisons(results), [result.as_dict() for result in results]


def _thinking(plan: Plan) -> Found:
    result = run_thinking_bench(games=2 * plan.rounds, rooms=5, moves=100 * plan.rounds, seed=1)
    return format_thinking(result), result.as_dict()


def _lines(measure: Callable[[Plan], Awaitable[list[Line]]]) -> Callable[[Plan], Found]:
    async def measured(plan: Plan) -> list[Line]:
        return await measure(plan)

    return lambda plan: lines_found(asyncio.run(measured(plan)))


def lines_found(lines: list[Line]) -> Found:
    """Lines as a report and as plain values."""
    return format_lines(lines), [asdict(line) for line in lines]


PARTS: Final[Mapping[str, Callable[[Plan], Found]]] = {
    "rules": _rules,
    "codec": _codec,
    "server": _server,
    "memory": _lines(lambda plan: run_memory_bench(min(plan.rooms, 300), plan.rounds)),
    "journal": _lines(lambda plan: run_journal_bench(50, plan.seconds, plan.rounds)),
    "resume": _lines(lambda plan: run_resume_bench(plan.rooms, plan.rounds)),
    "startup": _lines(lambda plan: run_startup_bench(plan.rounds + 2)),
    "thinking": _thinking,
}
"""What there is to measure, by the name that the command line knows it by."""
