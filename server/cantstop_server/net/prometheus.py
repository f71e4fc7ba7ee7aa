"""The numbers of a server for Prometheus, in a registry of their own.

Nothing in them names a person or a room. What is known anyway, such as how many rooms there are,
is looked at only when somebody asks.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from cantstop_protocol.codec import COMMANDS
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import Command
from cantstop_protocol.events import Abandoned, AnyEvent, Finished, Started
from cantstop_protocol.table import RoomPhase
from cantstop_server.net.metrics import Metrics

_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class PrometheusMetrics(Metrics):
    """Counts with ``prometheus_client``; every series is there from the start, at 0."""

    def __init__(
        self, connections: Callable[[], int], rooms: Callable[[], Mapping[RoomPhase, int]]
    ) -> None:
        registry = self._registry = CollectorRegistry()
        # Each move counts here: a plain number, for which the library takes a lock.
        self._commands: dict[type[Command], int] = dict.fromkeys(COMMANDS.values(), 0)
        refusals = Counter("cantstop_refusals", "Refused commands.", ["code"], registry=registry)
        # Looked up once: a series behind a dictionary's entry takes one addition each time.
        self._refusals: dict[ErrorCode, Callable[[], None]] = {
            code: refusals.labels(code=code.value).inc
            for code in ErrorCode
            if code is not ErrorCode.UNKNOWN
        }

        def counter(name: str, text: str) -> Counter:
            return Counter(f"cantstop_{name}", text, registry=registry)

        self._events: dict[type, Callable[[], None]] = {
            Started: counter("games_started", "Games that began.").inc,
            Finished: counter("games_finished", "Games that were played to their end.").inc,
            Abandoned: counter("games_abandoned", "Games that were given up.").inc,
        }
        self._slow_readers = counter(
            "slow_readers_cut", "Connections that were cut since they did not read."
        )
        self._journal_writes = counter(
            "journal_writes", "Changes of rooms that were written to the database."
        )
        self._journal_failures = counter(
            "journal_failures", "Groups of changes that the database did not take."
        )
        self._journal_seconds = Histogram(
            "cantstop_journal_group_seconds",
            "Time that the database took for each group of changes, failed ones included.",
            buckets=_SECONDS,
            registry=registry,
        )
        self._lag = Histogram(
            "cantstop_event_loop_lag_seconds",
            "How much later than due the event loop came to its timers.",
            buckets=_SECONDS,
            registry=registry,
        )
        self._last_lag = Gauge(
            "cantstop_event_loop_last_lag_seconds", "The latest such lag.", registry=registry
        )
        registry.register(_State(connections, rooms, self._commands))

    def command(self, kind: type[Command]) -> None:
        self._commands[kind] += 1

    def refused(self, code: ErrorCode) -> None:
        self._refusals[code]()

    def event(self, event: AnyEvent) -> None:
        count = self._events.get(type(event))
        if count is not None:
            count()

    def slow_reader(self) -> None:
        self._slow_readers.inc()

    def journal_group(self, writes: int, seconds: float, *, failed: bool) -> None:
        self._journal_seconds.observe(seconds)
        if failed:
            self._journal_failures.inc()
        else:
            self._journal_writes.inc(writes)

    def loop_lag(self, seconds: float) -> None:
        self._lag.observe(seconds)
        self._last_lag.set(seconds)

    def text(self) -> str:
        return generate_latest(self._registry).decode()


class _State(Collector):
    """What there is at the moment somebody asks."""

    def __init__(
        self,
        connections: Callable[[], int],
        rooms: Callable[[], Mapping[RoomPhase, int]],
        commands: Mapping[type[Command], int],
    ) -> None:
        self._connections = connections
        self._rooms = rooms
        self._commands = commands

    def collect(self) -> Iterable[Metric]:
        connections = self._connections()
        yield GaugeMetricFamily("cantstop_connections", "Open connections.", value=connections)
        rooms = GaugeMetricFamily("cantstop_rooms", "Rooms, by phase.", labels=["phase"])
        for phase, number in self._rooms().items():
            rooms.add_metric([phase], number)
        yield rooms
        commands = CounterMetricFamily(
            "cantstop_commands", "Commands that arrived.", labels=["command"]
        )
        for tag, kind in COMMANDS.items():
            commands.add_metric([tag], self._commands[kind])
        yield commands
