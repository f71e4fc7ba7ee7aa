"""A review as text and as plain values."""

from collections.abc import Sequence
from typing import Any, Final

from cantstop_server.coach.review import Account, Decision, Review
from cantstop_server.rules.course import Action, Choose, Resign, Roll, apply, parse_course
from cantstop_server.rules.game import Game, Phase, new_game

_PLOT_ROWS: Final = 10
_PLOT_WIDTH: Final = 64
_UNITS: Final = {1: "turns, negative", 2: "chance to win"}


def review_as_dict(review: Review, names: Sequence[str]) -> dict[str, Any]:
    """A review as plain values that JSON can hold."""
    return {
        "seats": review.setup.seats,
        "target": review.setup.target,
        "finished": review.finished,
        "unit": _UNITS.get(review.setup.seats, "chance against the strongest rival"),
        "players": [
            {
                "name": name,
                "start": account.start,
                "luck": account.luck,
                "skill": account.skill,
                "result": account.result,
                "luck_adjusted": account.adjusted,
                "decisions": account.decisions,
                "average_loss": account.average_loss,
                "mistakes": account.mistakes,
                "blunders": account.blunders,
            }
            for name, account in zip(names, review.accounts, strict=True)
        ],
        "decisions": [
            {
                "turn": decision.turn,
                "seat": decision.seat + 1,
                "alternatives": dict(decision.alternatives),
                "taken": decision.alternatives[decision.taken].label,
                "before": decision.before,
                "after": decision.after,
                "loss": decision.loss,
            }
            for decision in review.decisions
        ],
        "rolls": [
            {
                "turn": throw.turn,
                "seat": throw.seat + 1,
                "dice": list(throw.dice),
                "luck": throw.gain,
                "bust": throw.bust,
            }
            for throw in review.throws
        ],
        "course": [list(values) for values in review.course],
    }


def action_lines(review: Review, course: str, names: Sequence[str]) -> list[str]:
    """A line for each action of the course: the chance before and after it, what the decision
    cost and what was better, and the luck of the roll. Empty where there is nothing to say."""
    decisions, throws = iter(review.decisions), iter(review.throws)
    before: list[float | None] = [account.start for account in review.accounts]
    game = new_game(review.setup)
    lines = []
    for action, values in zip(parse_course(course), review.values, strict=True):
        seat = action.seat if isinstance(action, Resign) else game.seat
        parts = []
        was, now = before[seat], values[seat]
        throw = next(throws) if isinstance(action, Roll) else None
        rivals = len(names) > 2 and game.phase is Phase.ROLL
        if throw and rivals and was is not None and now is not None:
            # Until the turn is solved the last word on this seat is from its own turn before:
            # all that the others have done since is not the luck of this roll.
            was = now - throw.gain
        if was is not None and now is not None:
            parts.append(f"{names[seat]} {_shown(review, was)} -> {_shown(review, now)}")
        if _left_a_choice(game, action):
            parts.append(_judgement(review, next(decisions)))
        if throw:
            parts.append(f"luck {_signed(review, throw.gain)}")
        lines.append("; ".join(parts))
        before = [new if new is not None else old for new, old in zip(values, before, strict=True)]
        game, _ = apply(game, action)
    return lines


def _left_a_choice(game: Game, action: Action) -> bool:
    if isinstance(action, Choose):
        return len(game.options) > 1
    return game.phase is Phase.ROLL_OR_STOP and not isinstance(action, Resign)


def _judgement(review: Review, decision: Decision) -> str:
    taken = decision.alternatives[decision.taken]
    others = [a for a in decision.alternatives if a is not taken]
    best = max(others, key=lambda alternative: alternative.value)
    if decision.loss <= 0:
        return f"{taken.label} is best, {best.label} is {_shown(review, best.value)}"
    cost = _difference(review, decision.loss)
    return f"{taken.label} costs {cost}, {best.label} is {_shown(review, best.value)}"


def review_lines(
    review: Review, names: Sequence[str], worst: int, plot_width: int = _PLOT_WIDTH
) -> list[str]:
    """A review for people: the costliest decisions, the course of the game, and the sums."""
    lines = _decision_lines(review, names, worst)
    if len(review.accounts) == 2:
        lines += ["", *_plot(review, names, plot_width)]
    lines += ["", *_summary(review, names)]
    return lines


def _decision_lines(review: Review, names: Sequence[str], worst: int) -> list[str]:
    costly = sorted((d for d in review.decisions if d.loss > 0), key=lambda d: -d.loss)[:worst]
    if not costly:
        return ["No decision cost anything"]
    lines = [f"The {len(costly)} costliest of {len(review.decisions)} decisions"]
    costly.sort(key=lambda decision: (decision.turn, review.decisions.index(decision)))
    return lines + [_decision_line(review, names, decision) for decision in costly]


def _decision_line(review: Review, names: Sequence[str], decision: Decision) -> str:
    taken = decision.alternatives[decision.taken]
    best = max(decision.alternatives, key=lambda alternative: alternative.value)
    return (
        f"  turn {decision.turn:>3}  {names[decision.seat]}: {taken.label}"
        f" {_shown(review, taken.value)}, better {best.label} {_shown(review, best.value)},"
        f" cost {_difference(review, decision.loss)}"
    )


def _plot(review: Review, names: Sequence[str], width: int) -> list[str]:
    """The first seat's chance over the turns."""
    chances = [values[0] for values in review.course if values[0] is not None]
    step = max(1, -(-len(chances) // width))
    shown = chances[step - 1 :: step]
    lines = [f"Chance of {names[0]} to win, turn by turn"]
    for row in range(_PLOT_ROWS, 0, -1):
        marks = "".join("#" if c * _PLOT_ROWS >= row - 0.5 else " " for c in shown)
        label = f"{100 * row // _PLOT_ROWS:>4} % |"
        lines.append((label + marks).rstrip())
    lines.append("       +" + "-" * len(shown))
    return lines


def _summary(review: Review, names: Sequence[str]) -> list[str]:
    lines = []
    for name, account in zip(names, review.accounts, strict=True):
        if account.start is None:
            lines.append(f"{name}: no turn")
            continue
        lines += [
            f"{name}: {_count(account.decisions, 'decision')},"
            f" {_count(account.mistakes, 'mistake')}, {_count(account.blunders, 'blunder')},"
            f" average loss {_difference(review, account.average_loss)}",
            f"  {_sum(review, account)}; without luck {_shown(review, account.adjusted)}",
        ]
    return lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _sum(review: Review, account: Account) -> str:
    assert account.start is not None
    return (
        f"start {_shown(review, account.start)}, luck {_signed(review, account.luck)}, skill"
        f" {_signed(review, account.skill)}, result {_shown(review, account.result)}"
    )


def _shown(review: Review, value: float) -> str:
    return f"{-value:.2f} turns" if review.setup.seats == 1 else f"{100 * value:.1f} %"


def _difference(review: Review, value: float) -> str:
    return f"{value:.2f} turns" if review.setup.seats == 1 else f"{100 * value:.1f} %"


def _signed(review: Review, value: float) -> str:
    if review.setup.seats == 1:
        return f"{-value:+.2f} turns"
    return f"{100 * value:+.1f} %"
