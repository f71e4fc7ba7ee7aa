"""What ``cantstop verify`` says of a game, in words and as plain values."""

from typing import TYPE_CHECKING, Any

from cantstop_protocol.text import visible

if TYPE_CHECKING:
    # For the types alone: nothing of the server is loaded to show what it gave.
    from cantstop_client.local import GameVerdict


def verdict_lines(verdict: "GameVerdict") -> list[str]:
    """The verdict, and what it does and does not prove."""
    dice = verdict.dice
    if verdict.kind is None:
        return [f"Game {verdict.game}: not checked: {dice.fault}"]
    if not verdict.holds:
        where = f" (turn {verdict.turn}, {visible(verdict.player or '')})" if verdict.turn else ""
        drawn = " The rolls for the first seat count, too." if verdict.drawn else ""
        return [f"Game {verdict.game}: FAILS at roll {dice.roll}{where}: {dice.fault}.{drawn}"]
    lines = [f"Game {verdict.game}: all {dice.rolls} rolls follow from the promised seed"]
    if verdict.kind == "witnessed":
        played = dice.rolls - verdict.drawn
        lines.append(f"Witnessed: {dice.witnessed} of the {played} rolls in the game")
    if verdict.idle:
        lines.append(f"Nothing was added by: {', '.join(map(visible, verdict.idle))}")
    return [*lines, _proves(verdict)]


def verdict_as_dict(verdict: "GameVerdict") -> dict[str, Any]:
    """The verdict as plain values that JSON can hold."""
    dice = verdict.dice
    return {
        "game": verdict.game,
        "holds": verdict.holds,
        "kind": verdict.kind,
        "rolls": dice.rolls,
        "drawn": verdict.drawn,
        "witnessed": dice.witnessed,
        "missing": list(verdict.idle),
        "fault": dice.fault or None,
        "roll": dice.roll,
        "turn": verdict.turn,
        "player": verdict.player,
    }


def _proves(verdict: "GameVerdict") -> str:
    if verdict.kind == "witnessed":
        return (
            "In a witnessed roll neither whoever rolled nor whoever ran the server alone could"
            " foresee the dice"
        )
    return (
        "Nobody changed a roll once the game had begun; whoever ran the server could look ahead:"
        " see docs/dice.md"
    )
