"""A token bucket, on a clock that is passed in."""

from collections.abc import Callable


class TokenBucket:
    """Allows ``burst`` at once and ``rate`` per second after that."""

    __slots__ = ("_burst", "_clock", "_filled_at", "_rate", "_tokens")

    def __init__(self, rate: float, burst: int, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._filled_at = clock()

    def take(self) -> bool:
        """Take one token; False if there is none."""
        now = self._clock()
        tokens = self._tokens + (now - self._filled_at) * self._rate
        if tokens > self._burst:
            tokens = self._burst
        self._filled_at = now
        taken = tokens >= 1
        self._tokens = tokens - taken
        return taken
