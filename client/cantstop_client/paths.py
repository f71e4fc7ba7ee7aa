"""Where a person's files are: the identity, the last name, the database."""

import os
from pathlib import Path
from typing import Final

DATA_DIRECTORY_VARIABLE: Final = "CANTSTOP_DATA_DIR"


def data_directory() -> Path:
    """The directory of this person's files; it need not exist yet."""
    override = os.environ.get(DATA_DIRECTORY_VARIABLE)
    if override:
        return Path(override).expanduser()
    from platformdirs import user_data_dir

    return Path(user_data_dir("cantstop", appauthor=False))


def default_database() -> Path:
    """The database of ``play``, and of ``host`` unless it is told another."""
    return data_directory() / "cantstop.db"
