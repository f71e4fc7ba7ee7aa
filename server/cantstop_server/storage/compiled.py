"""Statements that are made once, of the same tables: SQLite's driver takes them with their rows.

A statement costs SQLAlchemy tens of microseconds each time, and the driver a few. On every other
database the same statements go SQLAlchemy's way. Both are in the connection's transaction.
"""

import re
import sqlite3
from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Any, Final, TypeAlias

from sqlalchemy import BindParameter, Column, Connection, Select, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ClauseElement

from cantstop_server.storage.upsert import Kept, Merge, insertion

_DIALECT: Final = sqlite.dialect()
_PIECES: Final = (8, 4, 1)
"""Rows in a statement: several, as each statement is a point where this thread has to wait for the
loop's; few different numbers, as the driver keeps 128 statements prepared, for all there is; and
not many, as SQLite keeps the pages that a statement of several rows changes, to undo it, and past
64 KiB it does so in a file."""
_VALUES_KEPT: Final = 64

_Process: TypeAlias = Callable[[Any], Any]


class Insertion:
    """Rows for a table, each a tuple with a value for every column, in the table's order.

    ``merge`` says what becomes of a row whose key is there already, as in ``upsert.insertion``.
    """

    def __init__(self, table: Table, merge: Merge | Kept | None = None) -> None:
        self._table, self._merge = table, merge
        self._names = tuple(column.name for column in table.columns)

    def write(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        """Write the rows; of a single one, how many rows that has changed."""
        if not rows:
            return 0
        driver = driver_of(connection)
        if driver is None:
            statement = insertion(connection.dialect.name, self._table, self._merge)
            named = [dict(zip(self._names, row, strict=True)) for row in rows]
            return connection.execute(statement, named).rowcount
        parts, processes = self._made
        stored = [_as_stored(row, processes) for row in rows] if processes else rows
        start = changed = 0
        for size in _PIECES:
            while start + size <= len(rows):
                values = [*chain.from_iterable(stored[start : start + size])]
                changed = driver.execute(for_rows(parts, size), values).rowcount
                start += size
        return changed

    @cached_property
    def _made(self) -> tuple[tuple[str, str, str], tuple[tuple[int, _Process], ...]]:
        """The statement's parts, and the columns whose values SQLite keeps as something else."""
        processes = ((i, process(column)) for i, column in enumerate(self._table.columns))
        return (
            split(sql_of(insertion("sqlite", self._table, self._merge), *self._names)),
            tuple((index, process) for index, process in processes if process is not None),
        )


class Question:
    """A query with parameters, in the order in which they stand in it, before all constants.

    No result of it is of a type that SQLite keeps as something else.
    """

    def __init__(self, query: Select[Any], *parameters: str) -> None:
        self._query, self._parameters = query, parameters

    def ask(self, connection: Connection, *values: Any) -> list[Any]:
        """The rows that are the answer."""
        driver = driver_of(connection)
        if driver is None:
            named = dict(zip(self._parameters, values, strict=True))
            return [*connection.execute(self._query, named)]
        text, processes, constants = self._made
        return driver.execute(text, [*_as_stored(values, processes), *constants]).fetchall()

    @cached_property
    def _made(self) -> tuple[str, tuple[tuple[int, _Process], ...], tuple[Any, ...]]:
        """The query as SQL, how its parameters are kept, and its constants."""
        compiled = _compile(self._query)
        order = compiled.positiontup or []
        count = len(self._parameters)
        assert order[:count] == [*self._parameters], order
        processes = ((i, process(compiled.binds[name])) for i, name in enumerate(order[:count]))
        return (
            str(compiled),
            tuple((index, process) for index, process in processes if process is not None),
            tuple(compiled.params[name] for name in order[count:]),
        )


def driver_of(connection: Connection) -> sqlite3.Connection | None:
    """The driver's connection beneath this one, None if it is another driver's."""
    driver = connection.connection.driver_connection
    return driver if isinstance(driver, sqlite3.Connection) else None


def sql_of(statement: ClauseElement, *order: str) -> str:
    """The statement as SQLite's driver takes it, with its parameters in this order."""
    compiled = _compile(statement)
    assert compiled.positiontup == list(order), compiled.positiontup
    return str(compiled)


def split(insertion: str) -> tuple[str, str, str]:
    """What stands before the values of an insertion, they themselves, and what follows."""
    before, values, after = re.split(r"(?<=VALUES )(\([?, ]+\))", insertion)
    return before, values, after


@cache
def for_rows(insertion: tuple[str, str, str], rows: int) -> str:
    """An insertion that was split, for so many rows."""
    before, values, after = insertion
    return before + ", ".join([values] * rows) + after


def _compile(statement: ClauseElement) -> SQLCompiler:
    compiled = statement.compile(dialect=_DIALECT)
    assert isinstance(compiled, SQLCompiler)
    return compiled


def process(of: Column[Any] | BindParameter[Any]) -> _Process | None:
    """Makes of a value what SQLite keeps, None where that is the value itself."""
    process = of.type.dialect_impl(_DIALECT).bind_processor(_DIALECT)
    # The rows of a game have the same few times and flags again and again.
    return None if process is None else lru_cache(_VALUES_KEPT)(process)


def _as_stored(row: tuple[Any, ...], processes: tuple[tuple[int, _Process], ...]) -> Sequence[Any]:
    if not processes:
        return row
    values = list(row)
    for index, process in processes:
        values[index] = process(values[index])
    return values
