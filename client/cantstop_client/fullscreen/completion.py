"""What Tab offers: commands of this moment, their arguments, names. From the command table."""

from collections.abc import Sequence
from typing import Final

from cantstop_client.commands import COMMANDS, OPTION_FIELDS
from cantstop_client.fullscreen.pages import moments
from cantstop_client.questions import FILTERS
from cantstop_client.view import View

_VALUES: Final = {
    "dead": ("removed", "kept"),
    "absence": ("autopilot", "wait", "forfeit"),
    "seats": ("1", "2", "3", "4"),
    "target": ("1", "2", "3", "4", "5"),
    "hints": ("on", "off"),
    "result": ("won", "lost", "finished", "abandoned"),
    "rated": ("on", "off"),
}


def completions(line: str, view: View, rooms: Sequence[str] = ()) -> list[str]:
    """What the last word of the line could become, as whole words."""
    head, _, last = line.rpartition(" ")
    if line.startswith("/") and not line.startswith("//"):
        if not head:
            return [f"/{name} " for name in _commands(view) if name.startswith(last[1:].casefold())]
        found = _arguments(head, last, view, rooms)
    else:
        found = [] if not last.strip("@") else _people(view)
    key = last.casefold()
    return [word for word in dict.fromkeys(found) if word.casefold().startswith(key)]


def _commands(view: View) -> list[str]:
    now = moments(view)
    return [row.name for when in now for row in COMMANDS if row.when == when]


def _arguments(head: str, last: str, view: View, rooms: Sequence[str]) -> list[str]:
    name, *words = head[1:].split()
    row = next((row for row in COMMANDS if row.name == name.casefold()), None)
    if row is None:
        return []
    key, equals, _ = last.partition("=")
    if "=VALUE" in row.arguments:
        if equals:
            return [f"{key}={value}" for value in _VALUES.get(key.casefold(), ())]
        filters = "FILTER=VALUE" in row.arguments
        return [f"{setting}=" for setting in (FILTERS if filters else OPTION_FIELDS)]
    found: list[str] = []
    for part in row.arguments.strip("[]").split(" ")[len(words) :][:1]:
        for word in part.strip("[]").split("|"):
            found += _meant(word, view, rooms)
    if "NAME" in row.arguments and words:
        # A name may be of several words: offer how it goes on.
        begun = " ".join(words).casefold()
        found += [
            person[len(begun) + 1 :]
            for person in _people(view)
            if person.casefold().startswith(f"{begun} ")
        ]
    return found


def _meant(word: str, view: View, rooms: Sequence[str]) -> list[str]:
    """The values of an argument; one that is not in capitals stands for itself."""
    match word:
        case "KIND":
            return list(view.bots)
        case "CODE":
            return [*view.rooms, *rooms]
        case "NAME":
            return _people(view)
        case "SEAT":
            return list("ABCD"[: len(view.room.table.seats)]) if view.room is not None else []
    return [word] if word and word == word.lower() else []


def _people(view: View) -> list[str]:
    room = view.room
    if room is None:
        return []
    seated = [seat.name for seat in room.table.seats if seat is not None]
    return [name for name in (*seated, *room.table.spectators) if name != view.name]
