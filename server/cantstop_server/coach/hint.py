"""What each alternative in a position is worth."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from cantstop_server.players.expert.network import TURNS_SCALE
from cantstop_server.players.expert.position import View
from cantstop_server.players.expert.solution import Solution, key_of
from cantstop_server.rules.game import Game, Phase, stop_wins

Solve: TypeAlias = Callable[[View], Solution]


class Alternative(NamedTuple):
    """Something the seat to move may do, and its value when all goes on with the best play."""

    label: str
    value: float


def alternatives(game: Game, solution: Solution) -> tuple[Alternative, ...]:
    """What may be done in this position, in the order of the options, or stop before roll."""
    if game.phase is Phase.CHOOSE:
        values = solution.options(game)
        labels = ["+".join(map(str, option)) for option in game.options]
        return tuple(map(Alternative, labels, values))
    roll = Alternative("roll", solution.roll(game.runners))
    if game.phase is Phase.ROLL:
        return (roll,)
    return (Alternative("stop", 1.0 if stop_wins(game) else solution.stop(game.runners)), roll)


def shown_value(game: Game, value: float) -> float:
    """A value as people read it: a chance to win, in solitaire the turns that the game takes."""
    return value if game.setup.seats > 1 else game.turn + (1 - value) * TURNS_SCALE


def hint(game: Game, solve: Solve) -> tuple[Alternative, ...]:
    """The alternatives with the chance to win of each, the best first."""
    found = alternatives(game, solve(key_of(game)))
    return tuple(sorted(found, key=lambda alternative: -alternative.value))
