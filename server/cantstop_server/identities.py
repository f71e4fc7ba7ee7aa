"""Care for the players of a database that no server holds: other names, two that are one."""

from cantstop_protocol.text import BadText, clean_name, name_key
from cantstop_server.rooms.seating import is_bot_name
from cantstop_server.storage.errors import CannotChange
from cantstop_server.storage.store import Store


async def rename(database: str, old: str, new: str) -> str:
    """Give a person another name: the name as it is shown. Raises ``ServerError``."""
    try:
        name = clean_name(new)
    except BadText as error:
        raise CannotChange(str(error)) from error
    if is_bot_name(name):
        raise CannotChange(f"{name!r} is a computer player: take another name")
    store = await Store.open(database, exclusive=True)
    try:
        await store.rename_player(old, name, name_key(name))
    finally:
        await store.close()
    return name


async def merge(database: str, source: str, into: str) -> None:
    """Make one person of two. Raises ``ServerError``."""
    store = await Store.open(database, exclusive=True)
    try:
        await store.merge_players(source, into)
    finally:
        await store.close()
