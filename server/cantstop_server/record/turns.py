"""The turns of a game as lines, a line for each turn, and back to the course that they tell."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

from cantstop_server.record.errors import Impossible
from cantstop_server.record.letters import SEATS, read_seat
from cantstop_server.rules import game as rules
from cantstop_server.rules.board import Steps, columns_in, standing
from cantstop_server.rules.course import (
    Action,
    Choose,
    Resign,
    Roll,
    Stop,
    apply,
    notation,
    parse_course,
)
from cantstop_server.rules.errors import BadCourse, RulesError
from cantstop_server.rules.game import Game, Phase, new_game
from cantstop_server.rules.legal import Dice, Option
from cantstop_server.rules.setup import Setup

_LINE: Final = re.compile(r"([0-9]{1,7})\. (.+?): (.+)")
_ROLL: Final = re.compile(r"([1-6]{4})(?: (.+))?")
_CHOICE: Final = re.compile(r"[0-9]{1,2}(?:\+[0-9]{1,2})?")
_TIME: Final = re.compile(r"at ([0-9]{1,12}\.[0-9])")


class TurnLine(NamedTuple):
    """A turn in words, without its time. ``ended`` says that it is over."""

    text: str
    ended: bool


def turn_lines(setup: Setup, course: str, turn_ends: Sequence[float]) -> list[str]:
    """The lines of a course. The times are those of its last turns that have ended.

    Raises ``RulesError`` for a course that does not replay, ``Impossible`` for too many times.
    """
    lines = list(_turns(setup, course))
    first = sum(line.ended for line in lines) - len(turn_ends)
    if first < 0:
        raise Impossible(f"{len(turn_ends)} turns have an end, but {first + len(turn_ends)} ended")
    times = ["", *(f", at {seconds:.1f}" for seconds in turn_ends)]
    return [
        f"{line.text}{times[max(0, number - first + 1)] if line.ended else ''}"
        for number, line in enumerate(lines)
    ]


def _turns(setup: Setup, course: str) -> Iterator[TurnLine]:
    game = new_game(setup)
    phrases: list[str] = []
    for number, action in enumerate(parse_course(course), start=1):
        before = game
        try:
            game, event = apply(game, action)
        except RulesError as error:
            raise BadCourse(f"action {number}, {notation(action)!r}: {error}") from error
        _tell(phrases, event)
        if _is_over(before, game):
            yield TurnLine(_line(before, phrases), ended=True)
            phrases = []
    if phrases:
        yield TurnLine(_line(game, phrases), ended=False)


class TurnReader:
    """Follows the lines of a game through the rules.

    ``game`` is where they have led, ``course`` how, ``turn_ends`` the times that they gave.
    """

    def __init__(self, setup: Setup) -> None:
        self.game = new_game(setup)
        self.turn_ends: list[float] = []
        self._course: list[str] = []

    @property
    def course(self) -> str:
        """The actions so far, in compact notation."""
        return "".join(self._course)

    def take(self, line: str) -> None:
        """Follow one line. Raises ``Impossible`` at the first thing in it that cannot be so."""
        found = _LINE.fullmatch(line)
        if found is None:
            raise Impossible(f"this is no turn, such as '1. A: 3456 7+11, stop': {line!r:.60}")
        number, seat, said = int(found[1]), read_seat(found[2], self.game.setup.seats), found[3]
        start = self.game
        if start.phase is Phase.OVER:
            raise Impossible(f"the game is over, and there is no turn {number}")
        if start.turn != number or start.seat != seat:
            raise Impossible(
                f"turn {start.turn} of {SEATS[start.seat]} is due, not turn {number} of"
                f" {SEATS[seat]}"
            )
        phrases = [" ".join(phrase.split()) for phrase in said.split(",")]
        told: list[str] = []
        if timed := _TIME.fullmatch(phrases[-1]):
            phrases.pop()
        for phrase in phrases:
            for action in self._actions(start, phrase):
                self._apply(start, action, phrase, told)
        self._check(phrases, told)
        if timed:
            self._take_time(float(timed[1]), ended=_is_over(start, self.game))
        elif self.turn_ends and _is_over(start, self.game):
            raise Impossible(f"turn {number} has no time, but a turn before it has")

    def _actions(self, start: Game, phrase: str) -> Iterator[Action]:
        """What the phrase says was done; nothing if it tells what came of it."""
        if rolled := _ROLL.fullmatch(phrase):
            yield Roll(cast(Dice, tuple(map(int, rolled[1]))))
            if rolled[2] is not None and rolled[2] != "bust":
                yield self._choice(start, rolled[2])
        elif _CHOICE.fullmatch(phrase):
            yield self._choice(start, phrase)
        elif phrase == "stop":
            yield Stop()
        elif phrase.endswith(" resigns"):
            yield Resign(read_seat(phrase.removesuffix(" resigns"), self.game.setup.seats))
        elif not phrase.startswith(("keeps ", "claims ")):
            raise Impossible(f"turn {start.turn}: {phrase!r:.40} says nothing that is known")

    def _choice(self, start: Game, text: str) -> Choose:
        """The option that advances these columns."""
        turn = f"turn {start.turn}"
        if not _CHOICE.fullmatch(text):
            raise Impossible(f"{turn}: {text!r:.40} is no choice such as 7+11")
        columns = tuple(sorted(map(int, text.split("+"))))
        if self.game.dice is None:
            raise Impossible(f"{turn}: there is no roll that could be used as {text}")
        if columns not in self.game.options:
            possible = " or ".join(map(_columns, self.game.options))
            dice = "".join(map(str, self.game.dice))
            raise Impossible(f"{turn}: {dice} cannot be used as {text}: {possible}")
        return Choose(self.game.options.index(columns))

    def _apply(self, start: Game, action: Action, phrase: str, told: list[str]) -> None:
        if _is_over(start, self.game):
            raise Impossible(f"turn {start.turn} has ended before {phrase!r}")
        try:
            self.game, event = apply(self.game, action)
        except RulesError as error:
            raise Impossible(f"turn {start.turn}, {phrase!r}: {error}") from error
        self._course.append(notation(action))
        _tell(told, event)

    def _check(self, phrases: Sequence[str], told: Sequence[str]) -> None:
        """What a line says beyond the actions must be what the rules say of them."""
        for index in range(max(len(phrases), len(told))):
            said = phrases[index] if index < len(phrases) else "nothing"
            meant = told[index] if index < len(told) else "nothing"
            if said != meant:
                raise Impossible(f"by the rules it is {meant!r} here, not {said!r:.60}")

    def _take_time(self, seconds: float, *, ended: bool) -> None:
        if not ended:
            raise Impossible("a turn that has not ended has no time")
        if self.turn_ends and seconds < self.turn_ends[-1]:
            raise Impossible(f"at {seconds:.1f} is before the end of the last turn")
        self.turn_ends.append(seconds)


def _is_over(start: Game, game: Game) -> bool:
    return game.turn != start.turn or game.phase is Phase.OVER


def _line(game: Game, phrases: Sequence[str]) -> str:
    return f"{game.turn}. {SEATS[game.seat]}: {', '.join(phrases)}"


def _tell(phrases: list[str], event: rules.Event) -> None:
    """Put an event in words after those before it."""
    match event:
        case rules.Rolled(_, dice, _):
            phrases.append("".join(map(str, dice)))
        case rules.Busted(_, dice, _):
            phrases.append("".join(map(str, dice)) + " bust")
        case rules.Advanced(_, columns, _):
            choice = _columns(columns)
            if phrases and len(phrases[-1]) == 4 and phrases[-1].isdigit():
                phrases[-1] += f" {choice}"
            else:
                phrases.append(choice)
        case rules.Stopped(_, kept, claimed, _):
            phrases += ["stop", f"keeps {_places(kept)}"]
            if claimed:
                phrases.append(f"claims {' '.join(map(str, claimed))}")
        case rules.Resigned(seat, _):
            phrases.append(f"{SEATS[seat]} resigns")


def _columns(columns: Option) -> str:
    return "+".join(map(str, columns))


def _places(steps: Steps) -> str:
    return " ".join(f"{column}:{steps[column]}" for column in columns_in(standing(steps).present))
