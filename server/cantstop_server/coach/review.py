"""The review of a finished game: what each decision cost, and what the dice gave.

A player's chance to win is followed through the game. A roll moves it by luck: from what it was
to what it is with the best play that the dice allow. A decision moves it by skill: from the best
alternative to the one taken, so never up. With two seats one's gain is the other's loss, luck and
skill apart. With more seats the chance is that against the strongest rival, judged in the player's
own turns, and what changes between them counts as luck. So for each player the result is the start
plus luck plus skill.

In solitaire the measure is the number of turns the game takes, counted negative: more is better.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from cantstop_server.coach.hint import Alternative, Solve, alternatives, shown_value
from cantstop_server.players.expert.solution import Solution, key_of
from cantstop_server.rules.course import Action, Choose, Resign, Roll, Stop, apply, parse_course
from cantstop_server.rules.game import Game, Phase, new_game
from cantstop_server.rules.setup import Setup

MISTAKE: Final = 0.02
"""A decision that costs this chance to win, or more, is a mistake."""
BLUNDER: Final = 0.05
"""And from here on a blunder. Solitaire has ``SOLITAIRE_SCALE`` times as many turns for both."""
SOLITAIRE_SCALE: Final = 10.0
"""How many turns weigh as much as a whole game won."""

Progress = Callable[[int, int], None]


class Decision(NamedTuple):
    """A decision that left a choice, with all that could have been done.

    ``before`` is the value of the best alternative and ``after`` of the one taken.
    """

    turn: int
    seat: int
    alternatives: tuple[Alternative, ...]
    taken: int
    before: float
    after: float

    @property
    def loss(self) -> float:
        """What the decision cost, 0 or more."""
        return self.before - self.after


class Throw(NamedTuple):
    """A roll: its dice, and what they gave or took, for the seat that rolled."""

    turn: int
    seat: int
    dice: tuple[int, ...]
    gain: float
    bust: bool


@dataclass(slots=True)
class Account:
    """A player's sums: ``result`` is ``start + luck + skill``."""

    start: float | None = None
    luck: float = 0.0
    skill: float = 0.0
    value: float = 0.0
    decisions: int = 0
    loss: float = 0.0
    mistakes: int = 0
    blunders: int = 0

    @property
    def result(self) -> float:
        """Where the player ended: 1 for a win, 0 for a defeat, the last chance otherwise."""
        return self.value

    @property
    def adjusted(self) -> float:
        """The result with the luck taken out."""
        return self.value - self.luck

    @property
    def average_loss(self) -> float:
        """The mean loss of a decision that left a choice."""
        return self.loss / self.decisions if self.decisions else 0.0


@dataclass(slots=True)
class Review:
    """What a review found. ``course`` is the value by seat after each turn, ``values`` after each
    action; None for a seat whose value is not known yet."""

    setup: Setup
    finished: bool = False
    decisions: list[Decision] = field(default_factory=list)
    throws: list[Throw] = field(default_factory=list)
    accounts: list[Account] = field(default_factory=list)
    course: list[tuple[float | None, ...]] = field(default_factory=list)
    values: list[tuple[float | None, ...]] = field(default_factory=list)


def review(setup: Setup, course: str, solve: Solve, progress: Progress | None = None) -> Review:
    """Review a game. Raises ``BadCourse`` or ``RulesError`` for a course that is none."""
    actions = tuple(parse_course(course))
    reviewer = _Reviewer(setup, solve)
    for number, (before, action, after) in enumerate(_steps(setup, actions), start=1):
        reviewer.take(before, action, after)
        reviewer.found.values.append(reviewer.values())
        if progress is not None:
            progress(number, len(actions))
    return reviewer.found


def _steps(setup: Setup, actions: tuple[Action, ...]) -> Iterator[tuple[Game, Action, Game]]:
    game = new_game(setup)
    for action in actions:
        after, _ = apply(game, action)
        yield game, action, after
        game = after


class _Reviewer:
    def __init__(self, setup: Setup, solve: Solve) -> None:
        self.found = Review(setup, accounts=[Account() for _ in range(setup.seats)])
        self._solve = solve
        self._scale = SOLITAIRE_SCALE if setup.seats == 1 else 1.0

    def take(self, before: Game, action: Action, after: Game) -> None:
        """Follow one action."""
        seat = before.seat
        if isinstance(action, Resign):
            self._resign(action.seat, after)
            return
        solution = self._solve(key_of(before))
        if before.phase is Phase.ROLL:
            self._lucky(seat, self._value(before, solution.turn.value))
        match action:
            case Roll(dice):
                if before.phase is Phase.ROLL_OR_STOP:
                    self._decide(before, solution, 1)
                bust = after.phase is not Phase.CHOOSE
                value = solution.bust if bust else max(solution.options(after))
                gain = self._lucky(seat, self._value(before, value))
                self.found.throws.append(Throw(before.turn, seat, dice, gain, bust))
            case Choose(option):
                self._decide(before, solution, option)
            case Stop():
                self._decide(before, solution, 0)
        if after.phase is Phase.OVER:
            self._end(after)
        if after.turn != before.turn or after.phase is Phase.OVER:
            self.found.course.append(self.values())

    def values(self) -> tuple[float | None, ...]:
        """The value of each seat as things stand."""
        return tuple(a.value if a.start is not None else None for a in self.found.accounts)

    def _decide(self, game: Game, solution: Solution, taken: int) -> None:
        found = tuple(
            Alternative(label, self._value(game, value))
            for label, value in alternatives(game, solution)
        )
        before, after = max(value for _, value in found), found[taken].value
        # What is judged best here and what the last roll was credited with are the same figure.
        self._move(game.seat, after, "skill")
        if len(found) < 2:
            return
        decision = Decision(game.turn, game.seat, found, taken, before, after)
        self.found.decisions.append(decision)
        account = self.found.accounts[game.seat]
        account.decisions += 1
        account.loss += decision.loss
        account.blunders += decision.loss >= BLUNDER * self._scale
        account.mistakes += MISTAKE * self._scale <= decision.loss < BLUNDER * self._scale

    def _lucky(self, seat: int, value: float) -> float:
        return self._move(seat, value, "luck")

    def _move(self, seat: int, value: float, cause: str) -> float:
        """The seat's value is this now, by luck or by skill: what it gained."""
        accounts = self.found.accounts
        account = accounts[seat]
        if account.start is None:
            account.start = account.value = value
            if len(accounts) == 2:
                other = accounts[1 - seat]
                other.start = other.value = 1 - value
            return 0.0
        gain = value - account.value
        self._add(account, gain, cause)
        if len(accounts) == 2:
            self._add(accounts[1 - seat], -gain, cause)
        return gain

    @staticmethod
    def _add(account: Account, gain: float, cause: str) -> None:
        account.value += gain
        if cause == "luck":
            account.luck += gain
        else:
            account.skill += gain

    def _resign(self, seat: int, after: Game) -> None:
        """To give up is a decision too, and costs what was left."""
        if self.found.setup.seats > 1:
            self._move(seat, 0.0, "skill")
        if after.phase is Phase.OVER:
            self._end(after)

    def _end(self, after: Game) -> None:
        if after.winner is None:
            return
        self.found.finished = True
        if self.found.setup.seats > 1:
            for seat in range(self.found.setup.seats):
                self._lucky(seat, 1.0 if seat == after.winner else 0.0)

    def _value(self, game: Game, value: float) -> float:
        """A chance to win as it is; in solitaire the turns the game will have taken, negative."""
        if self.found.setup.seats > 1:
            return value
        return -shown_value(game, value)
