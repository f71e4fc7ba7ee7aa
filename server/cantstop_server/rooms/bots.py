"""How a computer player's decision comes about, also when it cannot decide."""

from cantstop_server.players.registry import THINKING_KINDS, make_player
from cantstop_server.rules import course
from cantstop_server.rules.game import Game, Phase


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
