"""What is on the table beside the board, as lines of text. Pure."""

from collections.abc import Iterable
from itertools import groupby

from cantstop_client.glyphs import Glyphs, letter
from cantstop_client.intents import Move
from cantstop_client.view import RoomView, View
from cantstop_client.wording import (
    chance_in_words,
    columns_in_words,
    dice_in_words,
    named,
    options_in_words,
    seat_name,
    waiting_for_witness,
)
from cantstop_protocol.commands import Choose, Stop
from cantstop_protocol.messages import Alternative
from cantstop_protocol.table import RoomSummary, Table, Turn


def decision_lines(room: RoomView, glyphs: Glyphs, called: str = "") -> list[str]:
    """The pending decision: for who has to make it, with all that may be done.

    ``called`` is the name to call the person by, where several share a keyboard.
    """
    turn = room.turn
    if turn is None:
        return []
    if not room.is_mine:
        if turn.decision != "roll_or_stop":
            return []
        return [f"{seat_name(room.table, turn.seat)} rolls or stops: {odds_in_words(turn)}"]
    time = "" if turn.seconds_left is None else f"; {turn.seconds_left:.0f} s"
    you = f"{called}, you" if called else "You"
    if turn.decision == "roll":
        return [f"{you}r turn {turn.number}: r to roll; {odds_in_words(turn)}{time}"]
    if turn.decision == "roll_or_stop":
        return [f"{you}: r to roll again, s to stop; {odds_in_words(turn)}{time}"]
    count = len(turn.options)
    numbers = "1" if count == 1 else f"1 to {count}"
    dice = dice_in_words(turn.dice) if turn.dice else "the dice"
    return [*option_lines(turn, glyphs), f"{you}: {numbers} to choose how to use {dice}{time}"]


def option_lines(turn: Turn, glyphs: Glyphs) -> list[str]:
    """The numbered options, each with what it would lead to."""
    names = [columns_in_words(option.columns, glyphs) for option in turn.options]
    chances = [chance_in_words(option.busting_rolls) for option in turn.options]
    wide = max(map(len, names), default=0)
    wide_chance = max(map(len, chances), default=0)
    return [
        f"{number}) {name:<{wide}}   bust after {chance:<{wide_chance}}   count {option.rule_of_28}"
        for number, (name, chance, option) in enumerate(
            zip(names, chances, turn.options, strict=True), start=1
        )
    ]


def odds_in_words(turn: Turn) -> str:
    """The chance that the next roll busts, and the Rule of 28 count."""
    return f"bust {chance_in_words(turn.busting_rolls)}, count {turn.rule_of_28}"


def odds_lines(room: RoomView, glyphs: Glyphs) -> list[str]:
    """What ``/odds`` says of the position as it stands."""
    turn = room.turn
    if turn is None:
        return ["No game is running"]
    whose = f"{seat_name(room.table, turn.seat)}, turn {turn.number}"
    if turn.decision == "choose":
        dice = dice_in_words(turn.dice) if turn.dice else "dice"
        return [f"{whose}: {dice} can be used as", *option_lines(turn, glyphs)]
    return [
        f"{whose}: {odds_in_words(turn)}",
        "The count is the Rule of 28: with three runners out, stop at 28 or more",
    ]


def who_lines(room: RoomView) -> list[str]:
    """Who sits here and who watches."""
    table = room.table
    lines = [f"{letter(seat)} {_seat(table, seat, room.seat)}" for seat in range(len(table.seats))]
    if table.spectators:
        lines.append(f"Watching: {', '.join(map(named, table.spectators))}")
    return lines


def room_lines(room: RoomView) -> list[str]:
    """What kind of room this is."""
    table = room.table
    title = f" ({table.title})" if table.title else ""
    private = ", with a password" if table.private else ""
    private += ", locked" if table.locked else ""
    return [f"Room {table.room}{title}: {options_in_words(table.options)}{private}"]


def waiting_lines(view: View) -> list[str]:
    """What is to be done while no game is running."""
    room = view.room
    if room is None or room.table.phase == "playing":
        return []
    if room.table.creator != view.name:
        if room.table.phase == "over" and room.seat is not None:
            return ["/rematch agrees to another game, /quit leaves"]
        creator = room.table.creator
        return [] if creator is None else [f"Waiting for {named(creator)} to start the game"]
    free = [seat for seat in room.table.seats if seat is None or seat.left]
    if free:
        kinds = f" ({', '.join(_shortened(view.bots))})" if view.bots else ""
        return [
            f"{_free(len(free))}: /bot KIND{kinds} seats a computer player, "
            f"`cantstop join {room.table.room}` a friend"
        ]
    again = "another game" if room.table.phase == "over" else "the game"
    return [f"/start begins {again}, /quit leaves"]


