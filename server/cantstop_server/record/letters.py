"""How a record names seats, times and columns."""

import re
from datetime import UTC, datetime
from typing import Final

from cantstop_server.record.errors import Impossible

SEATS: Final = "ABCD"
"""The letters of the seats, in their order."""

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")

_EARLIEST: Final = 1900
_LATEST: Final = 9998
"""Years of which every time can be told in seconds, on every system and in every time zone."""


def time_text(time: datetime) -> str:
    """A time in UTC, such as ``2026-11-30T20:40:58.25Z``."""
    text = time.astimezone(UTC).replace(tzinfo=None).isoformat()
    return (text.rstrip("0") if "." in text else text) + "Z"


def read_time(text: str) -> datetime:
    """The time in a text. Raises ``Impossible``."""
    if not _TIME.fullmatch(text):
        raise Impossible(f"{text!r:.40} is no time such as 2026-11-30T20:40:58Z")
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise Impossible(f"there is no such time as {text!r}") from error
    if not _EARLIEST <= time.year <= _LATEST:
        raise Impossible(f"{text} is not between {_EARLIEST} and {_LATEST}")
    return time


def read_seat(text: str, seats: int) -> int:
    """The seat of a letter. Raises ``Impossible``."""
    if len(text) != 1 or text not in SEATS[:seats]:
        raise Impossible(f"there is no seat {text!r:.20}: seats are {', '.join(SEATS[:seats])}")
    return SEATS.index(text)
