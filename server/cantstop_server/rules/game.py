"""A game of Can't Stop as a state machine: a function from state and action to state and event.

The state holds everything a decision may depend on. Dice come in from outside with each roll, so
the same actions always give the same events.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from cantstop_server.rules.board import (
    ALL_COLUMNS,
    LENGTHS,
    NO_OWNERS,
    NO_STEPS,
    RUNNERS,
    ColumnSet,
    Steps,
    claimed_in,
    columns_in,
    standing,
)
from cantstop_server.rules.errors import NotAllowed
from cantstop_server.rules.legal import Dice, Option, Reach, legal_options
from cantstop_server.rules.setup import Setup


class Phase(StrEnum):
    """What the game waits for."""

    ROLL = "roll"
    """The first roll of a turn, which is not optional."""
    CHOOSE = "choose"
    """A choice among the options of the pending dice."""
    ROLL_OR_STOP = "roll_or_stop"
    OVER = "over"


class Game(NamedTuple):
    """One position, complete. Made by ``new_game`` and the functions below it only.

    ``markers`` and ``owners`` are indexed by seat and by column; ``runners`` by column.
    ``turn`` counts turns from 1, busts included; ``ply`` counts the actions applied so far.
    ``dice`` and ``options`` are set while a choice is pending. ``reach`` is what the columns can
    still take for the seat to move: it follows from the rest, and each action carries it on.
    """

    setup: Setup
    markers: tuple[Steps, ...]
    owners: Steps
    resigned: frozenset[int]
    seat: int
    runners: Steps
    phase: Phase
    dice: Dice | None
    options: tuple[Option, ...]
    turn: int
    ply: int
    winner: int | None
    reach: Reach


class Rolled(NamedTuple):
    """A roll that gives at least one option."""

    seat: int
    dice: Dice
    options: tuple[Option, ...]


class Busted(NamedTuple):
    """A roll that gives none: the runners, ``lost`` by column, come off."""

    seat: int
    dice: Dice
    lost: Steps


class Advanced(NamedTuple):
    """An option was taken; ``runners`` are where the runners stand now."""

    seat: int
    columns: Option
    runners: Steps


class Stopped(NamedTuple):
    """The turn's steps were kept. ``won`` says that this stop ended the game."""

    seat: int
    kept: Steps
    claimed: tuple[int, ...]
    won: bool


class Resigned(NamedTuple):
    """A seat left the game. ``winner`` is set when only one seat remains in it."""

    seat: int
    winner: int | None


Spot: TypeAlias = tuple[Steps, Reach]
"""Where the runners stand in a turn, and what the columns can take from there."""

Event = Rolled | Busted | Advanced | Stopped | Resigned

_ROLLING_PHASES: Final = (Phase.ROLL, Phase.ROLL_OR_STOP)


def new_game(setup: Setup) -> Game:
    """The start: an empty board, the setup's first seat to roll."""
    return Game(
        setup=setup,
        markers=(NO_STEPS,) * setup.seats,
        owners=NO_OWNERS,
        resigned=frozenset(),
        seat=setup.first,
        runners=NO_STEPS,
        phase=Phase.ROLL,
        dice=None,
        options=(),
        turn=1,
        ply=0,
        winner=None,
        reach=reach_of(NO_STEPS, NO_STEPS, NO_OWNERS),
    )


def reach_of(runners: Steps, markers: Steps, owners: Steps) -> Reach:
    """What the columns can still take for a seat with these markers and its runners there."""
    running, topped, runners_last_step = standing(runners)
    markers_last_step = standing(markers).last_step
    free = RUNNERS - running.bit_count()
    within_reach = ALL_COLUMNS & ~claimed_in(owners) if free else running
    last_step = runners_last_step | markers_last_step & ~running
    return Reach(within_reach & ~topped, running, last_step, free)


def reach_after(before: Reach, option: Option, runners: Steps) -> Reach:
    """What the columns can still take after an option that led the runners there."""
    movable, running, last_step, _ = before
    for column in option:
        bit = 1 << column
        running |= bit
        left = LENGTHS[column] - runners[column]
        if left == 0:
            movable &= ~bit
            last_step &= ~bit
        elif left == 1:
            last_step |= bit
    free = RUNNERS - running.bit_count()
    return Reach(movable if free else movable & running, running, last_step, free)


