"""Wins and defeats in a row."""

from typing import NamedTuple


class Streak(NamedTuple):
    """``current`` counts the latest wins in a row, or below 0 the latest defeats."""

    current: int = 0
    longest_wins: int = 0
    longest_losses: int = 0

    def after(self, *, won: bool) -> "Streak":
        """The streak after another game."""
        current = max(self.current, 0) + 1 if won else min(self.current, 0) - 1
        return Streak(current, max(self.longest_wins, current), max(self.longest_losses, -current))
