"""What looking back needs: when turns ended, whether a game counts for the ratings, its dice."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Games from before have no times of turns and no proof of their dice, and are rated."""
    op.add_column(
        "games", sa.Column("rated", sa.Boolean(), server_default=sa.true(), nullable=False)
    )
    op.add_column("games", sa.Column("turn_ends", sa.Text()))
    op.add_column("games", sa.Column("proof", sa.Text()))
