"""Questions about games of the past: from options or typed words to what the protocol asks."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import msgspec

from cantstop_protocol.commands import ListGames
from cantstop_protocol.messages import Games

FILTERS: Final = {
    "player": "player",
    "vs": "opponent",
    "kind": "kind",
    "seats": "seats",
    "target": "target",
    "dead": "dead_markers",
    "result": "result",
    "since": "since",
    "until": "until",
}
"""The filters as they are typed, and the fields they set."""

USAGE: Final = "[NAME] [vs=NAME] [FILTER=VALUE ...] | more"

FILTERS_HELP: Final = (
    "Filters of /history: vs=NAME, kind=KIND, seats=1..4, target=1..5,",
    "  dead=removed|kept, result=won|lost|finished|abandoned,",
    "  since=DATE, until=DATE (2026-03-01, in UTC).",
)

_WORDS: Final = {
    "dead_markers": ("removed", "kept"),
    "result": ("won", "lost", "finished", "abandoned"),
}
_NUMBERS: Final = {"seats": (1, 4), "target": (1, 5)}


class BadFilter(ValueError):
    """A filter that cannot be used; the text says why."""


def read_words(words: Sequence[str]) -> dict[str, Any]:
    """The fields of a typed question. What follows a filter's word belongs to it: names may be
    of several words. Raises ``BadFilter``.
    """
    texts: dict[str, list[str]] = {}
    current = "player"
    for word in words:
        key, equals, value = word.partition("=")
        if equals:
            current, word = key.casefold(), value
            if current not in FILTERS:
                raise BadFilter(f"{key!r} is no filter: {', '.join(FILTERS)}")
        texts.setdefault(current, []).append(word)
    return read_filters({FILTERS[key]: " ".join(some) for key, some in texts.items()})


def read_filters(texts: Mapping[str, str | None]) -> dict[str, Any]:
    """The fields of a question from texts by field; None is left out. Raises ``BadFilter``."""
    fields: dict[str, Any] = {}
    for field, text in texts.items():
        if text is not None:
            fields[field] = _read(field, text.strip())
    if fields.get("result") in ("won", "lost") and "player" not in fields:
        raise BadFilter(f"who {fields['result']}? that needs a player, too")
    try:
        # Lengths and ranges are the protocol's.
        msgspec.convert({"id": 1, **fields}, ListGames)
    except msgspec.ValidationError as error:
        raise BadFilter(f"a filter is too long or out of range ({error})") from error
    return fields


def _read(field: str, text: str) -> object:
    if not text:
        raise BadFilter(f"{_typed(field)} needs a value")
    if field in _WORDS:
        if text.casefold() not in _WORDS[field]:
            raise BadFilter(f"{_typed(field)} is {' or '.join(_WORDS[field])}, not {text!r}")
        return text.casefold()
    if field in _NUMBERS:
        lowest, highest = _NUMBERS[field]
        if not re.fullmatch("[0-9]", text) or not lowest <= int(text) <= highest:
            raise BadFilter(f"{field} is {lowest} to {highest}, not {text!r}")
        return int(text)
    if field in ("since", "until"):
        return _time(field, text)
    return text.casefold() if field == "kind" else text


def _time(field: str, text: str) -> int:
    """The seconds of a date or time, in UTC unless it says otherwise. A day counts as a whole."""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            day = date.fromisoformat(text)
            day += timedelta(days=1 if field == "until" else 0)
            time = datetime(day.year, day.month, day.day, tzinfo=UTC)
        else:
            time = datetime.fromisoformat(text)
            time = time.replace(tzinfo=UTC) if time.tzinfo is None else time
        seconds = int(time.timestamp())
    except (ValueError, OverflowError) as error:
        raise BadFilter(
            f"{field} is a date like 2026-03-01 or a time like 2026-03-01T20:30, not {text!r}"
        ) from error
    if seconds < 0:
        raise BadFilter(f"{field} is not before 1970")
    return seconds


def _typed(field: str) -> str:
    return next(key for key, name in FILTERS.items() if name == field)


class Pages:
    """Which page comes next, for who asks for one after the other."""

    def __init__(self) -> None:
        self._fields: dict[str, Any] | None = None
        self._after: str | None = None

    def first(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Begin anew: the fields of the first page."""
        self._fields, self._after = fields, None
        return fields

    def following(self) -> dict[str, Any] | None:
        """The fields of the next page, None if there is none."""
        if self._fields is None or self._after is None:
            return None
        return {**self._fields, "after": self._after}

    def took(self, games: Games) -> tuple[str, ...]:
        """Note where the page ended: what is to be said below it."""
        self._after = games.games[-1].cursor if games.more and games.games else None
        return ("More: /history more",) if self._after is not None else ()
