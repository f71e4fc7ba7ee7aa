"""People by name and token, and the kinds of computer player."""

from datetime import datetime
from hmac import compare_digest
from typing import Final

from sqlalchemy import ColumnElement, Connection, Select, bindparam, insert, select, update

from cantstop_protocol.text import name_key
from cantstop_server.storage.compiled import Question
from cantstop_server.storage.errors import NameTaken
from cantstop_server.storage.models import players
from cantstop_server.storage.types import Identity

_ID: Final = Question(select(players.c.id).where(players.c.name_key == bindparam("key")), "key")


def identify(
    connection: Connection, name: str, key: str, token_hash: bytes, now: datetime
) -> Identity:
    """The person with this name, registered if nobody has it yet; the newest spelling is kept.

    A name that came with an imported game is nobody's yet: the first token makes it theirs.
    Raises ``NameTaken`` if it is registered with another token.
    """
    known = connection.execute(_known(key)).one_or_none()
    if known is None:
        return Identity(_add(connection, name, key, now, token_hash=token_hash), name)
    if known.token_hash is not None or known.bot is not None:
        _check_token(known.token_hash, token_hash, name)
    if known.name != name or known.token_hash is None:
        connection.execute(
            update(players).where(players.c.id == known.id).values(name=name, token_hash=token_hash)
        )
    return Identity(known.id, name)


def recognise(connection: Connection, name: str, key: str, token_hash: bytes) -> Identity | None:
    """The person with this very name and token, None if there is something to be written.

    Raises ``NameTaken`` as ``identify`` does. It only reads: whoever is known gets in while
    another program holds the database.
    """
    known = connection.execute(_known(key)).one_or_none()
    if known is None or (known.token_hash is None and known.bot is None):
        return None
    _check_token(known.token_hash, token_hash, name)
    return Identity(known.id, name) if known.name == name else None


def unclaimed_id(connection: Connection, name: str, now: datetime) -> int:
    """The number of the person with this name; whoever is new has no token yet."""
    key = name_key(name)
    known: int | None = connection.scalar(select(players.c.id).where(players.c.name_key == key))
    return _add(connection, name, key, now) if known is None else known


def _known(key: str) -> Select[tuple[int, str, str | None, bytes | None]]:
    columns = players.c.id, players.c.name, players.c.bot, players.c.token_hash
    return select(*columns).where(players.c.name_key == key)


def _check_token(kept: bytes | None, given: bytes, name: str) -> None:
    if kept is None or not compare_digest(kept, given):
        raise NameTaken(f"the name {name!r} belongs to somebody else: choose another")


def bot_id(connection: Connection, kind: str, now: datetime) -> int:
    """The number of a kind of computer player, which gets one with its first archived game."""
    key = _bot_key(kind)
    known = _ID.ask(connection, key)
    return known[0][0] if known else _add(connection, kind, key, now, bot=kind)


def is_named(name: str) -> ColumnElement[bool]:
    """Which players somebody means by this name: a person, a kind of computer player, or both."""
    return players.c.name_key.in_([name_key(name), _bot_key(name)])


def is_kind(kind: str) -> ColumnElement[bool]:
    """The kind of computer player."""
    return players.c.name_key == _bot_key(kind)


def _bot_key(kind: str) -> str:
    # No person's name begins so: a person and a kind of computer player never share a row.
    return f"@{name_key(kind)}"


def _add(
    connection: Connection,
    name: str,
    key: str,
    now: datetime,
    *,
    bot: str | None = None,
    token_hash: bytes | None = None,
) -> int:
    row = insert(players).values(
        name=name, name_key=key, bot=bot, token_hash=token_hash, created_at=now
    )
    added = connection.execute(row).inserted_primary_key
    assert added is not None
    return int(added[0])
