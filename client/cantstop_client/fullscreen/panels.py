"""The parts beside the board: players, dice and options, odds, clocks. Pure."""

from fractions import Fraction
from typing import Final

from cantstop_client.fullscreen.fragments import (
    Fragment,
    Line,
    ends,
    fitted,
    line,
)
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.scene import Scene
from cantstop_client.glyphs import letter
from cantstop_client.render import waiting_lines
from cantstop_client.view import RoomView
from cantstop_client.widths import cut, wrapped
from cantstop_client.wording import (
    ALL_ROLLS,
    FIRST_COLUMN,
    chance_in_words,
    columns_in_words,
    named,
    seat_name,
)
from cantstop_protocol.table import Dice, Option, Seat, Turn
from cantstop_protocol.text import cells

_WORDY: Final = 48
"""Cells from which on an option says where its runners would stand."""

_ENOUGH: Final = 28
_ROOM_FOR_A_NOTE: Final = 5

_LABELLED: Final = len("Bust after 39.0 % (505/1296)")
"""Cells from which on the chance says of when it is."""

_EXACT: Final = 30
"""Cells from which on an option has its chance as a fraction too."""


def player_lines(scene: Scene, room: RoomView, style: Style, width: int) -> list[Line]:
    """A line for each seat: whose turn, shape, letter, name, columns claimed, and what else."""
    seats = list(enumerate(room.table.seats))
    aligned = max(cells(named(who.name)) if who is not None else 0 for _, who in seats)
    return [
        *(_player(room, seat, who, style, width, aligned) for seat, who in seats),
        *_watching(room, width),
    ]


def players_in_a_row(room: RoomView, style: Style, width: int) -> Line:
    """All seats in one line."""
    share = width // max(1, len(room.table.seats))
    parts: list[Fragment] = []
    for seat, who in enumerate(room.table.seats):
        parts.extend(fitted(_player(room, seat, who, style, share - 1, terse=True), share))
    return tuple(parts)


def _player(
    room: RoomView,
    seat: int,
    who: Seat | None,
    style: Style,
    width: int,
    aligned: int = 0,
    *,
    terse: bool = False,
) -> Line:
    table = room.table
    moves = room.turn is not None and room.turn.seat == seat
    badge = Fragment(
        f"{'>' if moves else ' '}{style.marks.shapes[seat % 4]} {letter(seat)} ", f"seat{seat}"
    )
    if who is None:
        return (badge, Fragment("free seat", "dim"))
    notes = _notes(who, is_own=seat == room.seat)
    weighty = bool(notes) and notes[0] in ("out", "away", "left")
    score = f" {table.owners.count(seat)}/{table.options.target}"
    if terse and weighty:
        # Whoever is not there: that is worth more than the score, which the board shows too.
        score, weighty, notes = f" {notes[0]}", False, notes[1:]
    left = max(4, width - len(badge.text) - len(score))
    name = cut(named(who.name), max(4, left - (len(notes[0]) + 1 if weighty else 0)))
    name += " " * max(0, min(aligned, left - _ROOM_FOR_A_NOTE) - cells(name))
    left -= cells(name)
    parts = [badge, Fragment(name, "bold" if moves else ""), Fragment(score, f"seat{seat}")]
    for note in notes:
        if len(note) + 1 > left:
            break
        parts.append(Fragment(f" {note}", "alarm" if note in ("away", "out", "left") else "dim"))
        left -= len(note) + 1
    return tuple(parts)


def _notes(who: Seat, *, is_own: bool) -> list[str]:
    """What else there is to say of a seat, the weightiest first."""
    notes = []
    if who.resigned:
        notes.append("out")
    elif who.away:
        notes.append("away")
    if who.left:
        notes.append("left")
    if is_own:
        notes.append("you")
    if who.bot and not who.name.startswith(who.bot):
        notes.append(who.bot)
    if who.autopilot:
        notes.append(f"by {who.autopilot}")
    if who.bank is not None:
        notes.append(clock_text(who.bank))
    if who.rematch:
        notes.append("rematch")
    return notes


def _watching(room: RoomView, width: int) -> list[Line]:
    watching = room.table.spectators
    if not watching:
        return []
    return [line(cut(f"   watching: {', '.join(map(named, watching))}", width), "dim")]


def decision_panel(
    scene: Scene, room: RoomView, style: Style, width: int, now: float
) -> list[Line]:
    """The turn as it stands: dice, options, chances, count, clock. Before a game, what to do."""
    turn = room.turn
    if turn is None:
        texts = [part for text in waiting_lines(scene.view) for part in wrapped(text, width)]
        return [line(text) for text in texts]
    mark = (Fragment(" witnessed", "dim"),) if scene.witnessed else ()
    lines: list[Line] = [(*dice_line(scene, room), *mark)]
    lines += option_lines(scene, room, turn, style, width)
    lines += odds_lines(scene, turn, width)
    clock = clock_line(scene, turn, now)
    return [*lines, clock] if clock else lines


def dice_line(scene: Scene, room: RoomView) -> Line:
    """The dice that count now, or those that were rolled last."""
    turn = room.turn
    dice = turn.dice if turn is not None and turn.dice else None
    if dice is not None:
        return (Fragment("Dice ", "dim"), *_dice(dice, "bold"))
    if scene.bust is not None:
        return (Fragment("BUST ", "alarm"), *_dice(scene.bust.dice, "alarm"))
    if scene.dice is not None:
        return (Fragment("Last ", "dim"), *_dice(scene.dice, "dim"))
    return line("Dice [ ] [ ] [ ] [ ]", "dim")


