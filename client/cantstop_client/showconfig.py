"""What ``cantstop config`` shows: where the settings are, what is in force, and why."""

from typing import Any

from cantstop_client.identity import choose_name
from cantstop_client.paths import (
    CONFIG_DIRECTORY_VARIABLE,
    DATA_DIRECTORY_VARIABLE,
    data_directory,
)
from cantstop_client.settings import Settings, Value


def as_dict(settings: Settings) -> dict[str, Any]:
    """The same as plain values, for JSON."""
    return {
        "file": str(settings.file),
        "exists": settings.file.exists(),
        "data_directory": str(data_directory()),
        "settings": {
            key: {"value": value.value, "origin": value.origin, "source": value.source}
            for key, value in _in_force(settings).items()
        },
    }


def as_lines(settings: Settings) -> list[str]:
    """One setting a line."""
    there = "" if settings.file.exists() else ", which does not exist: all of it is optional"
    lines = [
        f"Your configuration: {settings.file}{there}",
        f"Another directory for it: {CONFIG_DIRECTORY_VARIABLE}",
        f"Your games and your identity: {data_directory()}, or {DATA_DIRECTORY_VARIABLE}",
    ]
    for key, value in _in_force(settings).items():
        lines.append(f"{key} = {_shown(value.value)}  ({_origin(value)})")
    return lines


def _in_force(settings: Settings) -> dict[str, Value]:
    rows = settings.rows()
    if not settings.name.value:
        name = choose_name(None, data_directory(), {})
        rows["name"] = Value(name, "default", "used last, or the system's")
    return rows


def _shown(value: object) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
        return inner or "none"
    return str(value) or "none: this machine, else what the network has"


def _origin(value: Value) -> str:
    match value.origin:
        case "option" | "environment":
            return value.source
        case "file":
            return "file"
        case _:
            return f"default: {value.source}" if value.source else "default"
