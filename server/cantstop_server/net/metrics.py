"""What a server counts. The base counts nothing: a private game needs no numbers.

``PrometheusMetrics`` in ``net/prometheus.py`` does, and loads its library with it.
"""

from typing import Final

from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import Command
from cantstop_protocol.events import AnyEvent


class Metrics:
    """Called where it happens: each of these must be cheap, and none may fail."""

    content_type: Final = "text/plain; version=0.0.4; charset=utf-8"
    """Of the text: version 0.0.4 of the form, which every Prometheus reads."""

    def command(self, kind: type[Command]) -> None:
        """A command has arrived."""

    def refused(self, code: ErrorCode) -> None:
        """A command was refused."""

    def event(self, event: AnyEvent) -> None:
        """A room was opened, or a game began or ended, and that is durable."""

    def slow_reader(self) -> None:
        """A connection was cut since it did not read."""

    def journal_group(self, writes: int, seconds: float, *, failed: bool) -> None:
        """The journal has tried to write a group."""

    def loop_lag(self, seconds: float) -> None:
        """How much later than due the event loop came to something."""

    def text(self) -> str:
        """All numbers in the text form of Prometheus."""
        return ""