def claimed_columns(game: Game) -> ColumnSet:
    """The columns that somebody has claimed."""
    return claimed_in(game.owners)


def topped_columns(game: Game) -> tuple[int, ...]:
    """The columns whose runner stands on its top step, which a stop would claim."""
    return columns_in(standing(game.runners).topped)


def score(game: Game, seat: int) -> int:
    """How many columns the seat has claimed."""
    return game.owners.count(seat)


def stop_wins(game: Game) -> bool:
    """Whether a stop now would reach the target."""
    topped = standing(game.runners).topped.bit_count()
    return score(game, game.seat) + topped >= game.setup.target


def roll(game: Game, dice: Dice) -> tuple[Game, Rolled | Busted]:
    """Roll these dice: their options become pending, or the turn busts.

    Raises ``NotAllowed`` when no roll is due and ``IllegalDice`` for anything but four dice.
    """
    if game.phase not in _ROLLING_PHASES:
        raise NotAllowed(_refusal(game, "roll"))
    options = legal_options(dice, game.reach)
    if options:
        state = _same_turn(game, game.runners, game.reach, Phase.CHOOSE, dice, options)
        return state, Rolled(game.seat, dice, options)
    return _next_turn(game, game.markers, game.owners), Busted(game.seat, dice, game.runners)


def advance(game: Game, option: Option) -> Steps:
    """Where the runners stand after an option, without taking it."""
    return _advanced(game.runners, game.markers[game.seat], option)


def choose(game: Game, index: int) -> tuple[Game, Advanced]:
    """Take the pending option with this index, counted from 0.

    Raises ``NotAllowed`` when no choice is pending or there is no such option.
    """
    if game.phase is not Phase.CHOOSE:
        raise NotAllowed(_refusal(game, "choose"))
    option = _option_at(game.options, index)
    runners = advance(game, option)
    after = reach_after(game.reach, option, runners)
    state = _same_turn(game, runners, after, Phase.ROLL_OR_STOP, None, ())
    return state, Advanced(game.seat, option, runners)


def move(game: Game, moves: Sequence[tuple[Dice, int]]) -> tuple[Game, list[Spot]]:
    """Several rolls of one turn, each with the index of the option that is chosen, at once.

    The state is the same that ``roll`` and ``choose`` lead to one by one, without those between:
    a replay tells nobody what happens on the way. The spots are those before each roll, and the
    last one. Raises as ``roll`` and ``choose`` do.
    """
    if moves and game.phase not in _ROLLING_PHASES:
        raise NotAllowed(_refusal(game, "roll"))
    markers, runners, now = game.markers[game.seat], game.runners, game.reach
    spots: list[Spot] = [(runners, now)]
    for dice, index in moves:
        options = legal_options(dice, now)
        if not options:
            raise NotAllowed("there is nothing to choose: the turn is over")
        option = _option_at(options, index)
        runners = _advanced(runners, markers, option)
        now = reach_after(now, option, runners)
        spots.append((runners, now))
    if not moves:
        return game, spots
    return _same_turn(game, runners, now, Phase.ROLL_OR_STOP, None, (), 2 * len(moves)), spots


def stop(game: Game) -> tuple[Game, Stopped]:
    """Keep the turn's steps, claim the columns whose runner is on top, and win or pass the dice.

    Raises ``NotAllowed`` before the turn's first move and while a choice is pending.
    """
    if game.phase is not Phase.ROLL_OR_STOP:
        raise NotAllowed(_refusal(game, "stop"))
    seat = game.seat
    movable, running, _, _ = game.reach
    # A runner can always take another step but from the top.
    claimed = columns_in(running & ~movable)
    kept = list(game.markers[seat])
    for column in columns_in(running):
        kept[column] = game.runners[column]
    markers = (*game.markers[:seat], tuple(kept), *game.markers[seat + 1 :])
    event = Stopped(seat, game.runners, claimed, bool(claimed) and stop_wins(game))
    if not claimed:
        return _next_turn(game, markers, game.owners), event
    owners = _with(game.owners, claimed, seat)
    if not game.setup.keep_dead_markers:
        markers = tuple(
            own if other == seat else _with(own, claimed, 0) for other, own in enumerate(markers)
        )
    if event.won:
        return _ended(game._replace(markers=markers, owners=owners), seat), event
    return _next_turn(game, markers, owners), event


