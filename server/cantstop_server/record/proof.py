"""The evidence for the dice as it stands in a record: one JSON object, laid out to be read."""

import json
from typing import Any, Final

from cantstop_server.record.errors import Impossible

_WIDE: Final = 100
"""Characters from which on a list has a line for each of its items."""


def canonical(value: object) -> str:
    """A proof as the database keeps it: compact, in ASCII, in the order of its keys."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def load_proof(text: str) -> dict[str, Any]:
    """The object that a proof is. Raises ``Impossible``; ``json.JSONDecodeError`` is chained."""
    try:
        value = json.loads(text, parse_constant=_no_number)
        # Numbers past all bounds and half characters are read, and could not be written again.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError as error:
        raise Impossible(f"the proof is no JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Impossible("the proof is no JSON that can be read") from error
    if not isinstance(value, dict):
        raise Impossible("the proof is no JSON object")
    return value


def proof_lines(proof: str) -> list[str]:
    """A proof in lines that together are the same JSON object. Raises ``Impossible``."""
    entries = [f" {canonical(key)}: {entry}" for key, entry in _entries(load_proof(proof))]
    return ["{", *(f"{entry}," for entry in entries[:-1]), *entries[-1:], "}"]


def _entries(values: dict[str, Any]) -> list[tuple[str, str]]:
    return [(key, _entry(value)) for key, value in values.items()]


def _entry(value: object) -> str:
    compact = canonical(value)
    if not isinstance(value, list) or len(compact) <= _WIDE:
        return compact
    return "[\n  " + ",\n  ".join(map(canonical, value)) + "\n ]"


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")
