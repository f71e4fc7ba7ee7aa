"""Which streams there are, and whether a person is at them. Loads nothing: help needs it."""

import sys
from typing import TextIO


def standard_input() -> TextIO | None:
    """Standard input, None if the program was started without one."""
    return sys.stdin if sys.stdin is not None and not sys.stdin.closed else None


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person types here."""
    try:
        return stream is not None and stream.isatty()
    except (OSError, ValueError):
        return False
