"""The tables."""

from datetime import UTC, datetime
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    text,
    true,
)

from cantstop_server.standings.habits import COUNTS


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time, kept as UTC. A naive one is refused: nobody knows which time it means."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To the database: UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a stored time needs a time zone: {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From the database, which may not keep the zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


_by_code_point: Final = String(40).with_variant(String(40, collation="C"), "postgresql")
"""Text that every database sorts as Python does."""

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

server: Final = Table(
    "server",
    metadata,
    Column("key", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

players: Final = Table(
    "players",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),
    Column("bot", String(40)),
    Column("token_hash", LargeBinary),
    Column("created_at", UtcDateTime, nullable=False),
)
"""People, and a row for each kind of computer player, which has no token."""

games: Final = Table(
    "games",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("status", String(10), nullable=False),
    Column("seats", Integer, nullable=False),
    Column("target", Integer, nullable=False),
    Column("keep_dead_markers", Boolean, nullable=False),
    Column("first_seat", Integer, nullable=False),
    Column("course", Text, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, nullable=False),
    Column("winner", Integer),
    Column("turns", Integer, nullable=False),
    Column("rated", Boolean, server_default=true(), nullable=False),
    Column("turn_ends", Text),
    Column("proof", Text),
    Index(None, "ended_at", "id"),
)

game_seats: Final = Table(
    "game_seats",
    metadata,
    Column("game_id", ForeignKey("games.id"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("player_id", ForeignKey("players.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("columns", Integer, nullable=False),
    Column("resigned", Boolean, nullable=False),
)

records: Final = Table(
    "records",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("seats", Integer, primary_key=True, autoincrement=False),
    Column("against", String(40), primary_key=True),
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
)
"""Running counts of finished games, by number of seats and kind of opponent."""

solitaire: Final = Table(
    "solitaire",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("target", Integer, primary_key=True, autoincrement=False),
    Column("games", Integer, nullable=False),
    Column("best_turns", Integer, nullable=False),
)
"""Running counts of finished solitaire games, and the fewest turns that one took."""

history: Final = Table(
    "history",
    metadata,
    Column("player_id", Integer, primary_key=True, autoincrement=False),
    Column("opponent_id", Integer, primary_key=True, autoincrement=False),
    Column("ended_at", UtcDateTime, primary_key=True),
    Column("game_id", _by_code_point, ForeignKey("games.id"), primary_key=True),
    Column("variant", Integer, nullable=False),
    Column("outcome", String(10), nullable=False),
    Index(
        "ix_history_filtered",
        "player_id",
        "opponent_id",
        "variant",
        "outcome",
        "ended_at",
        "game_id",
    ),
    sqlite_with_rowid=False,
)
"""The games of everybody, of each player, and of each two players who met, by their end.

0 is everybody as ``player_id`` and anybody as ``opponent_id``. ``variant`` is seats, target and
whether dead markers are kept as three digits. ``outcome`` is ``won``, ``lost`` or ``abandoned``
for the player, ``finished`` or ``abandoned`` for everybody. All of it follows from ``games`` and
``game_seats``: a page of history reads one short stretch of an index, however many games there are.
"""
habits: Final = Table(
    "habits",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    *(Column(name, BigInteger, nullable=False) for name in COUNTS),
)
"""Running sums of what a player did in finished games (``standings.habits.Tally``)."""

column_claims: Final = Table(
    "column_claims",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("column", Integer, primary_key=True, autoincrement=False),
    Column("claims", Integer, nullable=False),
)

runner_sets: Final = Table(
    "runner_sets",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("runners", Integer, primary_key=True, autoincrement=False),
    Column("rolls", Integer, nullable=False),
    Column("busts", Integer, nullable=False),
)
"""Rolls and busts by the set of columns that held a runner (``rules.board.ColumnSet``)."""

head_to_head: Final = Table(
    "head_to_head",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("opponent_id", ForeignKey("players.id"), primary_key=True),
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
)
"""Finished games of two players with each other; ``losses`` are those that the opponent won."""

streaks: Final = Table(
    "streaks",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("current", Integer, nullable=False),
    Column("longest_wins", Integer, nullable=False),
    Column("longest_losses", Integer, nullable=False),
)
"""Wins in a row, as a negative number defeats, in finished games with others."""

ratings: Final = Table(
    "ratings",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("games", Integer, nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("rating", Float, nullable=False),
    Index(None, "rating"),
)
"""Where each player stands; ``rating`` is ``mu`` less three ``sigma``."""

rating_history: Final = Table(
    "rating_history",
    metadata,
    Column("player_id", ForeignKey("players.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("game_id", ForeignKey("games.id"), nullable=False),
    Column("ended_at", UtcDateTime, nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Index(None, "ended_at"),
)
"""A player's rating after each rated game; ``number`` counts them from 1."""

live_rooms: Final = Table(
    "live_rooms",
    metadata,
    Column("scope", String(80), primary_key=True),
    Column("room", String(40), primary_key=True),
    Column("state", LargeBinary, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("seq", Integer, server_default=text("0"), nullable=False),
    sqlite_with_rowid=False,
)
"""Rooms as they were with event ``seq``; the moves behind it are in ``room_moves``."""

room_moves: Final = Table(
    "room_moves",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("scope", String(80), nullable=False),
    Column("room", String(40), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("move", LargeBinary, nullable=False),
)
"""Moves in the order in which they became durable, those of all rooms one behind the other: each
costs a part of a page, where a row at its room's place would cost a whole one."""

room_events: Final = Table(
    "room_events",
    metadata,
    Column("scope", String(80), primary_key=True),
    Column("room", String(40), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("event", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""The latest events of rooms: those that were written together in one row, by the last's number."""
