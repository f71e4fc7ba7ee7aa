"""What is on the screen: the view, and what is this person's own: scroll, search, open page.

Pure: a scene and a happening give the next scene.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from cantstop_client.glyphs import Glyphs
from cantstop_client.happenings import DiceChecked, Ended, Happening, Lost, Resumed
from cantstop_client.render import result_lines, room_lines
from cantstop_client.view import News, RoomView, View, receive
from cantstop_client.wording import event_line, named
from cantstop_protocol.events import (
    Busted,
    Chatted,
    Finished,
    Rolled,
    Started,
    WitnessAsked,
    Witnessed,
)
from cantstop_protocol.messages import Aside, Entered, Exit, Leaders, Notice, Stats, Update
from cantstop_protocol.past import GameSummary
from cantstop_protocol.table import Dice, Option

PageName = Literal["help", "history", "rules", "odds", "own", "records"]
EntryKind = Literal["event", "chat", "notice"]

LOG_ENTRIES: Final = 1000


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in the log. ``seat`` is whose act it was, if it was a seat's."""

    kind: EntryKind
    text: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class KeyNames:
    """The keys of what can be done with one."""

    roll: str = "r"
    stop: str = "s"
    help: str = "?"


@dataclass(frozen=True, slots=True)
class Trouble:
    """The connection is gone; the next attempt is ``until`` on the clock of the screen."""

    reason: str
    until: float


@dataclass(frozen=True, slots=True)
class Scene:
    """``since`` is when the table came, so that clocks count on from it.

    ``bust`` is set from a bust to the next roll. ``witnessed``: somebody witnessed the last roll.
    ``highlighted`` is the option to preview. ``scroll`` counts the entries of the log,
    ``page_scroll`` the lines of the page, that are passed over. ``find`` is what is searched for,
    ``found`` which of its matches is shown.
    ``caption`` and ``banners`` stand where the room and whose turn it is usually do: of the banners
    the first that fits, in the style of ``banner_role``. ``own_page`` is what the page "own" says.
    ``latency`` is a round trip to the server in seconds. ``mouse``: options can be clicked.
    ``looked_up`` is what the page of records shows, ``games`` are those of the page of history, and
    ``more`` stands below them.
    """

    view: View = field(default_factory=View)
    log: tuple[Entry, ...] = ()
    since: float = 0.0
    dice: Dice | None = None
    bust: Busted | None = None
    witnessed: bool = False
    highlighted: int = 0
    typed: str = ""
    scroll: int = 0
    page: PageName | None = None
    page_scroll: int = 0
    games: tuple[GameSummary, ...] = ()
    more: tuple[str, ...] = ()
    looked_up: Stats | Leaders | None = None
    find: str | None = None
    found: int = 0
    trouble: Trouble | None = None
    latency: float | None = None
    mouse: bool = False
    keys: KeyNames = field(default_factory=KeyNames)
    caption: str = ""
    banners: tuple[str, ...] = ()
    banner_role: str = "notice"
    own_page: tuple[str, ...] = ()

    @property
    def room(self) -> RoomView | None:
        return self.view.room

    @property
    def chosen(self) -> int | None:
        """The index of the option that is previewed: its number is typed, or it is highlighted."""
        room = self.room
        turn = None if room is None else room.turn
        if room is None or turn is None or turn.decision != "choose" or not room.is_mine:
            return None
        typed = self.chosen_by_number
        if typed is not None and typed <= len(turn.options):
            return typed - 1
        return min(self.highlighted, len(turn.options) - 1)

    @property
    def chosen_by_number(self) -> int | None:
        """The number that stands in the line, if that is all that does."""
        typed = self.typed.strip()
        return int(typed) if re.fullmatch("[1-6]", typed) else None

    @property
    def option(self) -> Option | None:
        """The option that is previewed."""
        room, chosen = self.room, self.chosen
        if room is None or room.turn is None or chosen is None:
            return None
        return room.turn.options[chosen]


