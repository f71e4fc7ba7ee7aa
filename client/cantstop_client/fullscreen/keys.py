"""The keys, in one table: help is made from it, and what a key does on an empty line. Pure."""

from dataclasses import dataclass
from typing import Final, Literal

from cantstop_client.fullscreen.scene import KeyNames, Scene
from cantstop_client.intents import Move
from cantstop_protocol.commands import Choose, Roll, Stop

Moment = Literal["always", "your turn", "your choice"]


@dataclass(frozen=True, slots=True)
class KeyRow:
    """Keys as a person reads them, what they do, and when."""

    keys: str
    help: str
    when: Moment = "always"


KEYS: Final[tuple[KeyRow, ...]] = (
    KeyRow("{roll}", "Roll", "your turn"),
    KeyRow("{stop}", "Stop, and keep what you have", "your turn"),
    KeyRow("1-6", "Take the option with this number", "your choice"),
    KeyRow("Up Down", "Preview the options on the board", "your choice"),
    KeyRow("{help}", "This page; Esc closes it"),
    KeyRow("Enter", "Send the line; on an empty line, nothing"),
    KeyRow("Tab", "Complete commands, settings and names"),
    KeyRow("Up Down", "Earlier lines (Ctrl-P Ctrl-N during a choice)"),
    KeyRow("PageUp PageDown", "Scroll the log, or the page that is open"),
    KeyRow("Ctrl-F", "Search the log; again, or Enter: further back"),
    KeyRow("Esc", "Close the page, end the search, go to the newest line"),
    KeyRow("Ctrl-C Ctrl-D", "Leave; your seat is held a while"),
)

NUMBERS: Final = ("1", "2", "3", "4", "5", "6")
"""The keys that take an option."""


def acting(names: KeyNames) -> tuple[str, ...]:
    """The keys that act at once when the line is empty."""
    return (names.roll, names.stop, names.help, *NUMBERS)


def move_of(key: str, names: KeyNames) -> Move | None:
    """What a key that acts asks for; None for help."""
    if key == names.roll:
        return Move(Roll)
    if key == names.stop:
        return Move(Stop)
    return Move(Choose, int(key)) if key in NUMBERS else None


def named_keys(row: KeyRow, names: KeyNames) -> str:
    """The keys of the row as this person has them."""
    return row.keys.format(roll=names.roll, stop=names.stop, help=names.help)


def is_now(row: KeyRow, scene: Scene) -> bool:
    """Whether the key does anything at this moment."""
    room = scene.room
    mine = room is not None and room.is_mine and room.turn is not None
    if row.when == "always":
        return True
    if not mine or room is None or room.turn is None:
        return False
    return (room.turn.decision == "choose") is (row.when == "your choice")
