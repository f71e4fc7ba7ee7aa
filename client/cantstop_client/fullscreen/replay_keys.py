"""The keys of a replay, in one table: help is made from it. Pure."""

from typing import Final

KEYS: Final = (
    (("right", "n"), "Right or n", "The next step"),
    (("left", "b"), "Left or b", "The step before"),
    (("down",), "Down", "The next turn"),
    (("up",), "Up", "The beginning of this turn, or of the one before"),
    ((" ",), "Space", "Play, and pause"),
    (("+", "=", "-"), "+ and -", "Play faster or slower"),
    (("home", "end"), "Home End", "The beginning, the end"),
    ((), "a number", "and Enter: that turn"),
    (("r",), "r", "Review: the chances, what decisions cost, the luck; again: its summary"),
    ((), "PageUp PageDown", "Scroll the log, or the page that is open"),
    (("?",), "?", "This page"),
    (("q",), "q or Esc", "Close the page; leave the replay"),
)
"""The keys that act, how they are called, and what they do."""

ACTING: Final = tuple(key for keys, _, _ in KEYS for key in keys if key not in ("up", "down"))
"""Up and Down have a meaning of their own to the terminal: ``highlight``."""
