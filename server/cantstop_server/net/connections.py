"""Who is connected: the newest connection of each person, and the way of frames to them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Protocol

from cantstop_protocol.codes import ByeCode
from cantstop_server.net.frames import wire_frame


class Link(Protocol):
    """A connection as the rest of the server sees it."""

    @property
    def room_code(self) -> str | None: ...

    @property
    def address(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def introduction(self) -> tuple[str, int]: ...

    @property
    def send(self) -> Callable[[bytes], None]: ...

    def hold(self) -> None: ...

    def let_go(self) -> None: ...

    def leave_room(self) -> None: ...

    def dismiss(self, code: ByeCode, message: str) -> None: ...


class Connections:
    """One connection for each person; the newest wins. Serves rooms as their outbox."""

    def __init__(self) -> None:
        self._links: dict[int, Link] = {}
        self._all: set[Link] = set()
        self._addresses: Counter[str] = Counter()
        self._numbers = count(1)

    def __len__(self) -> int:
        return len(self._all)

    def opened(self, link: Link) -> int:
        """A connection is there, of nobody known yet. The number is for the log."""
        self._all.add(link)
        self._addresses[link.address] += 1
        return next(self._numbers)

    def identified(self, player: int, link: Link) -> None:
        """The connection is this person's from now on; an older one is told and closed.

        A hello may arrive after the one that the same client has sent since, on another
        connection: then it is the late one that ends.
        """
        other = self._links.get(player)
        if other is not None and _is_late(link, other):
            link.dismiss(ByeCode.REPLACED, "a newer connection of this client is here already")
            return
        self._links[player] = link
        if other is not None:
            other.dismiss(ByeCode.REPLACED, "you connected from somewhere else: this one ends")

    def closed(self, player: int | None, link: Link) -> None:
        """The connection is gone. If it was replaced before, the newer one is untouched."""
        if link in self._all:
            self._all.discard(link)
            self._addresses -= Counter({link.address: 1})
        if player is not None and self._links.get(player) is link:
            del self._links[player]

    def send(self, room: str, players: Iterable[int], message: bytes) -> None:
        """Send a message to those of these people who are connected and in this room."""
        frame = wire_frame(message)
        for player in players:
            link = self._links.get(player)
            if link is not None and link.room_code == room:
                link.send(frame)

    def hold(self, player: int) -> None:
        """Keep what is sent to this person until ``let_go``: it is one write then."""
        link = self._links.get(player)
        if link is not None:
            link.hold()

    def let_go(self, player: int) -> None:
        """Send what was held."""
        link = self._links.get(player)
        if link is not None:
            link.let_go()

    def connected(self, room: str, player: int) -> bool:
        """Whether this person has a connection that is in this room."""
        link = self._links.get(player)
        return link is not None and link.room_code == room

    def people(self) -> Iterator[tuple[int, Link]]:
        """Everybody who is known and connected, by player id."""
        yield from self._links.items()

    def tell_all(self, message: bytes) -> int:
        """Send a message to everybody who is known and connected: to how many."""
        links = tuple(self._links.values())
        frame = wire_frame(message)
        for link in links:
            link.send(frame)
        return len(links)

    def from_address(self, address: str) -> int:
        """How many connections there are from one address."""
        return self._addresses[address]

    def put_out(self, room: str, player: int) -> None:
        """This person is not in this room any more."""
        link = self._links.get(player)
        if link is not None and link.room_code == room:
            link.leave_room()

    def room_closed(self, room: str) -> None:
        """Nobody is in this room any more."""
        for link in self._all:
            if link.room_code == room:
                link.leave_room()

    def dismiss_all(self, code: ByeCode, message: str) -> None:
        """Tell everyone good-bye and close."""
        for link in tuple(self._all):
            link.dismiss(code, message)


def _is_late(link: Link, other: Link) -> bool:
    """Whether this connection is older than the other one, though it spoke later."""
    (instance, id), (other_instance, other_id) = link.introduction, other.introduction
    return instance == other_instance and id < other_id
