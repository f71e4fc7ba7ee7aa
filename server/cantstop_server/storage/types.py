"""What goes into the database and comes out of it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, NamedTuple

from cantstop_protocol.standings import Rated, SolitaireBest
from cantstop_server.rules.setup import Setup

PEOPLE: Final = "people"
"""The opponents in a record who are no computer players."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A registered person: a lasting number, and the name as last spelled."""

    player: int
    name: str


@dataclass(frozen=True, slots=True)
class LiveRoom:
    """A room as it was when its state was last written, and the moves since, oldest first.

    ``events`` are by sequence number, ascending. Some moves may be older than the state.
    """

    room: str
    state: bytes
    events: tuple[tuple[int, bytes], ...]
    moves: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ArchivedSeat:
    """Who sat there: a person's ``player`` number, or the kind of a computer player in ``bot``.

    ``name`` is the one shown in that game; ``columns`` is how many were claimed. ``registered``
    is the person's name in the list of players, which may have changed since; it is known of
    what was read, and stands for the ``player`` where that number is not known.
    """

    name: str
    player: int | None
    bot: str | None
    columns: int
    resigned: bool
    registered: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ArchivedGame:
    """A game that has ended; an abandoned one counts for nobody.

    ``winner`` is a seat, times are aware; setup and course replay it (``rules.course``).
    ``rated`` says that it counts for the ratings. ``turn_ends`` are when the turns ended, in
    seconds since the start, empty if nobody took the time. ``proof`` is the evidence for the
    dice, as text, if there is any.
    """

    id: str
    status: Literal["finished", "abandoned"]
    setup: Setup
    course: str
    started_at: datetime
    ended_at: datetime
    winner: int | None
    turns: int
    seats: tuple[ArchivedSeat, ...]
    rated: bool = True
    turn_ends: tuple[float, ...] = ()
    proof: str | None = None


class Entrant(NamedTuple):
    """Who sat at a seat of a finished game: the number of a person or of a kind in ``players``."""

    player: int
    bot: str | None
    columns: int
    resigned: bool


class Outcome(NamedTuple):
    """What records, habits and ratings are counted from: a finished game."""

    id: str
    ended_at: datetime
    setup: Setup
    course: str
    winner: int | None
    turns: int
    rated: bool
    seats: tuple[Entrant, ...]

    @property
    def victor(self) -> int | None:
        """The player who won, if somebody did."""
        return None if self.winner is None else self.seats[self.winner].player


class Leaders(NamedTuple):
    """The best rated players, and the best solitaire scores by target, the best first."""

    rated: tuple[Rated, ...]
    solitaire: tuple[SolitaireBest, ...]


@dataclass(frozen=True, slots=True)
class KeptPlayer:
    """Somebody in the list of players, or a kind of computer player, as it is kept.

    ``token_hash`` is the SHA-256 of the token that the name belongs to, None of a name that
    nobody has claimed yet.
    """

    name: str
    bot: str | None
    token_hash: bytes | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """A player's finished games with others, as pairs of games and wins.

    ``by_seats`` splits them by the number of seats, and has solitaire besides, under 1, where a
    win is a target reached; ``against`` holds the games with at least one
    opponent of a kind, so a mixed game stands under several. A kind of computer player that sat
    at two seats of a game has played it twice. ``solitaire`` holds, by target, how many games
    reached it and the fewest turns that one took.
    """

    name: str
    bot: str | None
    games: int
    wins: int
    by_seats: dict[int, tuple[int, int]]
    against: dict[str, tuple[int, int]]
    solitaire: dict[int, tuple[int, int]] = field(default_factory=dict)
