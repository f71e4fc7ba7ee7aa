"""The game in a room: start, moves, autopilot, resignation, and the end."""

from collections.abc import Callable
from datetime import datetime

from msgspec.structs import replace

from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.dice import draw_first as dice_draw
from cantstop_protocol.events import (
    Abandoned,
    Advanced,
    AnyEvent,
    AutopilotSet,
    Busted,
    Finished,
    RematchAccepted,
    Resigned,
    Rolled,
    Started,
    Stopped,
    WitnessAsked,
    Witnessed,
)
from cantstop_protocol.table import GameOptions, Result
from cantstop_server.rooms import dicing
from cantstop_server.rooms.outcome import Outcome, World
from cantstop_server.rooms.promise import Asked
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.seating import check_kind, free_gone_seats, settled
from cantstop_server.rooms.state import LiveGame, Person, RoomState, SeatState
from cantstop_server.rooms.table import columns
from cantstop_server.rules import course, game
from cantstop_server.rules.errors import RulesError
from cantstop_server.rules.game import Game, new_game
from cantstop_server.rules.legal import Dice, pairings
from cantstop_server.rules.setup import make_setup
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat


def start(state: RoomState, world: World) -> Outcome:
    """Begin the room's first or next game. Raises ``Refused`` while seats are empty."""
    state = free_gone_seats(state)
    names = tuple(seat.name for seat in state.seats if seat)
    empty = len(state.seats) - len(names)
    if empty:
        raise Refused(
            ErrorCode.NOT_ALLOWED,
            f"{empty} of {len(state.seats)} seats are empty: wait for others, add computer"
            " players, or set fewer seats",
        )
    options = state.options
    people = sum(seat is not None and seat.player is not None for seat in state.seats)
    if options.dice == "witnessed" and people < 2:
        raise Refused(
            ErrorCode.NOT_ALLOWED,
            "witnessed dice need at least two people at the table: wait for others, or /options"
            " dice=committed",
        )
    game_id = world.game_id()
    dice = dicing.begin(state)
    terms = None if dice is None else dicing.told_terms(dice)

    def throw() -> Dice:
        nonlocal dice
        if dice is None:
            return world.roll_dice()
        dice, thrown = dicing.drawn(dice)
        return thrown

    draw: tuple[tuple[int, int], ...] = ()
    if state.next_first is None:
        first, draw = draw_first(options.seats, throw)
    else:
        first = state.next_first
    setup = make_setup(
        options.seats,
        options.target,
        keep_dead_markers=options.dead_markers == "kept",
        first=first,
    )
    rated = settled(options).rated
    live = LiveGame(game_id, setup, "", world.now(), rated=rated, dice=dice)
    started = replace(
        state,
        game=live,
        position=new_game(setup),
        next_first=(first + 1) % options.seats,
        rematch=(),
        offer=None,
        seats=tuple(_fresh(seat, options) for seat in state.seats if seat),
    )
    return Outcome(started, (Started(live.id, options, names, first, draw, terms),))


