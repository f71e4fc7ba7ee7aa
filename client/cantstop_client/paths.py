"""Where a person's files are: the identity, the last name, the database, the settings."""

import os
from pathlib import Path
from typing import Final

DATA_DIRECTORY_VARIABLE: Final = "CANTSTOP_DATA_DIR"
CONFIG_DIRECTORY_VARIABLE: Final = "CANTSTOP_CONFIG_DIR"


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


def config_file() -> Path:
    """The file of this person's settings; it need not exist."""
    override = os.environ.get(CONFIG_DIRECTORY_VARIABLE)
    if override:
        return Path(override).expanduser() / "config.toml"
    from platformdirs import user_config_dir

    return Path(user_config_dir("cantstop", appauthor=False)) / "config.toml"
