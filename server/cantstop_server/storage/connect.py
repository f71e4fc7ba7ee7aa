"""From what ``--database`` says to a database."""

from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, InvalidRequestError, NoSuchModuleError
from sqlalchemy.ext.asyncio import create_async_engine

from cantstop_server.storage.database import Database, EngineDatabase
from cantstop_server.storage.errors import DatabaseFault
from cantstop_server.storage.postgres import PostgresDatabase
from cantstop_server.storage.sqlite import SqliteDatabase

_POSSIBLE = "give a file, or a URL like postgresql+asyncpg://user@host/games"


def connect(database: str, *, exclusive: bool, busy_timeout: float) -> Database:
    """The database behind a path or an SQLAlchemy URL; nothing is opened yet.

    Raises ``StorageError`` if it is neither, or needs a driver that is not there.
    """
    if "://" not in database:
        return _sqlite(database, exclusive=exclusive, busy_timeout=busy_timeout)
    try:
        url = make_url(database)
    except (ArgumentError, ValueError) as error:
        raise DatabaseFault(f"this is no database URL: {_POSSIBLE}") from error
    name = url.render_as_string(hide_password=True)
    if url.get_backend_name() == "sqlite":
        if url.query:
            raise DatabaseFault(f"{name}: a SQLite URL takes no options here: {_POSSIBLE}")
        return _sqlite(url.database or "", exclusive=exclusive, busy_timeout=busy_timeout)
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+asyncpg")
    try:
        if url.drivername == "postgresql+asyncpg":
            return PostgresDatabase(url, name, exclusive=exclusive, busy_timeout=busy_timeout)
        return EngineDatabase(create_async_engine(url, hide_parameters=True), name)
    except NoSuchModuleError as error:
        raise DatabaseFault(f"{name}: there is no such kind of database: {_POSSIBLE}") from error
    except ModuleNotFoundError as error:
        package = "'cantstop[postgres]'" if error.name == "asyncpg" else error.name
        raise DatabaseFault(
            f"{name} needs a driver that is not installed: try `pip install {package}`"
        ) from error
    except InvalidRequestError as error:
        raise DatabaseFault(
            f"{name}: the driver {url.get_driver_name()} is no asyncio driver: name one that is,"
            " like postgresql+asyncpg"
        ) from error


def shown(database: str) -> str:
    """What people may see of it: a URL without its password."""
    if "://" not in database:
        return database
    try:
        return make_url(database).render_as_string(hide_password=True)
    except (ArgumentError, ValueError):
        return "this database"


def _sqlite(database: str, *, exclusive: bool, busy_timeout: float) -> Database:
    if not database or database == ":memory:":
        raise DatabaseFault("a database in memory would keep nothing: give a file")
    try:
        path = Path(database).expanduser().absolute()
    except RuntimeError as error:
        raise DatabaseFault(f"{database}: there is no such home folder: give a path") from error
    return SqliteDatabase(path, exclusive=exclusive, busy_timeout=busy_timeout)
