"""What the finished games say of a player, and who leads.

``bot`` is the kind of a computer player, None for a person.
"""

from msgspec import Struct

from cantstop_protocol.table import Columns


class Rated(Struct, frozen=True):
    """Where a player stands in the ratings: ``rating`` is ``mu`` less three ``sigma``.

    ``rank`` counts from 1, equals share it; ``games`` are the rated ones.
    """

    rank: int
    name: str
    bot: str | None
    games: int
    mu: float
    sigma: float
    rating: float


class RatingPoint(Struct, frozen=True):
    """The rating after the rated game of this ``number``, from 1."""

    number: int
    mu: float
    sigma: float


class SolitaireBest(Struct, frozen=True):
    """The fewest turns a player took in solitaire for ``target`` columns, in so many games."""

    name: str
    bot: str | None
    target: int
    games: int
    best_turns: int


class SeatsScore(Struct, frozen=True):
    """Games of so many seats, and how many of them were won."""

    seats: int
    games: int
    wins: int


class Versus(Struct, frozen=True):
    """Games with an opponent: how many the player won, and how many the opponent."""

    name: str
    bot: str | None
    games: int
    wins: int
    losses: int


class Habits(Struct, frozen=True):
    """How somebody plays, over all turns that ended by a stop or a bust.

    ``expected_busts`` is the sum of the exact bust chances of all rolls, ``deviation`` the
    standard deviation of that number, and ``luck`` by how many busts the dice spared the player:
    ``expected_busts`` less ``busts``. ``turns_to_finish`` is the mean of own turns in won games.

    With three runners out: ``stop_count`` is the mean Rule of 28 count of stops that did not win,
    ``ripe_stops`` how many of them came at 28 or more, ``rolls_past`` how often the player rolled
    on at 28 or more, and ``past_excess`` by how much the count was past 28 then, on average.
    """

    turns: int
    rolls: int
    busts: int
    expected_busts: float
    deviation: float
    luck: float
    bust_rate: float
    rolls_per_turn: float
    kept_per_turn: float
    lost_per_turn: float
    finishes: int
    turns_to_finish: float | None
    stop_count: float | None
    ripe_stops: int
    rolls_past: int
    past_excess: float | None


class RunnerSet(Struct, frozen=True):
    """Rolls and busts while runners stood in just these columns."""

    columns: tuple[int, ...]
    rolls: int
    busts: int


class PlayerStats(Struct, frozen=True):
    """A player's finished games.

    ``games``, ``wins`` and ``losses`` are those with others, ``solitaire`` stands apart.
    ``streak`` counts the latest wins in a row, below 0 the latest defeats. ``opponents`` are the 20
    met most often, ``runner_sets`` the 40 sets of three that were rolled from most often.
    ``history`` has at most 100 points, evenly spread over all rated games. ``claims`` counts
    claimed columns.
    """

    name: str
    bot: str | None
    games: int
    wins: int
    losses: int
    streak: int
    longest_wins: int
    longest_losses: int
    rating: Rated | None
    history: tuple[RatingPoint, ...]
    by_seats: tuple[SeatsScore, ...]
    opponents: tuple[Versus, ...]
    solitaire: tuple[SolitaireBest, ...]
    habits: Habits | None
    claims: Columns
    runner_sets: tuple[RunnerSet, ...]
