"""The server's errors that a person sees: each text says what is wrong and what to do."""


class ServerError(Exception):
    """The server cannot start or go on."""