def _shortened(kinds: Iterable[str]) -> Iterable[str]:
    """The kinds of computer player; those that differ in their number alone as a range."""
    for _, group in groupby(kinds, lambda kind: kind.rstrip("0123456789")):
        alike = list(group)
        yield alike[0] if len(alike) == 1 else f"{alike[0]} to {alike[-1]}"


def rooms_lines(rooms: Iterable[RoomSummary]) -> list[str]:
    """The list of rooms."""
    lines = [_summary(room) for room in rooms]
    return lines or ["No room is open: /create makes one"]


def result_lines(table: Table) -> list[str]:
    """How many columns each seat had at the end of the game."""
    result = table.result
    if result is None:
        return []
    scores = [
        f"{named(who.name)} {table.owners.count(seat)}"
        for seat, who in enumerate(table.seats)
        if who is not None
    ]
    return [f"Columns claimed: {', '.join(scores)}"]


def _seat(table: Table, seat: int, own: int | None) -> str:
    who = table.seats[seat]
    if who is None:
        return "free seat"
    notes = [
        "you" if seat == own else "",
        f"computer player {who.bot}" if who.bot else "",
        f"played by {who.autopilot}" if who.autopilot else "",
        f"{who.bank:.0f} s in the bank" if who.bank is not None else "",
        "wants a rematch" if who.rematch else "",
        "away" if who.away and not who.left else "",
        "left" if who.left else "out of the game" if who.resigned else "",
        "has charge of the room" if who.name == table.creator else "",
    ]
    said = ", ".join(note for note in notes if note)
    return f"{named(who.name)} ({said})" if said else named(who.name)


def _summary(room: RoomSummary) -> str:
    title = f" {room.title}" if room.title else ""
    states = {"waiting": "waiting", "playing": "playing", "over": "game over"}
    who = ", ".join(map(named, room.names)) or "nobody"
    locked = ", password" if room.private else ""
    free = f", {_free(room.free_seats)}" if room.free_seats else ""
    return (
        f"{room.room}{title}: {who}; {states[room.phase]}{free}; "
        f"{options_in_words(room.options)}{locked}"
    )


def _free(count: int) -> str:
    return "1 free seat" if count == 1 else f"{count} free seats"


def hint_lines(alternatives: Iterable[Alternative], turn: Turn, *, solitaire: bool) -> list[str]:
    """What one's alternatives are worth, the best first."""
    lines = ["Hint, as a strong player sees it:"]
    for alternative in alternatives:
        what: str = alternative.action
        if alternative.option is not None and alternative.option <= len(turn.options):
            columns = turn.options[alternative.option - 1].columns
            what = f"{alternative.option}: {' and '.join(map(str, columns))}"
        worth = (
            f"{alternative.value:.2f} turns in all"
            if solitaire
            else f"{100 * alternative.value:.1f} % to win"
        )
        lines.append(f"  {what:<12} {worth}")
    return lines


def unfit_lines(view: View, move: Move) -> list[str]:
    """Why a move cannot be made now, as far as what is in view shows it; empty if it can."""
    room = view.room
    if room is None:
        return ["You are in no room: /rooms lists them, /join CODE enters, /create makes one"]
    turn = room.turn
    if turn is None:
        return ["No game is running", *waiting_lines(view)]
    if room.seat is None:
        return ["You only watch here"]
    if room.is_autopilot:
        return ["A computer plays your seat: /auto off takes it back"]
    if turn.seat != room.seat:
        return [f"It is not your turn: {seat_name(room.table, turn.seat)} plays"]
    if room.witness is not None:
        return [waiting_for_witness(room.table, room.witness)]
    if move.kind is Choose:
        if turn.decision != "choose":
            return ["There is nothing to choose now: r rolls"]
        if move.option is not None and move.option > len(turn.options):
            return [f"There is no option {move.option}: choose from 1 to {len(turn.options)}"]
        return []
    if turn.decision == "choose":
        return [f"First choose how to use the dice: 1 to {len(turn.options)}"]
    if move.kind is Stop and turn.decision == "roll":
        return ["Stopping comes after the first roll of a turn: r rolls"]
    return []
