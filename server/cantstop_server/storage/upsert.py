"""Rows that are written whether they are there already or not, by both databases' own words."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import ColumnElement, Insert, Table, insert
from sqlalchemy.dialects import postgresql, sqlite

Merge: TypeAlias = Callable[[ColumnElement[Any], ColumnElement[Any]], ColumnElement[Any]]
"""A column's value from what is kept and what is new."""

Kept: TypeAlias = Literal["kept"]
"""In place of a ``Merge``: the row that is there stays as it is."""

_INSERTS: Final[dict[str, Any]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


@cache
def insertion(dialect: str, table: Table, merge: Merge | Kept | None) -> Insert:
    """An insert into a table that merges the values where a row of that key is there.

    Without ``merge`` such a row is an error.
    """
    if merge is None:
        return insert(table)
    adding = _INSERTS[dialect](table)
    key = [column.name for column in table.primary_key.columns]
    statement: Insert
    if merge == "kept":
        statement = adding.on_conflict_do_nothing(index_elements=key)
    else:
        statement = adding.on_conflict_do_update(
            index_elements=key,
            set_={
                column.name: merge(column, adding.excluded[column.name])
                for column in table.columns
                if not column.primary_key
            },
        )
    return statement


def replaced(kept: ColumnElement[Any], new: ColumnElement[Any]) -> ColumnElement[Any]:
    """The ``Merge`` by which the new row stands in place of the one that is there."""
    return new