def draw_first(seats: int, throw: Callable[[], Dice]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Who begins, and what was rolled for it, as seat and sum of four dice."""
    first, rolled = dice_draw(seats, throw)
    return first, tuple((seat, sum(dice)) for seat, dice in rolled)


def rematch(state: RoomState, seat: int, name: str, world: World) -> Outcome:
    """Agree to another game; it starts when all people who are present agree.

    Agreeing again looks again: somebody who had not agreed may have gone.

    Raises ``Refused`` while no game is over, and for the last to agree while seats are empty.
    """
    if state.game is None or state.playing:
        raise Refused(ErrorCode.NOT_ALLOWED, "a rematch comes after a game: start one first")
    agreed = state
    accepted: tuple[AnyEvent, ...] = ()
    if seat not in state.rematch:
        agreed = replace(state, rematch=(*state.rematch, seat))
        accepted = (RematchAccepted(name, seat),)
    asked = {
        index
        for index, held in enumerate(state.seats)
        if held and held.player is not None and not held.gone and not held.away
    }
    if not asked <= set(agreed.rematch):
        return Outcome(agreed, accepted)
    started = start(agreed, world)
    return replace(started, events=(*accepted, *started.events))


def check_move(state: RoomState, person: Person, ply: int) -> SeatState:
    """The person's seat. Raises ``Refused`` unless it answers the decision that is pending."""
    position = _running(state)
    holder = state.seats[position.seat]
    if holder is None or holder.player != person.player or holder.gone:
        whose = holder.name if holder else f"seat {position.seat + 1}"
        raise Refused(ErrorCode.NOT_YOUR_TURN, f"it is {whose}'s turn: wait for yours")
    if position.ply != ply:
        raise Refused(
            ErrorCode.STALE,
            f"this answers decision {ply}, but decision {position.ply} is pending: look again",
        )
    asked = dicing.asked_of(state)
    if asked is not None:
        witness = state.seats[asked.witness]
        name = "nobody" if witness is None else witness.name
        raise Refused(
            ErrorCode.NOT_ALLOWED, f"the dice are rolling: {name}'s client is asked to witness it"
        )
    return holder


def roll(state: RoomState, world: World) -> Outcome:
    """Roll for the seat to move, or ask for a witness first. Raises ``Refused``."""
    position, live = _running(state), state.game
    if position.phase is game.Phase.CHOOSE:
        raise Refused(ErrorCode.NOT_ALLOWED, "the dice are rolled: choose one of the options")
    assert live is not None
    if live.dice is None:
        return act(state, course.Roll(world.roll_dice()), world)
    return roll_or_ask(state, (), world)


def roll_or_ask(state: RoomState, passed: tuple[int, ...], world: World) -> Outcome:
    """The roll that is due, of promised dice, or the question to its next witness.

    ``passed`` are the seats that were asked for it already.
    """
    live = state.game
    assert live is not None
    assert live.dice is not None
    witness = dicing.next_witness(state, passed)
    if witness is not None:
        asked = replace(state, game=dicing.asking(live, Asked(witness, passed)))
        return Outcome(asked, (WitnessAsked(witness, live.dice.rolls + 1),))
    rolled, dice = dicing.committed(live)
    outcome = act(state, course.Roll(dice), world, rolled)
    if live.dice.kind == "committed":
        return outcome
    alone = Witnessed(live.dice.rolls + 1, None, None, None)
    return replace(outcome, events=(alone, *outcome.events))


def act(
    state: RoomState, action: course.Action, world: World, rolled: LiveGame | None = None
) -> Outcome:
    """Apply an action of the rules to the running game, ``rolled`` if its dice have been.

    Raises ``Refused``.
    """
    position, live = _running(state), rolled or state.game
    assert live is not None
    try:
        after, event = course.apply(position, action)
    except RulesError as error:
        raise Refused(ErrorCode.NOT_ALLOWED, str(error)) from error
    live = replace(live, course=live.course + course.notation(action))
    told = event_of(event)
    if after.turn == position.turn and after.phase is not game.Phase.OVER:
        return Outcome(replace(state, position=after, game=live), (told,), is_move=True)
    now = world.now()
    live = dicing.asking(_with_turn_end(live, now), None)
    state = replace(state, position=after, game=live)
    if after.phase is not game.Phase.OVER:
        return Outcome(state, (told,), is_move=True)
    result = Result(game=live.id, winner=after.winner, turns=after.turn, abandoned=False)
    return _ended(state, (told, Finished(live.id, after.winner, after.turn)), result, now)


def is_in_game(state: RoomState, seat: int | None) -> bool:
    """Whether this seat still plays in a running game."""
    position = state.position
    return (
        seat is not None
        and position is not None
        and state.playing
        and seat not in position.resigned
    )


def resign(state: RoomState, seat: int, world: World) -> Outcome:
    """Take a seat out of the running game."""
    return act(state, course.Resign(seat), world)


def abandon(state: RoomState, now: datetime) -> Outcome:
    """Give the running game up for all; it counts for nobody."""
    position, live = _running(state), state.game
    assert live is not None
    result = Result(game=live.id, winner=None, turns=position.turn, abandoned=True)
    return _ended(state, (Abandoned(live.id, position.turn),), result, now)


def set_autopilot(state: RoomState, person: Person, seat: int, kind: str | None) -> Outcome:
    """Give a person's seat to a computer player, or take it back. Raises ``Refused``.

    A game in which somebody does so before their first roll is not rated.
    """
    if kind is not None:
        check_kind(kind)
    _running(state)
    held = state.seats[seat]
    assert held is not None
    if held.autopilot == kind:
        return Outcome(state, ())
    assisted = held.assisted or kind is not None
    live = state.game
    assert live is not None
    if kind is not None and not _has_rolled(live, seat):
        state = replace(state, game=replace(live, rated=False))
    changed = state.with_seat(
        seat, replace(held, autopilot=kind, relief=None, overruns=0, assisted=assisted)
    )
    return Outcome(changed, (AutopilotSet(person.name, seat, kind),))


def _fresh(seat: SeatState, options: GameOptions) -> SeatState:
    """A seat at the beginning of a game."""
    timed = options.bank_seconds and seat.bot is None
    bank = float(options.bank_seconds) if timed else None
    return replace(seat, autopilot=None, relief=None, overruns=0, bank=bank, assisted=False)


def _has_rolled(live: LiveGame, seat: int) -> bool:
    rolls = (game.Rolled, game.Busted)
    return any(
        isinstance(event, rolls) and event.seat == seat
        for _, event in course.replay(live.setup, live.course)
    )


def _is_rated(state: RoomState, live: LiveGame, winner: int | None) -> bool:
    """A computer that somebody asked to play for them wins no rating, and saves none."""
    victor = None if winner is None else state.seats[winner]
    return (
        live.rated and settled(state.options).rated and not (victor is not None and victor.assisted)
    )


def _with_turn_end(live: LiveGame, now: datetime) -> LiveGame:
    """The game with another turn's end, never before the last one: clocks are set back."""
    last = live.turn_ends[-1] if live.turn_ends else 0.0
    seconds = round((now - live.started_at).total_seconds(), 1)
    return replace(live, turn_ends=(*live.turn_ends, max(last, seconds)))


def _running(state: RoomState) -> Game:
    if state.position is None or not state.playing:
        text = "the game is over" if state.game else "the game has not begun"
        raise Refused(ErrorCode.NOT_ALLOWED, text)
    return state.position


def event_of(event: game.Event) -> AnyEvent:
    """What the rules say has happened, as the wire tells it."""
    if isinstance(event, game.Rolled):
        return Rolled(event.seat, event.dice, event.options)
    if isinstance(event, game.Advanced):
        return Advanced(event.seat, event.columns, columns(event.runners))
    if isinstance(event, game.Stopped):
        return Stopped(event.seat, columns(event.kept), event.claimed)
    if isinstance(event, game.Busted):
        pairs = tuple(dict.fromkeys(pairings(event.dice)))
        return Busted(event.seat, event.dice, columns(event.lost), pairs)
    return Resigned(event.seat)


def _ended(
    state: RoomState, events: tuple[AnyEvent, ...], result: Result, now: datetime
) -> Outcome:
    live, position = state.game, state.position
    assert live is not None
    assert position is not None
    reveal = dicing.revealed(state, result)
    if reveal is not None:
        events = (*events, reveal)
        live = replace(live, dice=None)
    archive = ArchivedGame(
        id=live.id,
        status="abandoned" if result.abandoned else "finished",
        setup=live.setup,
        course=live.course,
        started_at=live.started_at,
        ended_at=now,
        winner=result.winner,
        turns=result.turns,
        seats=tuple(_archived(seat, i, position) for i, seat in enumerate(state.seats) if seat),
        rated=_is_rated(state, live, result.winner),
        turn_ends=live.turn_ends,
        proof=None if reveal is None else reveal.proof,
    )
    return Outcome(replace(state, game=replace(live, result=result)), events, archive)


def _archived(seat: SeatState, index: int, position: Game) -> ArchivedSeat:
    return ArchivedSeat(
        name=seat.name,
        player=seat.player,
        bot=seat.bot,
        columns=game.score(position, index),
        resigned=index in position.resigned,
    )
