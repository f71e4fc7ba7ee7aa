"""Moves of live rooms: each is what it adds to its room, which is written now and then."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rooms from before are as they were written last: no move comes after that."""
    op.add_column(
        "live_rooms", sa.Column("seq", sa.Integer(), server_default=sa.text("0"), nullable=False)
    )
    op.create_table(
        "room_moves",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("scope", sa.String(80), nullable=False),
        sa.Column("room", sa.String(40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("move", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_room_moves"),
    )
