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
