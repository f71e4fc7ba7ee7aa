"""The codes that say why: of refused commands, of farewells, of leaving a room."""

from enum import StrEnum


class Code(StrEnum):
    """Base of the codes: one that a newer server made up is ``unknown`` here, not an error."""

    @classmethod
    def _missing_(cls, value: object) -> "Code | None":
        return cls["UNKNOWN"] if isinstance(value, str) else None


class ErrorCode(Code):
    """Why a command was refused. The text beside it says what to do."""

    UNKNOWN = "unknown"
    """Never sent: what a client makes of a code that it does not know."""
    MALFORMED = "malformed"
    """The frame is no command: not msgpack, unknown type, missing or wrong field, out of range."""
    NOT_IDENTIFIED = "not_identified"
    """Something other than ``hello`` before ``hello``."""
    ALREADY_IDENTIFIED = "already_identified"
    BAD_NAME = "bad_name"
    """A name that is empty, too long, reserved, or holds characters that names may not have."""
    NAME_TAKEN = "name_taken"
    """The name belongs to somebody else: the token does not fit it."""
    BAD_TEXT = "bad_text"
    """A text with nothing visible in it, or too long."""
    BAD_OPTIONS = "bad_options"
    BAD_QUESTION = "bad_question"
    """A list of games that makes no sense: a cursor that is none, a result without a player."""
    NO_SUCH_ROOM = "no_such_room"
    NO_SUCH_GAME = "no_such_game"
    """No game that has ended has an identifier that begins so, or several have."""
    BAD_PASSWORD = "bad_password"
    NOT_ADMITTED = "not_admitted"
    """The room is locked, or its creator has put this person out."""
    ROOM_FULL = "room_full"
    """Every seat is taken, or the game has begun, or no more people can watch."""
    NOT_IN_ROOM = "not_in_room"
    ALREADY_IN_ROOM = "already_in_room"
    NOT_CREATOR = "not_creator"
    """Only the room's creator may do this."""
    NOT_SEATED = "not_seated"
    """A spectator, or somebody who has left the game, may not do this."""
    NOT_YOUR_TURN = "not_your_turn"
    NOT_ALLOWED = "not_allowed"
    """Not possible in this phase, or no such option or seat."""
    STALE = "stale"
    """The move answers another decision than the one that is pending."""
    TOO_FAST = "too_fast"
    """A rate limit; the same command will be accepted a little later."""
    SERVER_FULL = "server_full"
    """The server holds as many rooms as it can, or this person as many as one may run."""
    STORAGE = "storage"
    """The database did not take it; nothing has changed, try again later."""
    INTERNAL = "internal"
    """A fault in the server; nothing has changed."""
    SHUTTING_DOWN = "shutting_down"
    NOT_ADMIN = "not_admin"
    """The token is not the one that the server's host has."""


class ByeCode(Code):
    """Why the server ends a connection. After ``replaced``, ``flood``, ``kicked`` stay away."""

    UNKNOWN = "unknown"
    SHUTDOWN = "shutdown"
    REPLACED = "replaced"
    """The same identity connected from somewhere else."""
    FLOOD = "flood"
    """Too much that was refused."""
    IDLE = "idle"
    """No ``hello`` within the time for it."""
    KICKED = "kicked"
    """The server's host has put this person out. Do not reconnect."""


class ExitCode(Code):
    """Why somebody is out of a room without having left it."""

    UNKNOWN = "unknown"
    ROOM_CLOSED = "room_closed"
    ROOM_FAULT = "room_fault"
    KICKED = "kicked"
    """This person was put out, by the creator or the server's host, and is not admitted again."""
