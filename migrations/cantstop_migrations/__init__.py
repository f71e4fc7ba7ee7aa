"""The database's schema through time, as an Alembic environment that is a package resource."""

from typing import Final

HEAD: Final = "0003"
"""The newest revision: a database that has it needs no Alembic."""
