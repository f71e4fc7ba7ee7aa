"""What happens in a room, as numbered events. Structured: each client words them itself.

``name`` is whose act it is, ``seat`` counts from 0, columns are 2..12.
"""

from msgspec import Struct

from cantstop_protocol.table import (
    Columns,
    Dice,
    DiceTerms,
    GameOptions,
    Result,
    SpectatorChat,
)


class Event(Struct, frozen=True, tag_field="type"):
    """Base of all events."""


class Unrecognised(Event, frozen=True, tag="unrecognised"):
    """Never sent: what a client makes of an event of a kind that it does not know."""

    kind: str


class Created(Event, frozen=True, tag="created"):
    """The room was opened."""

    name: str


class Joined(Event, frozen=True, tag="joined"):
    """Somebody entered; ``seat`` is None for a spectator."""

    name: str
    seat: int | None


class Left(Event, frozen=True, tag="left"):
    """Somebody left the room for good, which in a running game also resigns the seat."""

    name: str
    seat: int | None


class Away(Event, frozen=True, tag="away"):
    """A seated person's connection is gone; the seat is held."""

    name: str
    seat: int


class Back(Event, frozen=True, tag="back"):
    """A seated person has returned."""

    name: str
    seat: int


class CreatorChanged(Event, frozen=True, tag="creator_changed"):
    """The room passed on to somebody else."""

    name: str


class Configured(Event, frozen=True, tag="configured"):
    """The creator changed what is to be played."""

    name: str
    options: GameOptions


class BotAdded(Event, frozen=True, tag="bot_added"):
    """A computer player took a seat under this name."""

    name: str
    seat: int
    kind: str


class BotRemoved(Event, frozen=True, tag="bot_removed"):
    """A computer player left its seat."""

    name: str
    seat: int


class SeatsSwapped(Event, frozen=True, tag="seats_swapped"):
    """Two seats changed places before a game."""

    name: str
    seats: tuple[int, int]


class Kicked(Event, frozen=True, tag="kicked"):
    """The creator put somebody out; in a running game this also resigns the seat."""

    name: str
    seat: int | None


class LockSet(Event, frozen=True, tag="lock_set"):
    """The creator locked the room for newcomers, or opened it again."""

    name: str
    locked: bool


class SpectatorChatSet(Event, frozen=True, tag="spectator_chat_set"):
    """Where spectators' chat goes from now on."""

    name: str
    mode: SpectatorChat


class RematchAccepted(Event, frozen=True, tag="rematch_accepted"):
    """Somebody agrees to another game; it starts when all who are present do."""

    name: str
    seat: int


class TimeWarning(Event, frozen=True, tag="time_warning"):
    """The seat to move has so many seconds left for its decision."""

    seat: int
    seconds: int


class TimeUp(Event, frozen=True, tag="time_up"):
    """The seat's time ran out; what was done for it follows."""

    seat: int


class AutopilotSet(Event, frozen=True, tag="autopilot_set"):
    """A person's seat is played by this kind of computer player from now on; None: no longer."""

    name: str
    seat: int
    kind: str | None


class Chatted(Event, frozen=True, tag="chatted"):
    """Somebody said something."""

    name: str
    seat: int | None
    text: str


class Started(Event, frozen=True, tag="started"):
    """A game began. ``names`` by seat; ``first`` is the seat that rolls first.

    ``draw`` lists what was rolled for the first seat, as seat and sum of four dice, in order; the
    highest begins, equals roll again. It is empty when the first seat went round. ``dice`` is what
    the rolls can be checked with, None if they cannot.
    """

    game: str
    options: GameOptions
    names: tuple[str, ...]
    first: int
    draw: tuple[tuple[int, int], ...] = ()
    dice: DiceTerms | None = None


class Contributed(Event, frozen=True, tag="contributed"):
    """Somebody's client has added to the dice of the next game."""

    name: str
    seat: int


class WitnessAsked(Event, frozen=True, tag="witness_asked"):
    """A roll was asked for, and waits for this seat's client to witness it."""

    seat: int
    roll: int


class Witnessed(Event, frozen=True, tag="witnessed"):
    """What the roll that follows can be checked with, in hex: the links of witness and server.

    All three are None if nobody could witness it: then it is a roll as in a committed game.
    """

    roll: int
    seat: int | None
    link: str | None
    server: str | None


class Rolled(Event, frozen=True, tag="rolled"):
    """A roll with at least one option; ``options`` are the columns that each would advance."""

    seat: int
    dice: Dice
    options: tuple[tuple[int, ...], ...]


class Busted(Event, frozen=True, tag="busted"):
    """A roll without an option. ``lost`` is where the runners stood that came off.

    ``pairings`` are the different pairs of totals that the dice gave, none of them playable.
    """

    seat: int
    dice: Dice
    lost: Columns
    pairings: tuple[tuple[int, int], ...] = ()


class Advanced(Event, frozen=True, tag="advanced"):
    """An option was taken; ``runners`` is where the runners stand now."""

    seat: int
    columns: tuple[int, ...]
    runners: Columns


class Stopped(Event, frozen=True, tag="stopped"):
    """The turn's steps were kept, ``kept`` by column; ``claimed`` are the columns now claimed."""

    seat: int
    kept: Columns
    claimed: tuple[int, ...]


class Resigned(Event, frozen=True, tag="resigned"):
    """A seat is out of the game."""

    seat: int


class BotFailed(Event, frozen=True, tag="bot_failed"):
    """A computer player could not decide; a plain choice was made for it."""

    seat: int


class Finished(Event, frozen=True, tag="finished"):
    """The game is over. ``winner`` is None when a solitaire game was given up."""

    game: str
    winner: int | None
    turns: int


class Abandoned(Event, frozen=True, tag="abandoned"):
    """The game was given up by all; it counts for nobody."""

    game: str
    turns: int


class Revealed(Event, frozen=True, tag="revealed"):
    """What the dice of the game that has just ended can be checked with.

    ``proof`` is one JSON object with the seed and all else; the rest is the game that it is of.
    """

    game: str
    options: GameOptions
    first: int
    course: str
    result: Result
    proof: str


AnyEvent = (
    Unrecognised
    | Created
    | Joined
    | Left
    | Away
    | Back
    | CreatorChanged
    | Configured
    | BotAdded
    | BotRemoved
    | SeatsSwapped
    | Kicked
    | LockSet
    | SpectatorChatSet
    | RematchAccepted
    | TimeWarning
    | TimeUp
    | AutopilotSet
    | Chatted
    | Started
    | Contributed
    | WitnessAsked
    | Witnessed
    | Rolled
    | Busted
    | Advanced
    | Stopped
    | Resigned
    | BotFailed
    | Finished
    | Abandoned
    | Revealed
)
