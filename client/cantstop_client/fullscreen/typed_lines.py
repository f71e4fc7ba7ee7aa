"""The lines typed earlier, kept across runs; never one that holds a password."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cantstop_protocol.text import visible

KEPT: Final = 500
_FILE: Final = "history"
_TAKE_PASSWORDS: Final = ("/join", "/watch")


def is_secret(line: str) -> bool:
    """Whether the line has a password in it, or could have."""
    words = line.casefold().split()
    if "password" in line.casefold():
        return True
    return bool(words) and words[0] in _TAKE_PASSWORDS and len(words) > 2


def pasted(text: str) -> str:
    """A pasted block as one line of text. What was several lines is never a command."""
    lines = [line for line in text.splitlines() if line.strip()]
    joined = visible(" ".join(lines))
    return f"/{joined}" if len(lines) > 1 and joined.startswith("/") else joined


def load(directory: Path) -> list[str]:
    """The lines of earlier runs, the oldest first; none where they cannot be read."""
    try:
        text = (directory / _FILE).read_text("utf-8", errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line][-KEPT:]


def save(directory: Path, lines: Iterable[str]) -> None:
    """Keep the lines for the next run, for this person alone. A full disk loses them, no more."""
    kept = [visible(line) for line in lines if line.strip() and not is_secret(line)][-KEPT:]
    path = directory / _FILE
    with contextlib.suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
        handle = os.open(path.with_suffix(".new"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in kept))
        os.replace(path.with_suffix(".new"), path)
