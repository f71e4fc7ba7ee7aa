"""Witnessed rolls: the word of the witness, what is done without it, and when it cannot come."""

from msgspec.structs import replace

from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import Witness
from cantstop_protocol.events import Witnessed
from cantstop_server.rooms import dicing, play
from cantstop_server.rooms.outcome import Outcome, World
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.state import RoomState
from cantstop_server.rules import course


def answer(state: RoomState, seat: int, command: Witness, world: World) -> Outcome:
    """The roll that waited, with the word of its witness; the next is asked if there is none.

    Raises ``Refused`` for an answer to anything else, and for a link that is not the one for this
    roll.
    """
    live, asked = state.game, dicing.asked_of(state)
    if live is None or live.dice is None or asked is None or asked.witness != seat:
        raise Refused(ErrorCode.STALE, "no roll waits for you to witness it")
    number = live.dice.rolls + 1
    if (command.game, command.roll) != (live.id, number):
        raise Refused(ErrorCode.STALE, f"it is roll {number} of game {live.id} that waits for you")
    if command.link is None:
        unable = dicing.missed(live, seat, dicing.MISSES_TO_PASS)
        return _next(replace(state, game=unable), world)
    rolled, dice, server = dicing.witnessed(live, bytes.fromhex(command.link))
    outcome = play.act(replace(state, game=rolled), course.Roll(dice), world)
    told = Witnessed(number, seat, command.link, server.hex())
    return replace(outcome, events=(told, *outcome.events))


def pass_on(state: RoomState, world: World) -> Outcome:
    """The witness did not answer in time: the next is asked, or the roll is made without."""
    live, asked = state.game, dicing.asked_of(state)
    assert live is not None
    assert asked is not None
    return _next(replace(state, game=dicing.missed(live, asked.witness, 1)), world)


def settled(before: RoomState, outcome: Outcome, world: World) -> Outcome:
    """The step with what has to follow it at once, whatever it was. A move needs none of it.

    A room without a game has dice for the next one, and a roll does not wait for a witness who has
    just gone.
    """
    state = dicing.promised(outcome.state, world)
    outcome = outcome.leading_to(state)
    asked, live = dicing.asked_of(state), state.game
    if asked is None or live is None or live.dice is None:
        return outcome
    gone = not dicing.can_witness(state, live.dice, asked.witness)
    was_there = dicing.asked_of(before) != asked or dicing.can_witness(
        before, live.dice, asked.witness
    )
    if not (gone and was_there):
        return outcome
    following = _next(state, world)
    return replace(
        outcome,
        state=dicing.promised(following.state, world),
        events=(*outcome.events, *following.events),
        archive=following.archive or outcome.archive,
    )


def _next(state: RoomState, world: World) -> Outcome:
    asked = dicing.asked_of(state)
    assert asked is not None
    return play.roll_or_ask(state, (*asked.passed, asked.witness), world)
