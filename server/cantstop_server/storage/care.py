"""Looking after a database from outside: copying it, and giving unused space back."""

from pathlib import Path

from cantstop_server.storage.connect import connect


async def backup(database: str, target: Path) -> int:
    """Copy a database to a file that is not there yet: its size in bytes.

    Others may write to the database meanwhile: the copy is of one instant. Raises
    ``StorageError``.
    """
    opened = connect(database, exclusive=False, busy_timeout=5.0)
    try:
        return await opened.backup(target)
    finally:
        await opened.close()


async def vacuum(database: str) -> tuple[int, int]:
    """Give back what the database does not use: its bytes before and after, 0 if nobody knows.

    Raises ``StorageError``, also while a server uses a file.
    """
    opened = connect(database, exclusive=True, busy_timeout=5.0)
    try:
        return await opened.vacuum()
    finally:
        await opened.close()
