"""When what the journal has written is tidied: it counts writes, and how many moves were kept."""

from typing import Final

_EVERY: Final = 4000
"""After so many writes SQLite's log is at most some ten megabytes long."""


class Upkeep:
    """Tidying is due after each ``every`` writes; old moves go once as many are new as were kept
    the last time, since all of them are looked through."""

    def __init__(self, every: int = _EVERY) -> None:
        self._every = every
        self._since_upkeep = self._since_dropping = self._kept = 0

    def is_due(self, writes: int) -> bool:
        """Note so many writes more: whether it is time to tidy."""
        self._since_upkeep += writes
        self._since_dropping += writes
        if self._since_upkeep < self._every:
            return False
        self._since_upkeep = 0
        return True

    @property
    def drops(self) -> bool:
        """Whether old moves are to go with it."""
        return self._since_dropping >= self._kept

    def dropped(self, kept: int) -> None:
        """Old moves have gone, and so many were kept."""
        self._since_dropping, self._kept = 0, kept
