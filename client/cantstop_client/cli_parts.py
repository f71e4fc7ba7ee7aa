"""What the modules of commands share: kinds of options, the database, and what they print."""

import json
from collections.abc import Iterable
from typing import Annotated

from cyclopts import Parameter

from cantstop_client.errors import ClientError

Flag = Annotated[bool, Parameter(negative=())]
"""An option that is there or not."""

Dash = Annotated[str, Parameter(allow_leading_hyphen=True)]
"""An argument that may be a dash: standard input."""


def chosen_database(database: str | None) -> str:
    """The database that is named, or the one in the data directory."""
    if database:
        return database
    from cantstop_client.paths import default_database

    return str(default_database())


def existing_database(database: str | None) -> str:
    """The same, if it is there. Raises ``ClientError``."""
    from cantstop_client import local

    path = chosen_database(database)
    if not local.has_database(path):
        raise ClientError(f"there is no database {path}: name one with --database")
    return path


def no_database(path: str) -> str:
    """What to say where nothing has been kept yet."""
    return f"There is no database yet ({path}): `cantstop play` makes one with its first game"


def print_lines(lines: Iterable[str]) -> None:
    """Lines on standard output."""
    from cantstop_client.output import standard_output

    standard_output().lines(lines)


def print_json(value: object) -> None:
    """One value as one line of JSON on standard output."""
    print_lines([json.dumps(value)])