def resign(game: Game, seat: int) -> tuple[Game, Resigned]:
    """Take a seat out of the game: its markers leave the columns nobody has claimed.

    If it was that seat's turn the next seat gets a fresh one; otherwise dice and runners are
    untouched. The last seat left wins; a solitaire game ends without a winner.
    """
    if game.phase is Phase.OVER:
        raise NotAllowed("the game is over")
    if not 0 <= seat < game.setup.seats or seat in game.resigned:
        raise NotAllowed(f"seat {seat + 1} is not in the game")
    resigned = game.resigned | {seat}
    claimed = claimed_columns(game)
    kept = tuple(
        step if claimed >> column & 1 else 0 for column, step in enumerate(game.markers[seat])
    )
    markers = (*game.markers[:seat], kept, *game.markers[seat + 1 :])
    state = game._replace(resigned=resigned, markers=markers)
    left = [other for other in range(game.setup.seats) if other not in resigned]
    if len(left) <= 1:
        winner = left[0] if left else None
        return _ended(state, winner), Resigned(seat, winner)
    if seat == game.seat:
        return _next_turn(state, markers, game.owners), Resigned(seat, None)
    return state._replace(ply=game.ply + 1), Resigned(seat, None)


def _advanced(runners: Steps, markers: Steps, option: Option) -> Steps:
    after = list(runners)
    for column in option:
        after[column] = (after[column] or markers[column]) + 1
    return tuple(after)


def _option_at(options: tuple[Option, ...], index: int) -> Option:
    if not 0 <= index < len(options):
        raise NotAllowed(f"there is no option {index + 1}: choose 1 to {len(options)}")
    return options[index]


# The next two are spelled out, as each action comes to one: ``_replace`` takes twice the time.
def _same_turn(
    game: Game,
    runners: Steps,
    reach: Reach,
    phase: Phase,
    dice: Dice | None,
    options: tuple[Option, ...],
    actions: int = 1,
) -> Game:
    return Game(
        game.setup,
        game.markers,
        game.owners,
        game.resigned,
        game.seat,
        runners,
        phase,
        dice,
        options,
        game.turn,
        game.ply + actions,
        None,
        reach,
    )


def _next_turn(game: Game, markers: tuple[Steps, ...], owners: Steps) -> Game:
    seat = game.seat
    while True:
        seat = (seat + 1) % game.setup.seats
        if seat not in game.resigned:
            break
    return Game(
        game.setup,
        markers,
        owners,
        game.resigned,
        seat,
        NO_STEPS,
        Phase.ROLL,
        None,
        (),
        game.turn + 1,
        game.ply + 1,
        None,
        reach_of(NO_STEPS, markers[seat], owners),
    )


def _ended(game: Game, winner: int | None) -> Game:
    return game._replace(
        runners=NO_STEPS,
        phase=Phase.OVER,
        dice=None,
        options=(),
        ply=game.ply + 1,
        winner=winner,
        reach=reach_of(NO_STEPS, game.markers[game.seat], game.owners),
    )


def _with(steps: Steps, columns: tuple[int, ...], value: int) -> Steps:
    """The same with this value in these columns."""
    after = list(steps)
    for column in columns:
        after[column] = value
    return tuple(after)


def _refusal(game: Game, action: str) -> str:
    match game.phase:
        case Phase.OVER:
            return "the game is over"
        case Phase.CHOOSE:
            return f"you cannot {action} now: choose one of the options first"
        case Phase.ROLL if action == "stop":
            return "you cannot stop before you have moved: roll first"
        case _:
            return f"you cannot {action} now: there are no dice on the table"