def listened(
    scene: Scene, happening: Happening, now: float, words: Glyphs
) -> tuple[Scene, tuple[News, ...]]:
    """The scene after what the session tells, and the events that are new with it."""
    before = scene.room
    view, news = receive(scene.view, happening)
    decided = before is None or view.room is None or before.decision != view.room.decision
    scene = replace(scene, view=view, highlighted=0 if decided else scene.highlighted)
    match happening:
        case Entered() if view.room is not None:
            scene = replace(scene, since=now)
            if before is None or before.table.room != view.room.table.room:
                scene = replace(scene, dice=None, bust=None, witnessed=False)
                scene = noted(scene, *room_lines(view.room))
            elif view.room.gap:
                scene = noted(scene, "Some of what happened meanwhile is missing here")
        case Update():
            scene = replace(scene, since=now)
        case Notice(message=message):
            scene = noted(scene, f"Server: {message}")
        case Aside(name=name, text=text):
            scene = added(scene, Entry("chat", f"{named(name)} (watching): {text}"))
        case Exit(room=room, message=message):
            scene = noted(scene, f"You are out of room {room}: {message}")
        case Lost(reason=reason, wait=wait):
            if scene.trouble is None:
                scene = noted(scene, f"Connection lost: {reason}")
            scene = replace(scene, trouble=Trouble(reason, now + wait))
        case Resumed():
            scene = noted(replace(scene, trouble=None), "Connected again")
        case DiceChecked(text=text):
            scene = noted(scene, text)
        case Ended(reason=reason):
            scene = noted(scene, reason[:1].upper() + reason[1:])
    for item in news:
        scene = _told(scene, item, words)
    return scene, news


def added(scene: Scene, *entries: Entry) -> Scene:
    """With entries at the end of the log. Who reads further up stays there."""
    scroll = scene.scroll + len(entries) if scene.scroll else 0
    return replace(scene, log=(*scene.log, *entries)[-LOG_ENTRIES:], scroll=scroll)


def noted(scene: Scene, *texts: str) -> Scene:
    """With lines of our own in the log."""
    return added(scene, *(Entry("notice", text) for text in texts))


def scrolled(scene: Scene, by: int) -> Scene:
    """The open page, or the log, moved: up is positive. The page is bounded where it is drawn."""
    if scene.page is not None:
        return replace(scene, page_scroll=max(0, scene.page_scroll - by))
    return replace(scene, scroll=max(0, min(scene.scroll + by, len(scene.log) - 1)))


def opened(scene: Scene, page: PageName | None) -> Scene:
    """With this page over the table, or with none."""
    return replace(scene, page=page, page_scroll=0)


def sought(scene: Scene, text: str | None, found: int = 0) -> Scene:
    """With the log at the entry that holds the text, ``found`` matches before the last."""
    if not text:
        return replace(scene, find=text, found=0, scroll=0)
    matches = [i for i, entry in enumerate(scene.log) if holds(entry.text, text)]
    if not matches:
        return replace(scene, find=text, found=0, scroll=0)
    found %= len(matches)
    at = matches[-1 - found]
    return replace(scene, find=text, found=found, scroll=len(scene.log) - 1 - at)


def matches_of(scene: Scene) -> int:
    """How many entries hold what is searched for."""
    return sum(holds(entry.text, scene.find) for entry in scene.log) if scene.find else 0


def holds(text: str, wanted: str) -> bool:
    """Whether the text has the wanted one in it, in whatever case."""
    return wanted.casefold() in text.casefold()


def _told(scene: Scene, news: News, words: Glyphs) -> Scene:
    room = scene.room
    if room is None:
        return scene
    event = news.event
    match event:
        case Rolled(dice=dice):
            scene = replace(scene, dice=dice, bust=None)
        case Busted(dice=dice):
            scene = replace(scene, dice=dice, bust=event)
        case Started():
            scene = replace(scene, dice=None, bust=None, witnessed=False)
        case WitnessAsked():
            # The line at the bottom says so for as long as it is so.
            return scene
        case Witnessed(seat=witness):
            scene = replace(scene, witnessed=witness is not None)
    kind: EntryKind = "chat" if isinstance(event, Chatted) else "event"
    seat = getattr(event, "seat", None)
    told = event_line(news, room.table, words)
    if told:
        scene = added(scene, Entry(kind, told, seat))
    return noted(scene, *result_lines(room.table)) if isinstance(event, Finished) else scene
