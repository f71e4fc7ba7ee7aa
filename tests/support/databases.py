"""Databases for tests: a PostgreSQL server's, where ``CANTSTOP_TEST_POSTGRES`` names one."""

import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg
from sqlalchemy import make_url

SERVER: Final = os.environ.get("CANTSTOP_TEST_POSTGRES", "")
"""The URL of a database of a server where we may make others, or nothing."""


@asynccontextmanager
async def new_database() -> AsyncIterator[str]:
    """The URL of an empty database, which is dropped at the end."""
    name = f"cantstop_{secrets.token_hex(8)}"
    await ask(SERVER, f"CREATE DATABASE {name} TEMPLATE template0")
    try:
        url = make_url(SERVER).set(drivername="postgresql+asyncpg", database=name)
        yield url.render_as_string(hide_password=False)
    finally:
        await ask(SERVER, f"DROP DATABASE {name} WITH (FORCE)")


async def ask(url: str, statement: str) -> list[tuple[Any, ...]]:
    """The rows that a statement gives, past all of ours."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    connection = await asyncpg.connect(plain)
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()
