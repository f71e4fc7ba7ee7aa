"""What the coach says in a room."""

from cantstop_protocol.messages import Alternative
from cantstop_server.rules.game import Game, Phase


def hints(position: Game) -> tuple[Alternative, ...]:
    """The alternatives in the pending decision, the best first. Takes long: not on the event loop.

    What it computes with is loaded when it is first asked for.
    """
    from cantstop_server.coach.hint import alternatives, shown_value
    from cantstop_server.players.expert.library import solve
    from cantstop_server.players.expert.solution import key_of

    found = alternatives(position, solve(key_of(position)))
    ranked = sorted(enumerate(found, start=1), key=lambda numbered: -numbered[1].value)
    choosing = position.phase is Phase.CHOOSE
    return tuple(
        Alternative(
            "choose" if choosing else "stop" if alternative.label == "stop" else "roll",
            number if choosing else None,
            shown_value(position, alternative.value),
        )
        for number, alternative in ranked
    )
