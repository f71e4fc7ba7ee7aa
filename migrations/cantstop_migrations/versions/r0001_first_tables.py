"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From nothing."""
    op.create_table(
        "server",
        sa.Column("key", sa.String(40), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_server"),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("bot", sa.String(40)),
        sa.Column("token_hash", sa.LargeBinary()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("name_key", name="uq_players_name_key"),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("target", sa.Integer(), nullable=False),
        sa.Column("keep_dead_markers", sa.Boolean(), nullable=False),
        sa.Column("first_seat", sa.Integer(), nullable=False),
        sa.Column("course", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("winner", sa.Integer()),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
    )
    op.create_index("ix_games_ended_at_id", "games", ["ended_at", "id"])
    op.create_table(
        "game_seats",
        sa.Column("game_id", sa.String(40), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("columns", sa.Integer(), nullable=False),
        sa.Column("resigned", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_game_seats"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_game_seats_game_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_game_seats_player_id"),
    )
    op.create_index("ix_game_seats_player_id", "game_seats", ["player_id"])
    op.create_table(
        "records",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("against", sa.String(40), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "seats", "against", name="pk_records"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_records_player_id"),
    )
    op.create_table(
        "solitaire",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("target", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("best_turns", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "target", name="pk_solitaire"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_solitaire_player_id"),
    )
    op.create_table(
        "live_rooms",
        sa.Column("scope", sa.String(80), nullable=False),
        sa.Column("room", sa.String(40), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("scope", "room", name="pk_live_rooms"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "room_events",
        sa.Column("scope", sa.String(80), nullable=False),
        sa.Column("room", sa.String(40), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("event", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "room", "seq", name="pk_room_events"),
        sqlite_with_rowid=False,
    )
