"""Rows that are written whether they are there already or not, by both databases' own words."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

Merge = Callable[[ColumnElement[Any], ColumnElement[Any]], ColumnElement[Any]]
"""A column's value from what is kept and what is new."""

_INSERTS: Final[dict[str, Any]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


@cache
def upsert(dialect: str, table: Table, merge: Merge) -> Insert:
    """An insert into a table that merges the values where a row of that key is there."""
    adding = _INSERTS[dialect](table)
    statement: Insert = adding.on_conflict_do_update(
        index_elements=[column.name for column in table.primary_key.columns],
        set_={
            column.name: merge(column, adding.excluded[column.name])
            for column in table.columns
            if not column.primary_key
        },
    )
    return statement
