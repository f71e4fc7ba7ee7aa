"""The options of a server from command line, environment and file, in this order of precedence.

Pure: the environment and the text of the file are passed in. Whatever is wrong is a
``SettingsError`` of one line that names where it stands, the option, and what is expected there.
"""

import difflib
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from cantstop_protocol.limits import MAX_PASSWORD_CHARACTERS, MAX_TOKEN_CHARACTERS
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.errors import ServerError

LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]

PREFIX: Final = "CANTSTOP_"
_LIMITS: Final = "limits"
_YES: Final = frozenset({"true", "yes", "on", "1"})
_NO: Final = frozenset({"false", "no", "off", "0"})
_MOST: Final = 10**9
MIN_ADMIN_TOKEN_CHARACTERS: Final = 16


class SettingsError(ServerError):
    """An option that does not exist, or a value that it cannot have."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that ``cantstop host`` is started with."""

    server: ServerConfig
    log_level: LogLevel
    log_format: LogFormat


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its key in the file, and the values that it takes.

    Numbers and the lengths of texts have bounds, both included; some texts a list of choices.
    ``secret`` values are repeated in no message.
    """

    key: str
    kind: type
    low: float = 0
    high: float = _MOST
    unit: str = ""
    choices: tuple[str, ...] = ()
    secret: bool = False

    @property
    def variable(self) -> str:
        """Its environment variable. ``CANTSTOP_NAME`` is a person's name already."""
        key = "server_name" if self.key == "name" else self.key.replace(".", "_")
        return PREFIX + key.upper()

    @property
    def flag(self) -> str:
        """Its name on the command line, where it has one."""
        return "--" + self.key.replace("_", "-")

    @property
    def expected(self) -> str:
        """What a value has to be, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.kind is bool:
            return "true or false"
        if self.kind is str:
            least = f"{self.low:.0f} to" if self.low else "at most"
            return f"a text of {least} {self.high:.0f} characters"
        what = "a whole number" if self.kind is int else "a number"
        unit = f" of {self.unit}" if self.unit else ""
        return f"{what}{unit} from {self.low:.10g} to {self.high:.10g}"

    def accepts(self, value: object) -> bool:
        """Whether the value has the right type and lies within the bounds."""
        if self.kind is float and type(value) is int:
            value = float(value)
        if type(value) is not self.kind:
            return False
        if isinstance(value, str):
            if self.choices:
                return value in self.choices
            return self.low <= len(value) <= self.high and "\0" not in value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return math.isfinite(value) and self.low <= value <= self.high
        return True


# Only what is narrower than its type says: a new limit needs no line here.
_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "buffered_bytes": (16_384, _MOST),
    "spectators_per_room": (0, 10_000),
    "connections": (1, 1_000_000),
    "connections_per_address": (1, 1_000_000),
    "rooms": (1, 50_000),  # of the 84,375 codes that there are
}
_TIMES: Final = ("_timeout", "_interval")
_SHORTEST: Final = 0.001


def _limit(name: str, kind: type) -> Option:
    usual: tuple[float, float] = (1, _MOST) if kind is int else (0, _MOST)
    if kind is float and name.endswith((*_TIMES, "_rate")):
        usual = (_SHORTEST, _MOST)
    low, high = _BOUNDS.get(name, usual)
    is_time = kind is float and not name.endswith("_rate")
    return Option(f"{_LIMITS}.{name}", kind, low, high, "seconds" if is_time else "")


def _options() -> Iterator[Option]:
    yield Option("bind", str, low=1, high=255)
    yield Option("port", int, high=65_535)
    yield Option("database", str, low=1, high=4096)
    yield Option("name", str, high=255)
    yield Option("bot_delay", float, high=60, unit="seconds")
    yield Option("busy_timeout", float, high=3600, unit="seconds")
    yield Option("password", str, high=MAX_PASSWORD_CHARACTERS, secret=True)
    yield Option("tls_cert", str, low=1, high=4096)
    yield Option("tls_key", str, low=1, high=4096)
    yield Option("admin_token", str, MIN_ADMIN_TOKEN_CHARACTERS, MAX_TOKEN_CHARACTERS, secret=True)
    yield Option("compression", bool)
    yield Option("metrics_public", bool)
    yield Option("log_level", str, choices=("debug", "info", "warning", "error"))
    yield Option("log_format", str, choices=("text", "json"))
    defaults = Limits()
    for field in fields(Limits):
        yield _limit(field.name, type(getattr(defaults, field.name)))


OPTIONS: Final[dict[str, Option]] = {option.key: option for option in _options()}


def read_settings(
    command_line: Mapping[str, object],
    environment: Mapping[str, str],
    file: str | None,
    path: str,
    *,
    database: str,
) -> Settings:
    """The settings of a server. ``file`` is the text of the file at ``path``, None without one.

    ``command_line`` has the options by key; None is one that was not given. An empty variable of
    the environment counts as none. ``database`` is the default. Raises ``SettingsError``.
    """
    values: dict[str, Any] = {"database": database}
    if file is not None:
        values.update(_from_file(file, path))
    values.update(_from_environment(environment))
    for key, value in command_line.items():
        if value is not None:
            values[key] = _checked(OPTIONS[key], value, OPTIONS[key].flag)
    limits = {
        key.partition(".")[2]: values.pop(key) for key in tuple(values) if key.startswith(_LIMITS)
    }
    log_level = values.pop("log_level", "warning")
    log_format = values.pop("log_format", "text")
    if bool(values.get("tls_cert")) != bool(values.get("tls_key")):
        given, missing = (
            ("tls_cert", "tls_key") if values.get("tls_cert") else ("tls_key", "tls_cert")
        )
        raise SettingsError(
            f"{given} is given without {missing}: TLS needs both, a certificate and its key"
        )
    return Settings(ServerConfig(**values, limits=Limits(**limits)), log_level, log_format)


def _from_file(text: str, path: str) -> Iterator[tuple[str, object]]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not TOML: {error}") from error
    for key, value in table.items():
        if key != _LIMITS:
            yield from _from_table({key: value}, path, "")
        elif isinstance(value, dict):
            yield from _from_table(value, path, f"{_LIMITS}.")
        else:
            raise SettingsError(f"{path}: limits is a table, [limits] and its options below it")


def _from_table(
    table: Mapping[str, object], path: str, prefix: str
) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        option = OPTIONS.get(prefix + key)
        if option is None:
            known = [name for name in OPTIONS if name.startswith(prefix)]
            raise SettingsError(f"{path}: {_unknown(prefix + key, known)}")
        yield option.key, _checked(option, value, f"{path}: {option.key}")


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    by_variable = {option.variable: option for option in OPTIONS.values()}
    for variable, text in environment.items():
        option = by_variable.get(variable)
        if option is not None and text:
            yield option.key, _checked(option, _typed(option, text), variable)
        elif option is None and variable.startswith(f"{PREFIX}LIMITS_"):
            raise SettingsError(f"the environment: {_unknown(variable, list(by_variable))}")


def _typed(option: Option, text: str) -> object:
    """The value in a variable's text; the text itself if it is none of the option's type."""
    plain = text.strip()
    if option.kind is bool:
        return plain.casefold() in _YES if plain.casefold() in _YES | _NO else text
    if option.kind is int and re.fullmatch(r"[+-]?[0-9]{1,18}", plain):
        return int(plain)
    if option.kind is float:
        try:
            return float(plain)
        except ValueError:
            return text
    return text


def _checked(option: Option, value: object, where: str) -> object:
    if option.accepts(value):
        return float(value) if option.kind is float and isinstance(value, int) else value
    given = "" if option.secret else f", not {value!r:.60}"
    raise SettingsError(f"{where} is {option.expected}{given}")


def _unknown(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
    return f"there is no option {key!r:.60}: {hint}"
