"""How a computer player's decision comes about, also when it cannot decide."""

import logging
from collections.abc import Callable

from msgspec.structs import replace

from cantstop_protocol.events import AnyEvent, BotFailed
from cantstop_server.players.registry import THINKING_KINDS, make_player
from cantstop_server.rooms import play
from cantstop_server.rooms.outcome import Outcome, World
from cantstop_server.rooms.state import RoomState
from cantstop_server.rules import course
from cantstop_server.rules.game import Game, Phase

log = logging.getLogger(__name__)


def bot_move(
    state: RoomState,
    kind: str,
    world: World,
    decision: Callable[[], course.Action | None] | None = None,
) -> Outcome:
    """What a computer player of this kind does for the seat to move.

    ``decision`` gives what it has decided, if it was asked before. If it cannot decide, the room
    is told and goes on with a plain decision.
    """
    position = state.position
    assert position is not None
    failure: tuple[AnyEvent, ...] = ()
    try:
        action = decide(position, kind) if decision is None else decision()
    except Exception:
        log.exception("computer player failed", extra={"room": state.code, "bot": kind})
        failure = (BotFailed(position.seat),)
        action = plain_decision(position)
    outcome = play.roll(state, world) if action is None else play.act(state, action, world)
    return replace(outcome, events=(*failure, *outcome.events))


def decide(position: Game, kind: str) -> course.Action | None:
    """The action a computer player of this kind takes; None is a roll, whose dice come later."""
    player = make_player(kind)
    if position.phase is Phase.CHOOSE:
        option = player.choose(position)
        if not 0 <= option < len(position.options):
            raise ValueError(f"{kind} chose option {option} of {len(position.options)}")
        return course.Choose(option)
    if position.phase is Phase.ROLL_OR_STOP and player.stop(position):
        return course.Stop()
    return None


def is_thinking(position: Game, kind: str) -> bool:
    """Whether this decision may take so long that the event loop must not wait for it."""
    return kind in THINKING_KINDS and position.phase is not Phase.ROLL


def plain_decision(position: Game) -> course.Action | None:
    """What is done for a computer player that cannot decide: the first option, or a stop."""
    match position.phase:
        case Phase.CHOOSE:
            return course.Choose(0)
        case Phase.ROLL_OR_STOP:
            return course.Stop()
        case _:
            return None
