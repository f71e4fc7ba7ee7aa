"""Logs as lines of ``key=value`` or JSON, on standard error.

What a record is about goes into ``extra``: ids of rooms, players and connections. Names, chat and
other text of people is not logged; tokens and passwords never are. Whatever else a message holds
is escaped, so that a line is a line and obeys no terminal.
"""

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any, Final, Literal

_KNOWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_BARE: Final = re.compile(r"[A-Za-z0-9_.:/@+-]+")
OURS: Final = "cantstop_server"


class Formatter(logging.Formatter):
    """One formatter for both forms: the same keys in the same order."""

    def __init__(self, form: Literal["text", "json"]) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever the record holds."""
        values = self._values(record)
        if self._form == "json":
            return _json(values)
        return " ".join(f"{key}={_text(value)}" for key, value in values.items())

    def _values(self, record: logging.LogRecord) -> dict[str, Any]:
        time = datetime.fromtimestamp(record.created, UTC)
        values: dict[str, Any] = {
            "time": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        values |= {
            key: value
            for key, value in vars(record).items()
            if key not in _KNOWN and value is not None
        }
        if record.exc_info and record.exc_info[0] is not None:
            values["traceback"] = self.formatException(record.exc_info)
        return values


class _StandardError(logging.Handler):
    """Writes to what is standard error now; nowhere if there is none."""

    def emit(self, record: logging.LogRecord) -> None:
        stream = sys.stderr
        if stream is None:
            return
        try:
            stream.write(self.format(record) + "\n")
            stream.flush()
        except Exception:  # noqa: BLE001 - a log that cannot be written stops nothing
            self.handleError(record)


def set_up_logs(level: str, form: Literal["text", "json"]) -> None:
    """Log from now on, ours from this level and everything else from warnings on."""
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, _StandardError):
            root.removeHandler(handler)
    handler = _StandardError()
    handler.setFormatter(Formatter(form))
    root.addHandler(handler)
    logging.getLogger(OURS).setLevel(level.upper())


def _text(value: object) -> str:
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    text = str(value)
    return text if _BARE.fullmatch(text) else _json(text)


def _json(value: object) -> str:
    # JSON leaves DEL as it is, the one control character of ASCII that it does.
    return json.dumps(value, default=str).replace("\x7f", "\\u007f")
