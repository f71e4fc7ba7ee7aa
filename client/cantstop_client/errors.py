"""The client's errors that a person sees: each text says what is wrong and what to do."""


class ClientError(Exception):
    """What was asked for is not possible."""


class InputEnded(Exception):
    """The person has left with Ctrl-D where nothing was asked."""


class OutputClosed(Exception):
    """Standard output takes no more: ``cantstop history | head -1``, a full disk, a lost terminal.

    Not an ``OSError``, so that it is never taken for trouble with the connection.
    """
