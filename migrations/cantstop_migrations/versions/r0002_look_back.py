"""What looking back needs: times of turns, rated games, proofs of dice, and an index of history."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_VARIANT = (
    "games.seats * 100 + games.target * 10 + CASE WHEN games.keep_dead_markers THEN 1 ELSE 0 END"
)
_OF_EVERYBODY = f"""
INSERT INTO history (player_id, opponent_id, ended_at, game_id, variant, outcome)
SELECT 0, 0, games.ended_at, games.id, {_VARIANT}, games.status FROM games
"""
_OUTCOME = """
CASE WHEN games.status <> 'finished' THEN games.status
     WHEN max(CASE WHEN game_seats.seat = games.winner THEN 1 ELSE 0 END) = 1 THEN 'won'
     ELSE 'lost' END
"""
_OF_PLAYERS = f"""
INSERT INTO history (player_id, opponent_id, ended_at, game_id, variant, outcome)
SELECT game_seats.player_id, 0, games.ended_at, games.id, {_VARIANT}, {_OUTCOME}
FROM games JOIN game_seats ON game_seats.game_id = games.id
GROUP BY game_seats.player_id, games.id
"""
_OF_TWO_PLAYERS = f"""
INSERT INTO history (player_id, opponent_id, ended_at, game_id, variant, outcome)
SELECT game_seats.player_id, other.player_id, games.ended_at, games.id, {_VARIANT}, {_OUTCOME}
FROM games JOIN game_seats ON game_seats.game_id = games.id
JOIN game_seats AS other ON other.game_id = games.id AND other.seat <> game_seats.seat
GROUP BY game_seats.player_id, other.player_id, games.id
"""


def upgrade() -> None:
    """Games from before have no times of turns and no proof of their dice, and are rated."""
    op.add_column(
        "games", sa.Column("rated", sa.Boolean(), server_default=sa.true(), nullable=False)
    )
    op.add_column("games", sa.Column("turn_ends", sa.Text()))
    op.add_column("games", sa.Column("proof", sa.Text()))
    op.create_table(
        "history",
        sa.Column("player_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("opponent_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "game_id",
            sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("variant", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(10), nullable=False),
        sa.PrimaryKeyConstraint(
            "player_id", "opponent_id", "ended_at", "game_id", name="pk_history"
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_history_game_id"),
        sqlite_with_rowid=False,
    )
    for entries in (_OF_EVERYBODY, _OF_PLAYERS, _OF_TWO_PLAYERS):
        op.execute(entries)
    op.create_index(
        "ix_history_filtered",
        "history",
        ["player_id", "opponent_id", "variant", "outcome", "ended_at", "game_id"],
    )
    _create_standings()


def _create_standings() -> None:
    """Habits, streaks and ratings. They are counted from the games when the database is opened."""
    op.create_table(
        "habits",
        sa.Column("player_id", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in _HABITS),
        sa.PrimaryKeyConstraint("player_id", name="pk_habits"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_habits_player_id"),
    )
    op.create_table(
        "column_claims",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("column", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "column", name="pk_column_claims"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_column_claims_player_id"),
    )
    op.create_table(
        "runner_sets",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("runners", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rolls", sa.Integer(), nullable=False),
        sa.Column("busts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "runners", name="pk_runner_sets"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_runner_sets_player_id"),
    )
    op.create_table(
        "head_to_head",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("opponent_id", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "opponent_id", name="pk_head_to_head"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_head_to_head_player_id"),
        sa.ForeignKeyConstraint(
            ["opponent_id"], ["players.id"], name="fk_head_to_head_opponent_id"
        ),
    )
    op.create_table(
        "streaks",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("current", sa.Integer(), nullable=False),
        sa.Column("longest_wins", sa.Integer(), nullable=False),
        sa.Column("longest_losses", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", name="pk_streaks"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_streaks_player_id"),
    )
    op.create_table(
        "ratings",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", name="pk_ratings"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_ratings_player_id"),
    )
    op.create_index("ix_ratings_rating", "ratings", ["rating"])
    op.create_table(
        "rating_history",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("game_id", sa.String(40), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "number", name="pk_rating_history"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_rating_history_player_id"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_rating_history_game_id"),
    )
    op.create_index("ix_rating_history_ended_at", "rating_history", ["ended_at"])
    op.execute("INSERT INTO server (key, value) VALUES ('recount', 'due')")


_HABITS = (
    "turns",
    "stops",
    "busts",
    "rolls",
    "steps_kept",
    "steps_lost",
    "finishes",
    "finish_turns",
    "expected",
    "variance",
    "full_stops",
    "full_stop_excess",
    "ripe_stops",
    "rolls_past",
    "rolls_past_excess",
)
