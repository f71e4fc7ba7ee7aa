"""Events in words: one line each, the speaker first. Pure; all texts have passed the gate."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, assert_never

from cantstop_client.glyphs import UNICODE, Glyphs, letter
from cantstop_client.view import News
from cantstop_protocol.events import (
    Abandoned,
    Advanced,
    AutopilotSet,
    Away,
    Back,
    BotAdded,
    BotFailed,
    BotRemoved,
    Busted,
    Chatted,
    Configured,
    Contributed,
    Created,
    CreatorChanged,
    Finished,
    Joined,
    Kicked,
    Left,
    LockSet,
    RematchAccepted,
    Resigned,
    Revealed,
    Rolled,
    SeatsSwapped,
    SpectatorChatSet,
    Started,
    Stopped,
    TimeUp,
    TimeWarning,
    Unrecognised,
    WitnessAsked,
    Witnessed,
)
from cantstop_protocol.table import Columns, Dice, GameOptions, Table

FIRST_COLUMN: Final = 2
ALL_ROLLS: Final = 1296

_ABSENCE: Final = {
    "autopilot": "",
    "wait": ", absent players are waited for",
    "forfeit": ", absent players forfeit",
}


def event_line(news: News, table: Table, glyphs: Glyphs = UNICODE) -> str:
    """The event as a line, empty for what needs none.

    ``table`` names the seats; the news' own table gives exact steps.
    """
    event = news.event
    match event:
        case Created(name):
            return f"{named(name)} opens the room"
        case Joined(name, None):
            return f"{named(name)} watches"
        case Joined(name, seat):
            return f"{named(name)} sits down as {letter(seat)}"
        case Left(name, None):
            return f"{named(name)} no longer watches"
        case Left(name, _):
            return f"{named(name)} leaves the room"
        case Away(name, _):
            return f"{named(name)} is away: the connection is gone, the seat is held"
        case Back(name, _):
            return f"{named(name)} is back"
        case CreatorChanged(name):
            return f"{named(name)} has charge of the room now"
        case Configured(name, options):
            return f"{named(name)} sets what is played: {options_in_words(options)}"
        case BotAdded(name, seat, kind):
            return f"{named(name)} sits down as {letter(seat)}: a computer player, {kind}"
        case BotRemoved(name, _):
            return f"{named(name)} gets up: the seat is free"
        case AutopilotSet(name, _, None):
            return f"{named(name)} plays again without a computer"
        case AutopilotSet(name, _, kind):
            return f"{named(name)} lets a computer play the seat: {kind}"
        case Chatted(name, _, text):
            return f"{named(name)}: {text}"
        case Started(_, options, names, first, draw):
            players = ", ".join(f"{named(name)} ({letter(i)})" for i, name in enumerate(names))
            opener = named(names[first]) if first < len(names) else letter(first)
            drawn = ", ".join(f"{letter(seat)} {total}" for seat, total in draw)
            opening = f"The draw: {drawn}. {opener}" if drawn else opener
            return f"{players}: the game begins. {options_in_words(options)}. {opening} rolls first"
        case Rolled(seat, dice, _):
            return f"{seat_name(table, seat)} rolls {dice_in_words(dice)}"
        case Busted(seat, dice, lost, pairings):
            loss = _loss(lost, _markers(news.table, seat))
            dead = ", ".join(f"{a}+{b}" for a, b in pairings)
            roll = f"{dice_in_words(dice)} ({dead})" if dead else dice_in_words(dice)
            return f"{seat_name(table, seat)} busts with {roll}: {loss}"
        case Advanced(seat, columns, runners):
            taken = columns_in_words(columns, glyphs)
            places = _places(runners, table.lengths, sorted(set(columns)))
            return f"{seat_name(table, seat)} takes {taken}: {places}"
        case Stopped(seat, kept, claimed):
            places = _places(kept, table.lengths, _used(kept))
            claims = f", and claims {_listed(map(str, claimed))}" if claimed else ""
            return f"{seat_name(table, seat)} stops and keeps {places}{claims}"
        case Resigned(seat):
            return f"{seat_name(table, seat)} is out of the game"
        case BotFailed(seat):
            return f"{seat_name(table, seat)} could not decide: a plain choice was made"
        case Finished(_, None, turns):
            return f"The game is over after {_turns(turns)}: nobody has won"
        case Finished(_, winner, turns):
            return f"{seat_name(table, winner)} wins the game after {_turns(turns)}"
        case Abandoned(_, turns):
            return f"The game is abandoned after {_turns(turns)}: it counts for nobody"
        case SeatsSwapped(name, (one, other)):
            return f"{named(name)} lets {letter(one)} and {letter(other)} change places"
        case Kicked(name, _):
            return f"{named(name)} is put out of the room"
        case LockSet(name, locked):
            newcomers = "nobody new comes in" if locked else "newcomers are welcome"
            return f"{named(name)} {'locks' if locked else 'opens'} the room: {newcomers}"
        case SpectatorChatSet(name, mode):
            return f"{named(name)} sets the chat of those who watch: {mode}"
        case RematchAccepted(name, _):
            return f"{named(name)} wants another game: /rematch agrees"
        case TimeWarning(seat, seconds):
            return f"{seat_name(table, seat)} has {seconds} seconds left"
        case TimeUp(seat):
            return f"{seat_name(table, seat)} has run out of time: the safe thing is done"
        case WitnessAsked(seat, _):
            return waiting_for_witness(table, seat)
        case Witnessed(roll, None, _, _):
            return f"Nobody can witness roll {roll}: it is of the committed kind"
        case Contributed() | Witnessed() | Revealed():
            return ""
        case Unrecognised(kind):
            return f"Something happened that this version cannot tell: {kind}"
        case _:
            assert_never(event)


def waiting_for_witness(table: Table, seat: int) -> str:
    """What a roll waits for."""
    return f"Waiting for {seat_name(table, seat)}'s client to witness the roll"


def named(name: str) -> str:
    """A name, or a stand-in if nothing of it can be shown."""
    return name or "(no name)"


def seat_name(table: Table, seat: int | None) -> str:
    """Who sits there."""
    if seat is None:
        return "Nobody"
    who = table.seats[seat] if 0 <= seat < len(table.seats) else None
    return f"Seat {letter(seat)}" if who is None else named(who.name)


def dice_in_words(dice: Dice) -> str:
    return " ".join(map(str, dice))


def columns_in_words(columns: Sequence[int], glyphs: Glyphs) -> str:
    """``7 + 11``, ``6``, or ``9 x2`` for a double."""
    if len(columns) == 2 and columns[0] == columns[1]:
        return f"{columns[0]} {glyphs.times}2"
    return " + ".join(map(str, columns))


def chance_in_words(busting_rolls: int) -> str:
    """The chance of a bust, rounded and exact: ``13.6 % (11/81)``."""
    exact = Fraction(busting_rolls, ALL_ROLLS)
    if exact.denominator == 1:
        return f"{exact * 100} %"
    return f"{float(exact * 100):.1f} % ({exact})"


def options_in_words(options: GameOptions) -> str:
    """What is played."""
    seats = "solitaire" if options.seats == 1 else f"{options.seats} seats"
    columns = "1 column wins" if options.target == 1 else f"{options.target} columns win"
    dead = ", dead markers stay" if options.dead_markers == "kept" else ""
    dice = ", witnessed dice" if options.dice == "witnessed" else ""
    rest = f"{_clock_in_words(options)}{_ABSENCE[options.absence]}{_weight_in_words(options)}"
    return f"{seats}, {columns}{dead}{rest}{dice}"


def _weight_in_words(options: GameOptions) -> str:
    """Whether it counts for the ratings, which solitaire never does."""
    hints = ", hints" if options.hints else ""
    if options.seats == 1:
        return hints
    return f"{', rated' if options.rated else ', casual'}{hints}"


def _clock_in_words(options: GameOptions) -> str:
    parts = []
    if options.decision_seconds:
        parts.append(f"{options.decision_seconds} s a decision")
    if options.bank_seconds:
        parts.append(f"a bank of {options.bank_seconds} s")
        if options.increment_seconds:
            parts.append(f"{options.increment_seconds} s more with each turn")
    return f", {_listed(parts)}" if parts else ""


def _loss(lost: Columns, markers: Columns | None) -> str:
    parts = []
    for column in _used(lost):
        if markers is None:
            parts.append(str(column))
        else:
            steps = lost[column - FIRST_COLUMN] - markers[column - FIRST_COLUMN]
            parts.append(f"{column} ({steps} {'step' if steps == 1 else 'steps'})")
    return f"loses {_listed(parts)}" if parts else "nothing to lose"


def _places(steps: Columns, lengths: Columns, columns: Iterable[int]) -> str:
    return _listed(
        f"{column} at {steps[column - FIRST_COLUMN]} of {lengths[column - FIRST_COLUMN]}"
        for column in columns
    )


def _used(steps: Columns) -> list[int]:
    return [column for column, step in enumerate(steps, FIRST_COLUMN) if step]


def _markers(table: Table | None, seat: int) -> Columns | None:
    if table is None or not 0 <= seat < len(table.seats):
        return None
    who = table.seats[seat]
    return None if who is None else who.markers


def _listed(parts: Iterable[str]) -> str:
    *firsts, last = list(parts) or ["nothing"]
    return f"{', '.join(firsts)} and {last}" if firsts else last


def _turns(turns: int) -> str:
    return "1 turn" if turns == 1 else f"{turns} turns"
