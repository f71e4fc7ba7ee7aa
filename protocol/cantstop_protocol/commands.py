"""What a client may say to a server. Each command gets exactly one reply that names its ``id``."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from cantstop_protocol.limits import (
    MAX_CURSOR_CHARACTERS,
    MAX_GAMES,
    MAX_ID,
    MAX_INSTANCE_CHARACTERS,
    MAX_PASSWORD_CHARACTERS,
    MAX_TOKEN_CHARACTERS,
    MIN_TOKEN_CHARACTERS,
)
from cantstop_protocol.past import GameResult
from cantstop_protocol.table import DeadMarkers, GameOptions, SpectatorChat

Id = Annotated[int, Meta(ge=1, le=MAX_ID)]
Ply = Annotated[int, Meta(ge=0, le=MAX_ID)]
SeatIndex = Annotated[int, Meta(ge=0, le=3)]
RoomCode = Annotated[str, Meta(min_length=1, max_length=16)]
BotKind = Annotated[str, Meta(min_length=1, max_length=16)]
Password = Annotated[str, Meta(max_length=MAX_PASSWORD_CHARACTERS)]
Seconds = Annotated[int, Meta(ge=0, le=253_402_300_799)]
"""A time in seconds since 1970 in UTC, up to the year 9999."""
RawText = Annotated[str, Meta(max_length=2048)]
Role = Literal["player", "spectator"]
Hex32 = Annotated[str, Meta(min_length=64, max_length=64, pattern=r"^[0-9a-f]{64}\Z")]
RollNumber = Annotated[int, Meta(ge=1, le=MAX_ID)]
AdminAction = Literal["broadcast", "close", "drain", "kick", "players", "rooms", "status"]


class Command(
    Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Base of all commands. ``id`` is chosen by the client, rising within one instance of it."""

    id: Id


class Hello(Command, frozen=True, tag="hello"):
    """Say who you are, once, before anything else. Answered by ``Welcome``.

    ``token`` proves that ``name`` is yours; ``instance`` is a random text of this run of the
    client, so that a command sent again after a reconnect is recognised. ``password`` is the
    server's, if its greeting says that it has one.
    """

    name: RawText
    token: Annotated[str, Meta(min_length=MIN_TOKEN_CHARACTERS, max_length=MAX_TOKEN_CHARACTERS)]
    instance: Annotated[str, Meta(min_length=8, max_length=MAX_INSTANCE_CHARACTERS)]
    password: Password = ""


class ListRooms(Command, frozen=True, tag="list_rooms"):
    """Ask for the open rooms. Answered by ``Rooms``."""


class ListGames(Command, frozen=True, tag="list_games"):
    """Ask for games of the past, newest first. Answered by ``Games``. None does not matter.

    ``player`` and ``opponent`` are names, of people or kinds of computer player; ``kind`` is one
    that had a seat. ``result`` is the player's, or that of the game. A game counts from ``since``
    on and before ``until``, by its end. ``after`` is a game's cursor: the list goes on behind it.
    """

    player: RawText | None = None
    opponent: RawText | None = None
    kind: BotKind | None = None
    seats: Annotated[int, Meta(ge=1, le=4)] | None = None
    target: Annotated[int, Meta(ge=1, le=5)] | None = None
    dead_markers: DeadMarkers | None = None
    result: GameResult | None = None
    since: Seconds | None = None
    until: Seconds | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_GAMES)] = 10
    after: Annotated[str, Meta(max_length=MAX_CURSOR_CHARACTERS)] | None = None


class GetStats(Command, frozen=True, tag="get_stats"):
    """Ask for a player's record, one's own without a name. Answered by ``Stats``."""

    name: RawText = ""


class GetLeaders(Command, frozen=True, tag="get_leaders"):
    """Ask who leads. Answered by ``Leaders``."""


class Create(Command, frozen=True, tag="create"):
    """Open a room and sit down in it. Answered by ``Entered``."""

    title: RawText = ""
    password: Password = ""
    options: GameOptions = GameOptions()
    role: Role = "player"


class Join(Command, frozen=True, tag="join"):
    """Enter a room, or return to one's seat. Answered by ``Entered``.

    ``last_seq`` is the last event seen in this room; the reply then starts after it.
    """

    room: RoomCode
    password: Password = ""
    role: Role = "player"
    last_seq: Annotated[int, Meta(ge=0, le=MAX_ID)] = 0


class Leave(Command, frozen=True, tag="leave"):
    """Leave the room for good. In a running game this resigns the seat.

    ``room`` names it; without it, it is the room that this connection is in. With it one can leave
    without having returned first.
    """

    room: Annotated[str, Meta(max_length=16)] = ""


