"""Copies of a SQLite file, consistent while others write, and there wholly or not at all."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import chain, count
from pathlib import Path

from cantstop_server.storage.errors import DatabaseFault, StorageError


def copy_file(source: Path, target: Path) -> None:
    """Copy a database to a file that is not there yet. Raises ``StorageError``."""
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        _copy(source, part)
        _put(part, target)
    except FileExistsError as error:
        raise StorageError(f"{target} is there already: name another file") from error
    except sqlite3.Error as error:
        raise DatabaseFault(f"{source} cannot be copied to {target}: {error}") from error
    except OSError as error:
        reason = error.strerror or error
        raise StorageError(f"{target} cannot be written: {reason}: name another file") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def free_name(source: Path, revision: str) -> Path:
    """What a copy from before an upgrade to this revision is called, beside the database."""
    numbers: Iterator[str] = chain([""], (f"-{number}" for number in count(2)))
    names = (f"{source.stem}.before-{revision}{n}{source.suffix}" for n in numbers)
    return next(path for name in names if not (path := source.with_name(name)).exists())


def _put(part: Path, target: Path) -> None:
    """Give the copy its name. Raises ``FileExistsError``."""
    try:
        # Unlike a rename this never takes the place of a file that has come there meanwhile.
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if target.exists():
            raise FileExistsError(target) from None
        part.rename(target)


def _copy(source: Path, target: Path) -> None:
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as read,
        closing(sqlite3.connect(target)) as written,
    ):
        read.backup(written)
        # The copy is one file by itself; its reader turns write-ahead logging on again.
        written.execute("PRAGMA journal_mode = DELETE")
    with target.open("rb+") as file:
        os.fsync(file.fileno())
