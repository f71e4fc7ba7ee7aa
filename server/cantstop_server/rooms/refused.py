"""The refusal of a command."""

from cantstop_protocol.codes import ErrorCode


class Refused(Exception):
    """A command that has no effect. The text says what to do instead."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
