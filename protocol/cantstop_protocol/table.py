"""The table: the whole of a room as everyone in it may see it.

Columns 2 to 12 are listed in order, eleven entries each. Seats count from 0.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Columns = tuple[int, int, int, int, int, int, int, int, int, int, int]
"""One number for each of the columns 2 to 12; a step of 0 is none."""

Dice = tuple[int, int, int, int]
DeadMarkers = Literal["removed", "kept"]
RoomPhase = Literal["waiting", "playing", "over"]
Decision = Literal["roll", "choose", "roll_or_stop"]
Absence = Literal["autopilot", "wait", "forfeit"]
SpectatorChat = Literal["apart", "merged", "muted"]
DiceKind = Literal["committed", "witnessed"]


class GameOptions(Struct, frozen=True):
    """What a room plays, and how.

    ``seats`` 1..4 (1 is solitaire), ``target`` columns to claim 1..5. ``absence`` is what happens
    when the player to move is away. A decision may take ``decision_seconds`` and then what is left
    of the player's bank of ``bank_seconds``, which gains ``increment_seconds`` with each turn of
    theirs; both 0 is no clock. ``hints`` lets those who play ask what their alternatives are worth.
    ``rated`` games count for the ratings; a room with hints has none. ``dice`` says how it can be
    checked that nobody chose a roll.
    """

    seats: Annotated[int, Meta(ge=1, le=4)] = 2
    target: Annotated[int, Meta(ge=1, le=5)] = 3
    dead_markers: DeadMarkers = "removed"
    absence: Absence = "autopilot"
    decision_seconds: Annotated[int, Meta(ge=0, le=3600)] = 0
    bank_seconds: Annotated[int, Meta(ge=0, le=36000)] = 0
    increment_seconds: Annotated[int, Meta(ge=0, le=600)] = 0
    hints: bool = False
    rated: bool = True
    dice: DiceKind = "committed"


class Seat(Struct, frozen=True):
    """Who sits there and what is theirs on the board.

    ``bot`` is the kind of a computer player's own seat, ``autopilot`` the kind that plays for a
    person just now. ``away``: the person's connection is gone and the seat is held. ``left``: the
    person has left the room; the board keeps the name until the seat is taken anew.
    ``bank`` is what was left of the player's bank of time, in seconds, when the last decision was
    made; None if the game has no bank. ``rematch``: the person has agreed to another game.
    """

    name: str
    bot: str | None
    autopilot: str | None
    away: bool
    resigned: bool
    markers: Columns
    left: bool = False
    bank: float | None = None
    rematch: bool = False


class Option(Struct, frozen=True):
    """One way to use the pending dice, and what it would lead to.

    ``columns`` advance one step each, (9, 9) is two steps in column 9. ``runners`` is where the
    runners would stand, ``busting_rolls`` how many of the 1,296 rolls after it would bust,
    ``rule_of_28`` the count after it.
    """

    columns: tuple[int, ...]
    runners: Columns
    busting_rolls: int
    rule_of_28: int


class Turn(Struct, frozen=True):
    """The turn in progress.

    ``ply`` numbers the pending decision; a move names it. ``dice`` and ``options`` are set while
    ``decision`` is "choose". ``busting_rolls`` of 1,296 and ``rule_of_28`` speak of the position
    as it stands. ``seconds_left`` is the time for this decision, bank included, when the message
    was made; None without a clock.
    """

    seat: int
    number: int
    ply: int
    decision: Decision
    runners: Columns
    dice: Dice | None
    options: tuple[Option, ...]
    busting_rolls: int
    rule_of_28: int
    seconds_left: float | None = None


class Result(Struct, frozen=True):
    """How the room's latest game ended. ``winner`` is a seat, None if nobody won."""

    game: str
    winner: int | None
    turns: int
    abandoned: bool


class Promise(Struct, frozen=True):
    """What the server has promised of its dice, in hex: for the running game or the next one.

    ``commitment`` is SHA-256 of the seed; ``contributed`` says by seat whose nonce is in. While a
    roll waits for its witness, ``witness`` is the seat that is asked and ``roll`` the number.
    """

    commitment: str
    contributed: tuple[bool, ...]
    witness: int | None = None
    roll: int | None = None


class DiceTerms(Struct, frozen=True):
    """What is settled about a game's dice before the first roll, in hex.

    ``nonces`` are by seat, None where nothing was contributed. ``server_chain`` and ``chains``, by
    seat, are the tips of the hash chains of a witnessed game.
    """

    kind: DiceKind
    commitment: str
    nonces: tuple[str | None, ...]
    server_chain: str | None = None
    chains: tuple[str | None, ...] = ()


class Table(Struct, frozen=True):
    """A room. ``seats`` has an entry for each seat, None while it is empty.

    ``lengths`` are the steps of each column, ``owners`` the seat that claimed it or None.
    ``turn`` is set while a game is played, ``result`` when one has ended. ``dice`` is None where
    nothing is promised of them.
    """

    room: str
    title: str
    phase: RoomPhase
    options: GameOptions
    creator: str | None
    private: bool
    seats: tuple[Seat | None, ...]
    spectators: tuple[str, ...]
    lengths: Columns
    owners: tuple[int | None, ...]
    game: str | None
    turn: Turn | None
    result: Result | None
    locked: bool = False
    spectator_chat: SpectatorChat = "apart"
    dice: Promise | None = None


class RoomSummary(Struct, frozen=True):
    """A line of the list of rooms. ``names`` are the people and computer players seated."""

    room: str
    title: str
    phase: RoomPhase
    options: GameOptions
    private: bool
    names: tuple[str, ...]
    free_seats: int
    spectators: int
