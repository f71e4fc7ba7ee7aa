"""The client's errors that a person sees: each text says what is wrong and what to do."""


class ClientError(Exception):
    """What was asked for is not possible."""


class OutputClosed(Exception):
    """Nobody reads standard output any more, as in ``cantstop history | head -1``.

    Not an ``OSError``, so that it is never taken for trouble with the connection.
    """