def bust_lines(scene: Scene, room: RoomView, width: int) -> list[Line]:
    """After a bust, until the next roll: whose it was, and the pairs that led nowhere."""
    bust = scene.bust
    if bust is None:
        return []
    one, two, three, four = bust.dice
    pairs = ((one + two, three + four), (one + three, two + four), (one + four, two + three))
    dead = ", ".join(f"{a}+{b}" for a, b in dict.fromkeys(tuple(sorted(p)) for p in pairs))
    who = seat_name(room.table, bust.seat)
    return [line(cut(text, width), "alarm") for text in (f"{who} busts:", f"{dead} are dead")]


def option_lines(scene: Scene, room: RoomView, turn: Turn, style: Style, width: int) -> list[Line]:
    """The numbered options, each with what it would do; the previewed one stands out."""
    if turn.decision != "choose":
        return bust_lines(scene, room, width)
    names = [columns_in_words(option.columns, style.marks.words) for option in turn.options]
    wide = max(5, *map(len, names))
    exact = width >= _EXACT + wide - 3
    fraction = f" {'exactly':<8}" if exact else ""
    lines: list[Line] = [line(f"    {'takes':<{wide}}  bust{fraction} 28", "dim")]
    for index, (name, option) in enumerate(zip(names, turn.options, strict=True)):
        chosen = index == scene.chosen
        parts = [f"{'>' if chosen else ' '}{index + 1}) {name:<{wide}}"]
        parts.append(f" {percent(option.busting_rolls):>5}")
        if exact:
            parts.append(f" {_exact(option.busting_rolls):<8}")
        parts.append(f" {option.rule_of_28:>2}")
        text = "".join(parts)
        if width >= _WORDY:
            text += f"  {_lands(option, turn, room)}"
        role = "chosen" if chosen else ("" if room.is_mine else "dim")
        number = index + 1 if scene.mouse and room.is_mine else None
        lines.append((Fragment(cut(text, width), role, number),))
    return lines


def odds_lines(scene: Scene, turn: Turn, width: int) -> list[Line]:
    """The chance that the next roll busts, and the Rule of 28 count: now, and after the option."""
    option = scene.option
    if turn.decision == "choose" and option is None:
        return []
    rolls = turn.busting_rolls if option is None else option.busting_rolls
    count = turn.rule_of_28 if option is None else option.rule_of_28
    when = "Bust now" if option is None else "Bust after"
    if width < _LABELLED:
        when = "Bust"
    runners = turn.runners if option is None else option.runners
    stop = " stop!" if count >= _ENOUGH and sum(map(bool, runners)) == 3 else ""
    lines = [
        (Fragment(f"{when} ", "dim"), Fragment(chance_in_words(rolls), "bold")),
        (
            Fragment("Rule of 28: ", "dim"),
            Fragment(f"{count}{stop}", "alarm" if stop else "bold"),
        ),
    ]
    return [tuple(fitted(item, width)) for item in lines]


def clock_line(scene: Scene, turn: Turn, now: float) -> Line | None:
    """How long the decision may take yet, counting down; None without a clock."""
    left = seconds_left(scene, turn, now)
    if left is None:
        return None
    return (Fragment("Clock ", "dim"), Fragment(clock_text(left), "alarm" if left < 10 else "bold"))


def seconds_left(scene: Scene, turn: Turn, now: float) -> float | None:
    """What is left for the decision; never below zero."""
    if turn.seconds_left is None:
        return None
    return max(0.0, turn.seconds_left - max(0.0, now - scene.since))


def clock_text(seconds: float) -> str:
    """``1:05``; a second that has begun counts."""
    whole = int(seconds) if seconds == int(seconds) else int(seconds) + 1
    return f"{whole // 60}:{whole % 60:02}"


def percent(busting_rolls: int) -> str:
    """``8.0%``, and 0% where it is exactly that."""
    if busting_rolls in (0, ALL_ROLLS):
        return "100%" if busting_rolls else "0%"
    return f"{busting_rolls * 100 / ALL_ROLLS:.1f}%"


def summary_line(scene: Scene, room: RoomView, width: int, now: float) -> Line:
    """Dice, chance, count and clock in one line."""
    turn = room.turn
    if turn is None:
        return ()
    option = scene.option
    rolls = turn.busting_rolls if option is None else option.busting_rolls
    count = turn.rule_of_28 if option is None else option.rule_of_28
    parts: list[Fragment] = [*dice_line(scene, room)]
    if turn.decision != "choose" or option is not None:
        parts += [Fragment("  Bust ", "dim"), Fragment(chance_in_words(rolls), "bold")]
        parts += [Fragment("  28: ", "dim"), Fragment(str(count), "bold")]
    clock = clock_line(scene, turn, now)
    return ends(tuple(parts), (Fragment(" "), *clock[1:]) if clock else (), width)


def _exact(busting_rolls: int) -> str:
    exact = Fraction(busting_rolls, ALL_ROLLS)
    return "" if exact.denominator == 1 else str(exact)


def _lands(option: Option, turn: Turn, room: RoomView) -> str:
    """Where the option brings its runners."""
    places = []
    for column in sorted(set(option.columns)):
        index = column - FIRST_COLUMN
        step, length = option.runners[index], room.table.lengths[index]
        places.append(f"{column} on top" if step == length else f"{column} at {step}/{length}")
    return ", ".join(places)


def _dice(dice: Dice, role: str) -> Line:
    return (Fragment(" ".join(f"[{die}]" for die in dice), role),)