class Configure(Command, frozen=True, tag="configure"):
    """The creator changes what is to be played, between games."""

    options: GameOptions


class AddBot(Command, frozen=True, tag="add_bot"):
    """The creator gives a seat to a computer player of this kind.

    Without ``seat`` it is the first free one; with it a free one, or that of a computer player,
    which is replaced.
    """

    kind: BotKind
    seat: SeatIndex | None = None


class RemoveBot(Command, frozen=True, tag="remove_bot"):
    """The creator takes a computer player out of its seat, between games."""

    seat: SeatIndex


class SwapSeats(Command, frozen=True, tag="swap_seats"):
    """The creator lets two seats change places, between games."""

    seats: tuple[SeatIndex, SeatIndex]


class Kick(Command, frozen=True, tag="kick"):
    """The creator puts somebody out of the room for good."""

    name: RawText


class Lock(Command, frozen=True, tag="lock"):
    """The creator lets no newcomers in, or lets them in again. Members may always return."""

    locked: bool


class PassRoom(Command, frozen=True, tag="pass_room"):
    """The creator makes another member the room's creator."""

    name: RawText


class SetSpectatorChat(Command, frozen=True, tag="set_spectator_chat"):
    """The creator says where spectators' chat goes: apart, merged with the table's, or nowhere."""

    mode: SpectatorChat


class Rematch(Command, frozen=True, tag="rematch"):
    """Agree to another game after the end of one."""


class Resign(Command, frozen=True, tag="resign"):
    """Give the running game up and stay in the room."""


class Start(Command, frozen=True, tag="start"):
    """The creator starts the game, or the next one."""


class Roll(Command, frozen=True, tag="roll"):
    """Roll the dice."""

    ply: Ply


class Choose(Command, frozen=True, tag="choose"):
    """Take one of the pending options, counted from 1."""

    ply: Ply
    option: Annotated[int, Meta(ge=1, le=6)]


class Stop(Command, frozen=True, tag="stop"):
    """Keep the turn's steps."""

    ply: Ply


class Hint(Command, frozen=True, tag="hint"):
    """Ask what the alternatives in one's own pending decision are worth. Answered by ``Hinted``."""

    ply: Ply


class Autopilot(Command, frozen=True, tag="autopilot"):
    """Let a computer player of this kind play one's seat; None takes it back."""

    kind: BotKind | None


class Chat(Command, frozen=True, tag="chat"):
    """Say a line to the room."""

    text: RawText


class GetGame(Command, frozen=True, tag="get_game"):
    """Ask for a game that has ended, by the beginning of its identifier; an empty one is the
    newest. Answered by ``GameRecord``.

    ``first`` is the step to begin with: a long game takes several questions.
    """

    game: Annotated[str, Meta(max_length=40)] = ""
    first: Annotated[int, Meta(ge=0, le=MAX_ID)] = 0


class Contribute(Command, frozen=True, tag="contribute"):
    """Add to the dice of the room's next game: the client does so by itself.

    ``commitment`` is the promise that it answers, ``nonce`` 32 random bytes. ``chain`` is the tip
    of a hash chain of one's own, without which one witnesses no roll.
    """

    commitment: Hex32
    nonce: Hex32
    chain: Hex32 | None = None


class Witness(Command, frozen=True, tag="witness"):
    """Witness the roll that waits for it, with the chain's link for it. None: it is not there."""

    game: Annotated[str, Meta(min_length=1, max_length=32)]
    roll: RollNumber
    link: Hex32 | None = None


class Admin(Command, frozen=True, tag="admin"):
    """The server's host looks around or steps in; no ``Hello`` is needed. Answered by
    ``AdminReport``.

    ``kick`` puts ``name`` out of ``room``, or off the server if there is none; ``close`` ends
    ``room``; ``broadcast`` tells ``text`` to everyone; ``drain`` lets no game begin any more, and
    the server ends with the last one.
    """

    token: Annotated[str, Meta(max_length=MAX_TOKEN_CHARACTERS)]
    action: AdminAction
    room: Annotated[str, Meta(max_length=16)] = ""
    name: RawText = ""
    text: RawText = ""


AnyCommand = (
    Hello
    | ListRooms
    | ListGames
    | GetStats
    | GetLeaders
    | Create
    | Join
    | Leave
    | Configure
    | AddBot
    | RemoveBot
    | SwapSeats
    | Kick
    | Lock
    | PassRoom
    | SetSpectatorChat
    | Rematch
    | Resign
    | Start
    | Roll
    | Choose
    | Stop
    | Hint
    | Autopilot
    | Chat
    | GetGame
    | Contribute
    | Witness
    | Admin
)
