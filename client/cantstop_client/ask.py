"""Questions with an answer each, line by line: they work on every terminal and with every reader.

A question is a line of its own, its default in brackets; an empty answer takes the default.
"""

from collections.abc import Callable, Sequence
from typing import TextIO

from cantstop_client.output import Output

Check = Callable[[str], str]
"""Gives the answer as it is to be used; raises ``ValueError`` that says what is wrong with it."""


class NoMoreAnswers(Exception):
    """The input has ended: Ctrl-D, or nobody is there."""


class Asker:
    """Asks on an output and reads answers from a stream."""

    def __init__(self, output: Output, stream: TextIO | None) -> None:
        self.output = output
        self._stream = stream

    def ask(self, question: str, default: str = "", check: Check = str) -> str:
        """An answer that passes the check; asks again until there is one.

        Raises ``NoMoreAnswers``.
        """
        while True:
            self.output.line(f"{question} [{default}]:" if default else f"{question}:")
            answer = self._read() or default
            try:
                return check(answer)
            except ValueError as error:
                self.output.line(f"{error}")

    def choose(self, title: str, choices: Sequence[str], default: int = 1) -> int:
        """The index of a choice from a numbered list, counted from 0. Raises ``NoMoreAnswers``."""
        self.output.line(title)
        for number, choice in enumerate(choices, start=1):
            self.output.line(f"{number}) {choice}")

        def check(answer: str) -> str:
            number = int(answer) if answer.isascii() and answer.isdigit() and len(answer) < 4 else 0
            if not 1 <= number <= len(choices):
                raise ValueError(f"{answer!r} is no number from 1 to {len(choices)}")
            return answer

        return int(self.ask(f"Number, 1 to {len(choices)}", str(default), check)) - 1

    def _read(self) -> str:
        line = self._stream.readline() if self._stream is not None else ""
        if not line:
            raise NoMoreAnswers
        return line.strip()
