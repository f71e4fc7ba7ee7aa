"""From a record to an archived game, through the rules (docs/record.md)."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, Literal, TypeVar

from cantstop_server.record.checks import check_id, check_kind, check_name, contradictions
from cantstop_server.record.errors import BadRecord, Impossible
from cantstop_server.record.letters import SEATS, read_seat, read_time
from cantstop_server.record.proof import canonical, load_proof
from cantstop_server.record.turns import TurnReader
from cantstop_server.record.write import FIRST_LINE, VERSION
from cantstop_server.rules.errors import InvalidSetup
from cantstop_server.rules.setup import make_setup
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat

T = TypeVar("T")

_HEADER: Final = re.compile(r"([A-Z][A-Za-z ]*):(?: (.*))?")
_QUOTED: Final = r'("(?:[^"\\]|\\.)*")'
_SEAT: Final = re.compile(rf"{_QUOTED} (?:computer (\S+)|person(?: {_QUOTED})?)")
_KNOWN: Final = (
    "Game",
    "Started",
    "Ended",
    "Target",
    "Dead markers",
    "Rated",
    *(f"Seat {letter}" for letter in SEATS),
    "First",
    "Result",
    "Turns",
    "Claimed",
    "Resigned",
)
_OPTIONAL: Final = ("Seat B", "Seat C", "Seat D", "Resigned")


def read_record(text: str) -> ArchivedGame:
    """The game of a record; its people have names and no numbers. Raises ``BadRecord``."""
    games = [game for _, game in read_records(text.split("\n"))]
    if len(games) != 1:
        raise BadRecord(1, f"one record is expected here, not {len(games)}")
    return games[0]


def read_records(lines: Iterable[str]) -> Iterator[tuple[int, ArchivedGame]]:
    """The games of a text with any number of records, each with the line where it begins.

    Each is checked as it comes. Raises ``BadRecord`` at the first line that cannot be so.
    """
    record: _Record | None = None
    for number, line in enumerate(lines, start=1):
        line = line.rstrip(" \t\r\n")
        if line.startswith(FIRST_LINE):
            if record is not None:
                yield record.start, record.game()
            record = _Record(number, line)
        elif record is not None:
            record.take(number, line)
        elif line and not line.startswith("#"):
            raise BadRecord(number, f"a record begins with the line '{FIRST_LINE} {VERSION}'")
    if record is not None:
        yield record.start, record.game()


class _Record:
    """A record as far as it has been read."""

    def __init__(self, start: int, first_line: str) -> None:
        self.start = start
        self._last = start
        self._headers: dict[str, tuple[int, str]] = {}
        self._turns: TurnReader | None = None
        self._proof: list[str] | None = None
        self._proof_start = 0
        version = first_line.removeprefix(FIRST_LINE).strip()
        if version != str(VERSION):
            raise BadRecord(
                start, f"version {version!r:.20} of the format is not known here, {VERSION} is"
            )

    def take(self, number: int, line: str) -> None:
        """The next line of it."""
        self._last = number
        if self._proof is not None:
            self._proof.append(line)
        elif not line or line.startswith("#"):
            return
        elif line == "Proof:":
            self._proof, self._proof_start = [], number + 1
        elif line[0].isdigit():
            turns = self._turns = self._turns or self._at_start(number)
            _located(number, lambda: turns.take(line))
        elif self._turns is not None:
            raise BadRecord(number, f"after the first turn there are only turns: {line!r:.60}")
        else:
            self._take_header(number, line)

    def game(self) -> ArchivedGame:
        """The whole record as a game."""
        turns = self._turns or self._at_start(self._last)
        won = self._value("Result", _result)
        game = ArchivedGame(
            id=self._value("Game", check_id),
            status="abandoned" if won == "abandoned" else "finished",
            setup=turns.game.setup,
            course=turns.course,
            started_at=self._value("Started", read_time),
            ended_at=self._value("Ended", read_time),
            winner=won if isinstance(won, int) else None,
            turns=self._value("Turns", _number),
            seats=self._seats(),
            rated=self._value("Rated", _one_of({"yes": True, "no": False})),
            turn_ends=tuple(turns.turn_ends),
            proof=self._read_proof(),
        )
        for about, reason in contradictions(game, turns.game):
            line, _ = self._headers.get(about.capitalize(), (self._last, ""))
            raise BadRecord(line, reason)
        return game

    def _take_header(self, number: int, line: str) -> None:
        found = _HEADER.fullmatch(line)
        if found is None:
            raise BadRecord(number, f"this is neither a header nor a turn: {line!r:.60}")
        name, value = found[1], (found[2] or "").strip()
        if name not in _KNOWN:
            raise BadRecord(number, f"there is no header {name!r:.40}: notes begin with #")
        if name in self._headers:
            raise BadRecord(number, f"{name} was given already in line {self._headers[name][0]}")
        self._headers[name] = (number, value)

    def _at_start(self, number: int) -> TurnReader:
        """The start of the game that the headers speak of."""
        for name in _KNOWN:
            if name not in self._headers and name not in _OPTIONAL:
                raise BadRecord(number, f"the header {name} is missing above")
        seats = len(self._seats())
        try:
            setup = make_setup(
                seats,
                self._value("Target", _number),
                keep_dead_markers=self._value(
                    "Dead markers", _one_of({"kept": True, "removed": False})
                ),
                first=self._value("First", lambda text: read_seat(text, seats)),
            )
        except InvalidSetup as error:
            raise BadRecord(self._headers["Target"][0], str(error)) from error
        return TurnReader(setup)

    def _seats(self) -> tuple[ArchivedSeat, ...]:
        given = [letter for letter in SEATS if f"Seat {letter}" in self._headers]
        if given != list(SEATS[: len(given)]):
            line, _ = self._headers[f"Seat {given[-1]}"]
            raise BadRecord(line, "a seat before this one is missing")
        columns = self._value("Claimed", lambda text: _claimed(text, len(given)))
        resigned: set[int] = set()
        if "Resigned" in self._headers:
            resigned = self._value("Resigned", lambda text: _resigned(text, len(given)))
        return tuple(
            self._value(
                f"Seat {letter}", partial(_seat, columns=claimed, resigned=seat in resigned)
            )
            for seat, (letter, claimed) in enumerate(zip(given, columns, strict=True))
        )

    def _value(self, name: str, read: Callable[[str], T]) -> T:
        number, text = self._headers[name]
        return _located(number, lambda: read(text))

    def _read_proof(self) -> str | None:
        if self._proof is None:
            return None
        try:
            return canonical(load_proof("\n".join(self._proof)))
        except Impossible as error:
            within = getattr(error.__cause__, "lineno", 1)
            raise BadRecord(self._proof_start + within - 1, str(error)) from error


def _located(line: int, read: Callable[[], T]) -> T:
    """Read something that stands in this line. Raises ``BadRecord``."""
    try:
        return read()
    except Impossible as error:
        raise BadRecord(line, str(error)) from error


def _seat(text: str, *, columns: int, resigned: bool) -> ArchivedSeat:
    found = _SEAT.fullmatch(text)
    if found is None:
        raise Impossible(f'a seat is "NAME" person or "NAME" computer KIND, not {text!r:.60}')
    name = check_name(_unquoted(found[1]))
    if found[2] is not None:
        return ArchivedSeat(name, None, check_kind(found[2]), columns, resigned)
    registered = name if found[3] is None else check_name(_unquoted(found[3]))
    return ArchivedSeat(name, None, None, columns, resigned, registered)


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise Impossible(f"{text:.60} is no text in JSON") from error


def _result(text: str) -> int | Literal["abandoned"] | None:
    if text == "abandoned":
        return "abandoned"
    if text == "nobody wins":
        return None
    if not text.endswith(" wins"):
        raise Impossible(f"a result is 'A wins', 'nobody wins' or 'abandoned', not {text!r:.40}")
    return read_seat(text.removesuffix(" wins"), len(SEATS))


def _claimed(text: str, seats: int) -> list[int]:
    found = re.fullmatch(r"[A-D] [0-9]{1,2}(?:, [A-D] [0-9]{1,2})*", text)
    pairs = [part.split() for part in text.split(", ")] if found else []
    if [letter for letter, _ in pairs] != list(SEATS[:seats]):
        raise Impossible(f"it lists each seat, such as A 3, B 1, not {text!r:.40}")
    return [int(columns) for _, columns in pairs]


def _resigned(text: str, seats: int) -> set[int]:
    return {read_seat(letter, seats) for letter in text.split(", ")}


def _number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text):
        raise Impossible(f"this is a number, not {text!r:.40}")
    return int(text)


def _one_of(values: dict[str, T]) -> Callable[[str], T]:
    def read(text: str) -> T:
        if text not in values:
            raise Impossible(f"this is {' or '.join(values)}, not {text!r:.40}")
        return values[text]

    return read
