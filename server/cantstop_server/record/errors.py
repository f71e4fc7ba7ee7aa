"""What is wrong with a record."""

from cantstop_server.errors import ServerError


class BadRecord(ServerError):
    """A record that cannot be read, or does not agree with the rules.

    ``line`` counts the lines of the text from 1; ``reason`` says what is wrong there.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class Impossible(Exception):
    """Something in a record that cannot be so; whoever reads lines says where it stands."""
