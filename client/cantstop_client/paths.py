"""Where a person's files are: the identity, the last name, the database, the settings."""

import os
from pathlib import Path
from typing import Final

from cantstop_client.errors import ClientError

DATA_DIRECTORY_VARIABLE: Final = "CANTSTOP_DATA_DIR"
CONFIG_DIRECTORY_VARIABLE: Final = "CANTSTOP_CONFIG_DIR"


def data_directory() -> Path:
    """The directory of this person's files; it need not exist yet."""
    override = os.environ.get(DATA_DIRECTORY_VARIABLE)
    if override:
        return at_home(override, DATA_DIRECTORY_VARIABLE)
    from platformdirs import user_data_dir

    return Path(user_data_dir("cantstop", appauthor=False))


def default_database() -> Path:
    """The database of ``play``, and of ``host`` unless it is told another."""
    return data_directory() / "cantstop.db"


def config_file() -> Path:
    """The file of this person's settings; it need not exist."""
    override = os.environ.get(CONFIG_DIRECTORY_VARIABLE)
    if override:
        return at_home(override, CONFIG_DIRECTORY_VARIABLE) / "config.toml"
    from platformdirs import user_config_dir

    return Path(user_config_dir("cantstop", appauthor=False)) / "config.toml"


def database_file(database: str) -> Path | None:
    """The file of this database; None for one that is no file. Raises ``ClientError``."""
    if database.startswith("sqlite") and "://" in database:
        # SQLAlchemy's form: three slashes and a path, four for an absolute one.
        database = database.partition(":///")[2]
        if not database:
            return None
    elif "://" in database:
        return None
    return at_home(database, "--database")


def at_home(name: str, option: str) -> Path:
    """The path, with ``~`` put in full. Raises ``ClientError``, which names the option."""
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        raise ClientError(f"{option}: {name}: there is no such home folder") from error
