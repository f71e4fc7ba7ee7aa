"""When to ring, and what the title of the terminal says. Pure."""

import re
from collections.abc import Iterable
from typing import Literal

from cantstop_client.view import News, View
from cantstop_client.wording import seat_name
from cantstop_protocol.events import Chatted

BellChoice = Literal["turn", "mention", "off"]


def rings(choice: BellChoice, before: View, after: View, news: Iterable[News]) -> bool:
    """Whether this is worth a ring: one's turn has come, or somebody said one's name.

    Never for one's own act. ``turn`` rings for both, ``mention`` only for one's name.
    """
    if choice == "off":
        return False
    items = list(news)
    if any(_mentions(item, after.name) for item in items):
        return True
    return choice == "turn" and _turn_has_come(before, after, items)


def title_of(view: View) -> str:
    """What the terminal's title bar says."""
    room = view.room
    if room is None:
        return "Can't Stop"
    if room.is_mine:
        return "YOUR TURN - Can't Stop"
    if room.turn is not None:
        return f"{seat_name(room.table, room.turn.seat)} plays - Can't Stop"
    return f"Room {room.table.room} - Can't Stop"


def mentions(text: str, name: str) -> bool:
    """Whether the name is in the text as a word of its own, in whatever case."""
    if not name:
        return False
    return bool(re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text.casefold()))


def _mentions(news: News, name: str) -> bool:
    event = news.event
    return isinstance(event, Chatted) and event.name != name and mentions(event.text, name)


def _turn_has_come(before: View, after: View, news: list[News]) -> bool:
    room, earlier = after.room, before.room
    if room is None or room.turn is None or not room.is_mine or not news:
        return False
    if earlier is None or earlier.turn is None:
        # Who has charge of the room has just begun the game: that is their own act.
        return room.table.creator != after.name
    was = earlier.turn
    return was.seat != room.turn.seat or (not earlier.is_mine and was.number != room.turn.number)
