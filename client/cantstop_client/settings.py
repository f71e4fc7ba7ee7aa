"""A person's settings: the command line before the environment before the file before defaults.

The file is TOML, ``config.toml`` in the system's directory for configuration. What is in it is
checked as a whole, so that a slip of the pen is told at once and not when it first matters.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from cantstop_client.address import Address, parse_address
from cantstop_client.errors import ClientError
from cantstop_protocol.text import BadText, clean_name

Origin = Literal["option", "environment", "file", "default"]

PALETTES: Final = ("auto", "dark", "light")
BELLS: Final = ("turn", "mention", "off")
KEYS: Final = {"roll": "r", "stop": "s", "help": "?"}
"""What can be done with one key, and the key that does it."""

_SERVER_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
_KEY: Final = re.compile(r"[!-.:-~]|f([1-9]|1[0-2])|c-[a-z]")
_TAKEN_KEYS: Final = frozenset(
    {"c-c", "c-d", "c-z", "c-m", "c-j", "c-i", "c-h", "c-f", "c-l", "c-n", "c-p"}
)


class _Wrong(Exception):
    """A value that cannot be used; the text says what can."""


@dataclass(frozen=True, slots=True)
class Value:
    """A setting in force, and where it comes from: ``source`` names the option or variable."""

    value: Any
    origin: Origin
    source: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is in force. ``name`` and ``server`` are empty when nobody has set them."""

    name: Value
    server: Value
    servers: Value
    palette: Value
    bell: Value
    keys: Value
    file: Path = field(default_factory=Path)

    def rows(self) -> dict[str, Value]:
        """Each setting by its name in the file."""
        return {row.key: getattr(self, row.key) for row in _ROWS}

    def address(self, text: str) -> Address:
        """The address of a server that was typed, or that the file gives a name."""
        named: Mapping[str, str] = self.servers.value
        return parse_address(named.get(text.strip(), text))


def load_settings(
    options: Mapping[str, str | None], environment: Mapping[str, str], file: Path
) -> Settings:
    """The settings in force. ``options`` are those of the command line, None if not given.

    Raises ``ClientError`` for what cannot be used, naming the file and the key in it.
    """
    written = _read(file)
    values: dict[str, Value] = {}
    for row in _ROWS:
        values[row.key] = _value(row, options.get(row.key), environment, written, file)
    return Settings(**values, file=file)


def _value(
    row: "_Row",
    option: str | None,
    environment: Mapping[str, str],
    written: Mapping[str, Any],
    file: Path,
) -> Value:
    # What is in the file is checked even where something else has its place.
    value = Value(row.default, "default")
    if row.key in written:
        try:
            value = Value(row.read(written[row.key]), "file", str(file))
        except _Wrong as wrong:
            raise ClientError(f"{file}: {row.key}: {wrong}") from wrong
    given = environment.get(row.variable, "") if row.variable else ""
    for text, origin, source in (
        (given or None, "environment", row.variable),
        (option, "option", f"--{row.key}"),
    ):
        if text is not None:
            try:
                value = Value(row.read(text), origin, source)  # type: ignore[arg-type]
            except _Wrong as wrong:
                raise ClientError(f"{source}: {wrong}") from wrong
    return value


def _read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ClientError(f"cannot read {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ClientError(f"{file} is not text in UTF-8") from error
    try:
        written = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ClientError(f"{file} is not TOML: {error}") from error
    known = [row.key for row in _ROWS]
    for key in written:
        if key not in known:
            raise ClientError(f"{file}: {key!r} is no setting: use {', '.join(known)}")
    return written


def _read_name(value: object) -> str:
    try:
        return clean_name(_text(value))
    except BadText as error:
        raise _Wrong(str(error)) from error


def _read_server(value: object) -> str:
    text = _text(value).strip()
    if not text:
        raise _Wrong("it needs a server's address, or its name in [servers]")
    if not _SERVER_NAME.fullmatch(text):
        _check_address(text)
    return text


def _read_servers(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _Wrong('it is a table of names, as in [servers] home = "192.168.1.4"')
    for name, address in value.items():
        if not _SERVER_NAME.fullmatch(name):
            raise _Wrong(f"{name!r} is no name for a server: a letter, then letters and digits")
        try:
            _check_address(_text(address))
        except _Wrong as wrong:
            raise _Wrong(f"{name}: {wrong}") from wrong
    return dict(value)


def _check_address(text: str) -> None:
    try:
        parse_address(text)
    except ClientError as error:
        raise _Wrong(str(error)) from error


def _one_of(choices: tuple[str, ...]) -> Callable[[object], str]:
    def read(value: object) -> str:
        text = _text(value).casefold()
        if text not in choices:
            raise _Wrong(f"{text!r} is none of {', '.join(choices)}")
        return text

    return read


def _read_keys(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _Wrong('it is a table of keys, as in [keys] roll = "w"')
    keys = dict(KEYS)
    for action, key in value.items():
        if action not in KEYS:
            raise _Wrong(f"{action!r} has no key: {', '.join(KEYS)} have")
        text = _text(key)
        if not _KEY.fullmatch(text) or text in _TAKEN_KEYS:
            raise _Wrong(
                f"{action}: {text!r} is no key for it: one character that is no digit and no "
                "slash, f1 to f12, or c-a to c-z for Ctrl (c-c, c-d and the like are taken)"
            )
        keys[action] = text
    if len(set(keys.values())) < len(keys):
        raise _Wrong(f"one key for two things: {', '.join(f'{a} {k}' for a, k in keys.items())}")
    return keys


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Wrong(f"it is a text in quotes, not {value!r:.40}")
    return value


@dataclass(frozen=True, slots=True)
class _Row:
    key: str
    variable: str
    default: Any
    read: Callable[[object], Any]


_ROWS: Final = (
    _Row("name", "CANTSTOP_NAME", "", _read_name),
    _Row("server", "CANTSTOP_SERVER", "", _read_server),
    _Row("servers", "", {}, _read_servers),
    _Row("palette", "CANTSTOP_PALETTE", "auto", _one_of(PALETTES)),
    _Row("bell", "CANTSTOP_BELL", "turn", _one_of(BELLS)),
    _Row("keys", "", KEYS, _read_keys),
)
