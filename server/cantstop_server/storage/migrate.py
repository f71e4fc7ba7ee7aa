"""The schema, brought to the newest revision."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, inspect, text

from cantstop_migrations import HEAD
from cantstop_server.storage.errors import DatabaseFault

_one_at_a_time: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Upgrade:
    """An upgrade that was made: the revisions before and after, and where a copy is, if at all."""

    before: str
    after: str
    copy: str


def migrate(
    connection: Connection, name: str, keep_copy: Callable[[Connection, str], str]
) -> Upgrade | None:
    """Bring the schema up to date within the connection's transaction: wholly or not at all.

    ``keep_copy`` is called first if there is something to keep. Returns what was upgraded, None
    for a new database and one that is up to date. Raises ``StorageError`` for a schema that this
    program does not know.
    """
    revision = _revision(connection)
    if revision == HEAD:
        return None
    logging.getLogger("alembic").setLevel(logging.WARNING)
    # Imported here since it is slow to import, and most starts find the newest schema.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "cantstop_migrations:")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is not None and revision not in known:
        raise DatabaseFault(
            f"the database {name} was made by a newer cantstop:"
            " install that version, or give --database another file"
        )
    copy = "" if revision is None else keep_copy(connection, HEAD)
    with _one_at_a_time:  # Alembic keeps the running migration in a global
        command.upgrade(config, HEAD)
    return None if revision is None else Upgrade(revision, HEAD, copy)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision
