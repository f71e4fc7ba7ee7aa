"""Several people at one keyboard: a session for each, one face for whoever's turn it is.

A server knows people by name, and the names of one keyboard share that client's token: so each has
a record of their own, and it is the same one when somebody of them plays alone.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from msgspec import structs

from cantstop_client.errors import ClientError
from cantstop_client.happenings import Ended, Happening
from cantstop_client.plain_screen import PlainScreen
from cantstop_client.session import Session
from cantstop_protocol.commands import (
    Autopilot,
    Chat,
    Choose,
    Command,
    GetStats,
    Leave,
    Rematch,
    Resign,
    Roll,
    Stop,
)
from cantstop_protocol.messages import Entered, Update, Welcome
from cantstop_protocol.table import Table
from cantstop_protocol.text import BadText, clean_name, name_key

_OF_WHOSE_TURN: Final = (Roll, Choose, Stop, Autopilot, Chat, Resign, GetStats)
_OF_ALL: Final = (Leave, Rematch)


def read_people(text: str) -> tuple[str, ...]:
    """The names in ``--people``. Raises ``ClientError``."""
    try:
        names = tuple(clean_name(part) for part in text.split(","))
    except BadText as error:
        raise ClientError(f"--people: {error}") from error
    if len({name_key(name) for name in names}) < len(names):
        raise ClientError("--people: two people need two names")
    return names


class HotSeat:
    """Shows the table as the person sees it who is to move; the first one's session tells.

    The screen's own name is that person's, so that it is always one's own turn here when it is
    the turn of anybody here.
    """

    def __init__(self, screen: PlainScreen, names: Sequence[str]) -> None:
        self._screen = screen
        self._first = names[0]
        self._people = frozenset(map(name_key, names))

    def listen(self, happening: Happening) -> None:
        """Take in what the first person's session tells."""
        if isinstance(happening, Welcome):
            self._first = happening.name
        elif isinstance(happening, Update | Entered):
            self._face(happening.table)
            if isinstance(happening, Entered):
                happening = seated_as(happening, self.name)
        self._screen.listen(happening)

    @property
    def name(self) -> str:
        """Who is at the keyboard."""
        return self._screen.view.name

    def _face(self, table: Table) -> None:
        """Turn to the person who is to move, between games to the one in charge of the room."""
        seat = None if table.turn is None else table.seats[table.turn.seat]
        if seat is None:
            name = self._first
        elif seat.bot is None and name_key(seat.name) in self._people:
            name = seat.name
        else:
            # A computer player moves: who was at the keyboard stays.
            return
        self._screen.view = replace(self._screen.view, name=name)


def seated_as(entered: Entered, name: str) -> Entered:
    """The reply as the person of this name would have had it."""
    for index, seat in enumerate(entered.table.seats):
        if seat is not None and seat.bot is None and seat.name == name:
            return structs.replace(entered, seat=index)
    return entered


class SharedSession:
    """The people's sessions as one: a request goes out from whom it is of.

    ``who`` names the person at the keyboard.
    """

    def __init__(self, sessions: Mapping[str, Session], who: Callable[[], str]) -> None:
        self._sessions = {name_key(name): session for name, session in sessions.items()}
        self._who = who

    async def request(
        self, kind: type[Command], numbered: Callable[[int], None] | None = None, /, **fields: Any
    ) -> Any:
        """Ask as the one whose turn it is, as everybody, or as the first."""
        sessions = list(self._sessions.values())
        if kind in _OF_ALL or (kind is Autopilot and fields.get("kind") is None):
            # The first one's session tells what happens, so it goes last.
            for session in sessions[:0:-1]:
                await session.request(kind, **fields)
        elif kind in _OF_WHOSE_TURN:
            return await self._sessions[name_key(self._who())].request(kind, numbered, **fields)
        return await sessions[0].request(kind, numbered, **fields)

    async def wait_ended(self) -> Ended:
        """Wait until any of the sessions is over for good."""
        endings = [asyncio.create_task(one.wait_ended()) for one in self._sessions.values()]
        try:
            done, _ = await asyncio.wait(endings, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            for task in endings:
                task.cancel()
