"""What can go wrong with storage. The texts are for people; the cause is chained."""

from cantstop_server.errors import ServerError


class StorageError(ServerError):
    """Something could not be stored or read; nothing of it was."""


class DatabaseFault(StorageError):
    """The database as a whole does not work now: locked, full, read-only, damaged, gone."""


class CannotChange(ServerError):
    """A player cannot be renamed or merged so; the text says why and what to do."""


class BadQuestion(StorageError):
    """What was asked for makes no sense; the text says what would."""


class NameTaken(Exception):
    """The name belongs to somebody else: the token does not fit it."""
