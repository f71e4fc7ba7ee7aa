"""Games of the past, as a list has them."""

from typing import Literal

from msgspec import Struct

from cantstop_protocol.table import DeadMarkers

GameStatus = Literal["finished", "abandoned", "unfinished"]
GameResult = Literal["won", "lost", "finished", "abandoned"]


class GameSeat(Struct, frozen=True):
    """Who sat there: ``name`` as shown in that game, ``bot`` the kind of a computer player.

    ``columns`` is how many the seat has claimed.
    """

    name: str
    bot: str | None
    columns: int
    resigned: bool


class GameSummary(Struct, frozen=True):
    """A line of the list of games.

    ``winner`` is a seat, None if nobody has won; ``turns`` are those of all seats. ``started`` and
    ``ended`` are seconds since 1970 in UTC, ``ended`` None for an ``unfinished`` game. ``cursor``
    is what a list that goes on after this game begins with, None for an unfinished one.
    """

    game: str
    status: GameStatus
    seats: tuple[GameSeat, ...]
    target: int
    dead_markers: DeadMarkers
    winner: int | None
    turns: int
    started: float
    ended: float | None
    cursor: str | None
