"""The gate that everything from outside passes before it can reach a screen.

``clean`` for the messages of a server, at the session's edge, so that view and renderers only
ever see safe text of a known width; ``printable`` for whole lines, at the output, whatever they
were made of.
"""

import re
from collections.abc import Callable
from enum import Enum
from typing import Final, TypeVar, cast

from msgspec import Struct, structs

from cantstop_protocol.text import visible

T = TypeVar("T")

_SPACES: Final = re.compile(r"( +)")


def clean(value: T) -> T:
    """The same value with every text in it passed through ``visible``."""
    return mapped(value, visible)


def mapped(value: T, change: Callable[[str], str]) -> T:
    """The same value with every text in it changed."""
    return cast(T, _mapped(value, change))


def _mapped(value: object, change: Callable[[str], str]) -> object:
    match value:
        case Enum():
            return value
        case str():
            return change(value)
        case tuple():
            return tuple(_mapped(item, change) for item in value)
        case Struct():
            fields = {
                name: _mapped(getattr(value, name), change) for name in value.__struct_fields__
            }
            return structs.replace(value, **fields)
        case _:
            return value


def printable(line: str) -> str:
    """The line without anything that a terminal would obey. Spaces stay as they are."""
    return "".join(part if part.startswith(" ") else visible(part) for part in _SPACES.split(line))
