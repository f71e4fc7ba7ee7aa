"""Running sums over finished games: what one game adds, and adding it to the tables.

The sums do not depend on the order of the games. So the same addition serves a game that has just
ended, a count of all games from scratch, and two players that become one.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import permutations
from operator import attrgetter
from typing import Any, Final, TypeAlias

from sqlalchemy import ColumnElement, Connection, Table, case, insert

from cantstop_server.rules.errors import BadCourse
from cantstop_server.standings.habits import COUNTS, tallies
from cantstop_server.storage.compiled import Insertion
from cantstop_server.storage.models import (
    column_claims,
    habits,
    head_to_head,
    records,
    runner_sets,
    solitaire,
)
from cantstop_server.storage.types import PEOPLE, Outcome

Key: TypeAlias = tuple[int | str, ...]

ALL: Final = "all"
"""The opponents in a record that counts every game."""

COUNTED: Final = (records, solitaire, habits, column_claims, runner_sets, head_to_head)
"""The tables of sums: their primary keys say whose and of what, all other columns are numbers."""

PLAYERS: Final = frozenset({"player_id", "opponent_id"})
"""The columns that hold the number of a player."""

_sums: Final = attrgetter(*COUNTS)

_SMALLEST: Final = frozenset({"best_turns"})
"""The columns that hold the smallest of the values instead of their sum."""


class Counts:
    """Sums by table and key, in memory."""

    def __init__(self) -> None:
        self.rows: dict[Table, dict[Key, list[int]]] = {table: {} for table in COUNTED}

    def add(self, table: Table, key: Key, values: Sequence[int]) -> None:
        """Add to a row, or begin it."""
        rows = self.rows[table]
        known = rows.get(key)
        if known is None:
            rows[key] = list(values)
            return
        for index, name in enumerate(value_names(table)):
            one, other = known[index], values[index]
            known[index] = min(one, other) if name in _SMALLEST else one + other

    def count(self, game: Outcome) -> None:
        """Add a finished game."""
        self._count_results(game)
        self._count_pairs(game)
        self._count_habits(game)

    def _count_results(self, game: Outcome) -> None:
        for index, seat in enumerate(game.seats):
            others = (*game.seats[:index], *game.seats[index + 1 :])
            for against in (ALL, *{other.bot or PEOPLE for other in others}):
                key = (seat.player, len(game.seats), against)
                self.add(records, key, (1, int(game.winner == index)))
        if len(game.seats) == 1 and game.winner is not None:
            self.add(solitaire, (game.seats[0].player, game.setup.target), (1, game.turns))

    def _count_pairs(self, game: Outcome) -> None:
        for player, opponent in permutations({seat.player for seat in game.seats}, 2):
            result = (1, int(player == game.victor), int(opponent == game.victor))
            self.add(head_to_head, (player, opponent), result)

    def _count_habits(self, game: Outcome) -> None:
        if len(game.seats) != game.setup.seats:
            return
        try:
            found = tallies(game.setup, game.course)
        except BadCourse:
            # What cannot be replayed has no habits; it still has a result.
            return
        for seat, tally in zip(game.seats, found, strict=True):
            player = seat.player
            self.add(habits, (player,), _sums(tally))
            for column, claims in tally.claims.items():
                self.add(column_claims, (player, column), (claims,))
            for runners, rolls in tally.set_rolls.items():
                self.add(runner_sets, (player, runners), (rolls, tally.set_busts.get(runners, 0)))

    def store(self, connection: Connection) -> None:
        """Add all to what the tables hold."""
        for table, rows in self.rows.items():
            _ADDITIONS[table].write(connection, [(*key, *values) for key, values in rows.items()])

    def insert(self, connection: Connection) -> None:
        """Write all to tables that are empty."""
        for table, rows in self.rows.items():
            if rows:
                connection.execute(insert(table), as_dicts(table, rows))


def key_names(table: Table) -> tuple[str, ...]:
    """The columns that say what a row counts."""
    return tuple(column.name for column in table.primary_key.columns)


@cache
def value_names(table: Table) -> tuple[str, ...]:
    """The columns that hold the numbers."""
    return tuple(column.name for column in table.columns if not column.primary_key)


def as_dicts(table: Table, rows: dict[Key, list[int]]) -> list[dict[str, Any]]:
    """The rows as values by column."""
    names = (*key_names(table), *value_names(table))
    return [dict(zip(names, (*key, *values), strict=True)) for key, values in rows.items()]


def split_row(table: Table, row: Iterable[Any]) -> tuple[Key, list[int]]:
    """A row that was read, as key and numbers."""
    values = list(row)
    keys = len(key_names(table))
    return tuple(values[:keys]), values[keys:]


def _added(kept: ColumnElement[int], new: ColumnElement[int]) -> ColumnElement[int]:
    if kept.key in _SMALLEST:
        return case((kept > new, new), else_=kept)
    return kept + new


_ADDITIONS: Final = {table: Insertion(table, _added) for table in COUNTED}
