"""The index of history: which games are whose, by their end. All of it follows from the games."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    case,
    func,
    literal,
    select,
    update,
)

from cantstop_server.rules.errors import InvalidSetup
from cantstop_server.rules.setup import MAX_SEATS, MAX_TARGET, Setup, make_setup
from cantstop_server.storage.compiled import Insertion
from cantstop_server.storage.models import game_seats, games, history
from cantstop_server.storage.types import ArchivedGame

EVERYBODY: Final = 0
"""In place of a player's number: the games of everybody."""

ANYBODY: Final = 0
"""In place of an opponent's number: the player's games against whomever."""

_ADD: Final = Insertion(history)

Outcome = Literal["won", "lost", "abandoned", "finished"]


class Entry(NamedTuple):
    """A row of the index, as ``models.history`` has it."""

    player_id: int
    opponent_id: int
    ended_at: datetime
    game_id: str
    variant: int
    outcome: str


def enter(connection: Connection, game: ArchivedGame, player_ids: Sequence[int]) -> None:
    """Enter a game that was archived, with the players at its seats."""
    _ADD.write(connection, list(entries_of(game, player_ids)))


def reassign(connection: Connection, player: int, other: int) -> None:
    """Give a player's entries to another one, with whom that player never sat in one game."""
    met = select(history.c.opponent_id).where(history.c.player_id == player)
    as_opponent = (history.c.opponent_id == player, history.c.player_id.in_(met))
    connection.execute(update(history).where(*as_opponent).values(opponent_id=other))
    connection.execute(update(history).where(history.c.player_id == player).values(player_id=other))


def entries_of(game: ArchivedGame, player_ids: Sequence[int]) -> Iterator[Entry]:
    """The entries of a game: each once, also if a player has two of its seats."""
    end, variant = (game.ended_at, game.id), variant_of(game.setup)
    yield Entry(EVERYBODY, ANYBODY, *end, variant, game.status)
    pairs = {
        (player, opponent)
        for seat, player in enumerate(player_ids)
        for opponent in (ANYBODY, *player_ids[:seat], *player_ids[seat + 1 :])
    }
    winner = None if game.winner is None else player_ids[game.winner]
    for player, opponent in sorted(pairs):
        outcome = "won" if player == winner else "lost"
        if game.status != "finished":
            outcome = game.status
        yield Entry(player, opponent, *end, variant, outcome)


def variant_of(setup: Setup) -> int:
    """What is played as one number: the digits are seats, target, and 1 if dead markers stay."""
    return setup.seats * 100 + setup.target * 10 + int(setup.keep_dead_markers)


def variants(
    seats: int | None, target: int | None, keep_dead_markers: bool | None
) -> tuple[int, ...]:
    """Every variant that can be played and is like this; None is any."""
    found = []
    for some_seats in range(1, MAX_SEATS + 1) if seats is None else (seats,):
        for some_target in range(1, MAX_TARGET + 1) if target is None else (target,):
            for keep in (False, True) if keep_dead_markers is None else (keep_dead_markers,):
                try:
                    setup = make_setup(some_seats, some_target, keep_dead_markers=keep)
                except InvalidSetup:
                    continue
                found.append(variant_of(setup))
    return tuple(found)


def expected_entries() -> CompoundSelect[Any]:
    """The whole index, as it follows from the games and their seats."""
    other = game_seats.alias()
    variant = games.c.seats * 100 + games.c.target * 10 + _as_int(games.c.keep_dead_markers)
    won = func.max(_as_int(game_seats.c.seat == games.c.winner)) == 1
    outcome = case(
        (games.c.status != "finished", games.c.status), (won, literal("won")), else_=literal("lost")
    )
    end = (games.c.ended_at, games.c.id)
    of_everybody = select(
        literal(EVERYBODY).label("player_id"),
        literal(ANYBODY).label("opponent_id"),
        games.c.ended_at,
        games.c.id.label("game_id"),
        variant.label("variant"),
        games.c.status.label("outcome"),
    )
    seated = games.join(game_seats)
    of_players = (
        select(game_seats.c.player_id, literal(ANYBODY), *end, variant, outcome)
        .select_from(seated)
        .group_by(game_seats.c.player_id, games.c.id)
    )
    met = seated.join(other, (other.c.game_id == games.c.id) & (other.c.seat != game_seats.c.seat))
    of_pairs = (
        select(game_seats.c.player_id, other.c.player_id, *end, variant, outcome)
        .select_from(met)
        .group_by(game_seats.c.player_id, other.c.player_id, games.c.id)
    )
    return of_everybody.union_all(of_players, of_pairs)


def _as_int(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return case((condition, 1), else_=0)
