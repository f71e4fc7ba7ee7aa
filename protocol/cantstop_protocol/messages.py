"""What a server may say to a client. ``re`` is the id of the command that a reply answers."""

from typing import Literal

from msgspec import Struct

from cantstop_protocol.codes import ByeCode, ErrorCode, ExitCode
from cantstop_protocol.events import AnyEvent
from cantstop_protocol.past import GameSummary
from cantstop_protocol.standings import PlayerStats, Rated, SolitaireBest
from cantstop_protocol.table import RoomSummary, Table


class Message(Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of all messages."""


class Unrecognised(Message, frozen=True, tag="unrecognised"):
    """Never sent: what a client makes of a message of a kind that it does not know."""

    kind: str


class Greeting(Message, frozen=True, tag="greeting"):
    """The first message on a connection.

    ``server`` is the lasting random id that this server states: a client derives its token from
    it. Nothing proves it: a server that copies another's id learns the token for that one.
    ``bots`` are the kinds of computer players; ``password`` says that ``Hello`` must carry the
    server's password.
    """

    server: str
    name: str
    software: str
    bots: tuple[str, ...]
    password: bool = False


class Welcome(Message, frozen=True, tag="welcome"):
    """The reply to ``Hello``: the name as it will be shown, and the rooms where a seat is held."""

    re: int
    name: str
    rooms: tuple[str, ...]


class Ok(Message, frozen=True, tag="ok"):
    """The command had its effect."""

    re: int


class Error(Message, frozen=True, tag="error"):
    """The command had no effect. ``re`` is None when the command's id could not be read."""

    re: int | None
    code: ErrorCode
    message: str


class Alternative(Struct, frozen=True):
    """Something one may do. ``option`` is its place in the turn's options, from 1, with
    ``action`` "choose". ``value`` is the chance to win after it with the best play, 0 to 1, with
    more than two seats against the strongest rival; in solitaire it is the number of turns that
    the game will have taken."""

    action: Literal["roll", "choose", "stop"]
    option: int | None
    value: float


class Hinted(Message, frozen=True, tag="hinted"):
    """The reply to ``Hint``: the alternatives in that decision, the best first."""

    re: int
    ply: int
    alternatives: tuple[Alternative, ...]


class Rooms(Message, frozen=True, tag="rooms"):
    """The reply to ``ListRooms``."""

    re: int
    rooms: tuple[RoomSummary, ...]


class Games(Message, frozen=True, tag="games"):
    """The reply to ``ListGames``: unfinished games first, unless the list goes on behind another.

    ``more`` says that others fit, too, and come after the last one.
    """

    re: int
    games: tuple[GameSummary, ...]
    more: bool


class Stats(Message, frozen=True, tag="stats"):
    """The reply to ``GetStats``; ``player`` is None if nobody has this name."""

    re: int
    player: PlayerStats | None


class Leaders(Message, frozen=True, tag="leaders"):
    """The reply to ``GetLeaders``: the 20 best rated players, the best first, and the 20 best
    solitaire scores for each target."""

    re: int
    rated: tuple[Rated, ...]
    solitaire: tuple[SolitaireBest, ...]


class GameStep(Struct, frozen=True):
    """Something that happened in a game, and the table after it."""

    event: AnyEvent
    table: Table


class GameRecord(Message, frozen=True, tag="game_record"):
    """The reply to ``GetGame``: a part of a game that has ended, as it happened.

    ``steps`` are those from number ``first`` on, of ``total`` counted from 0: the game's
    ``Started``, an event for each action, and ``Finished`` or ``Abandoned``. Their tables are of
    no room. ``turn_ends`` are when the turns ended, in seconds since the start: the last of them,
    if not all are known. ``started`` and ``ended`` are times in UTC such as 2026-11-30T20:40:58Z.
    """

    re: int
    game: str
    started: str
    ended: str
    turn_ends: tuple[float, ...]
    total: int
    first: int
    steps: tuple[GameStep, ...]


class NumberedEvent(Struct, frozen=True):
    """An event of the room's log with its number; numbers rise by 1."""

    seq: int
    event: AnyEvent


class Entered(Message, frozen=True, tag="entered"):
    """The reply to ``Create`` and ``Join``: the whole table, and the latest events.

    ``seat`` is one's own, None for a spectator. ``seq`` is the number of the latest event that
    the table includes. ``events`` are those after the join's ``last_seq`` as far as they are
    kept; ``complete`` says that none is missing between them.
    """

    re: int
    seat: int | None
    seq: int
    events: tuple[NumberedEvent, ...]
    complete: bool
    table: Table


class Update(Message, frozen=True, tag="update"):
    """Something happened: the event and the table after it.

    ``more`` says that the next update belongs to the same step; the table is already the one
    after the whole step.
    """

    seq: int
    event: AnyEvent
    table: Table
    more: bool = False


class Notice(Message, frozen=True, tag="notice"):
    """Something for everyone in the room that is no event of its log, such as storage trouble."""

    message: str


class Aside(Message, frozen=True, tag="aside"):
    """A spectator's line to the other spectators; it is no event of the room."""

    name: str
    text: str


class ServerStatus(Struct, frozen=True):
    """How a server is. ``uptime`` in seconds; ``players`` are people who have said hello.

    ``database`` is False while the database takes nothing down.
    """

    name: str
    software: str
    uptime: int
    connections: int
    players: int
    rooms: int
    games: int
    draining: bool
    database: bool


class Presence(Struct, frozen=True):
    """Somebody who is connected: the server's id for them, and the room they are in, if any."""

    player: int
    name: str
    room: str | None
    address: str


class AdminReport(Message, frozen=True, tag="admin_report"):
    """The reply to ``Admin``: how the server is now, and what was asked for.

    ``told`` is how many people a broadcast or a drain was told to. ``rooms`` and ``players`` are
    at most 1,000 each; ``status`` has the full numbers.
    """

    re: int
    status: ServerStatus
    rooms: tuple[RoomSummary, ...] = ()
    players: tuple[Presence, ...] = ()
    told: int = 0


class Exit(Message, frozen=True, tag="exit"):
    """One is out of the room without having left it; the connection stays."""

    room: str
    code: ExitCode
    message: str


class Bye(Message, frozen=True, tag="bye"):
    """The server is about to close this connection."""

    code: ByeCode
    message: str


AnyMessage = (
    Unrecognised
    | Greeting
    | Welcome
    | Ok
    | Error
    | Hinted
    | Rooms
    | Games
    | Stats
    | Leaders
    | GameRecord
    | Entered
    | Update
    | Notice
    | Aside
    | AdminReport
    | Exit
    | Bye
)
