"""What the host of a running server may do: one row for each action."""

import asyncio
import hmac
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from cantstop_protocol.codec import encode
from cantstop_protocol.codes import ByeCode, ErrorCode, ExitCode
from cantstop_protocol.commands import Admin, AdminAction
from cantstop_protocol.messages import (
    AdminReport,
    Error,
    Greeting,
    Message,
    Notice,
    Ok,
    Presence,
    ServerStatus,
)
from cantstop_protocol.text import BadText, clean_chat, name_key
from cantstop_server.net.connections import Connections, Link
from cantstop_server.rooms.hub import Hub
from cantstop_server.rooms.owner import Reply, RoomOwner
from cantstop_server.rooms.refused import Refused
from cantstop_server.storage.errors import StorageError

log = logging.getLogger(__name__)

MOST_LISTED: Final = 1000
DRAINING: Final = "the server ends when its last game is over: no game begins here any more"


@dataclass(slots=True)
class Health:
    """What is to be known about the state of a server, kept by those who find it out."""

    database: bool = True
    draining: bool = False
    drained: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def trouble(self) -> str:
        """Why nobody should be sent here, empty if there is no reason."""
        if self.draining:
            return "draining"
        return "" if self.database else "the database takes nothing down"


class Administration:
    """The host's hand in a server. With an empty ``token`` it obeys nobody."""

    def __init__(
        self, token: str, hub: Hub, connections: Connections, greeting: Greeting, health: Health
    ) -> None:
        self._token = token.encode()
        self._hub = hub
        self._connections = connections
        self._greeting = greeting
        self._health = health
        self._clock = asyncio.get_running_loop().time
        self._started = self._clock()

    def obey(self, command: Admin, reply: Reply) -> None:
        """Do it and report, once it is durable. Raises ``Refused``."""
        if not self._token or not hmac.compare_digest(command.token.encode(), self._token):
            log.warning("admin refused: wrong token")
            raise Refused(
                ErrorCode.NOT_ADMIN, "this is not the server's admin token: see `cantstop admin -h`"
            )
        log.info("admin", extra={"action": command.action})
        _ACTIONS[command.action](self, command, reply)

    def check_drained(self) -> None:
        """See whether what the drain waits for has come."""
        if self._health.draining and not self._hub.games():
            self._health.drained.set()

    def _report(
        self, command: Admin, *, told: int = 0, listed: AdminAction | None = None
    ) -> AdminReport:
        greeting, connections = self._greeting, self._connections
        people = tuple(connections.people())
        rooms = self._hub.summaries()
        status = ServerStatus(
            name=greeting.name,
            software=greeting.software,
            uptime=int(self._clock() - self._started),
            connections=len(connections),
            players=len(people),
            rooms=len(rooms),
            games=self._hub.games(),
            draining=self._health.draining,
            database=self._health.database,
        )
        return AdminReport(
            re=command.id,
            status=status,
            rooms=rooms[:MOST_LISTED] if listed == "rooms" else (),
            players=tuple(_presence(*entry) for entry in people[:MOST_LISTED])
            if listed == "players"
            else (),
            told=told,
        )

    def _show(self, command: Admin, reply: Reply) -> None:
        reply(self._report(command, listed=command.action))

    def _broadcast(self, command: Admin, reply: Reply) -> None:
        try:
            text = clean_chat(command.text)
        except BadText as error:
            raise Refused(ErrorCode.BAD_TEXT, str(error)) from error
        reply(self._report(command, told=self._tell(f"from the host: {text}")))

    def _drain(self, command: Admin, reply: Reply) -> None:
        told = 0
        if not self._health.draining:
            self._health.draining = True
            told = self._tell(DRAINING)
        reply(self._report(command, told=told))
        self.check_drained()

    def _kick(self, command: Admin, reply: Reply) -> None:
        if command.room:
            owner = self._room(command.room)
            owner.expel(command.name, command.id, self._reporting(command, reply))
            return
        key = name_key(command.name)
        people = (link for _, link in self._connections.people())
        link = next((link for link in people if name_key(link.name) == key), None)
        if link is None:
            raise Refused(
                ErrorCode.NOT_ALLOWED,
                f"nobody called {command.name!r:.40} is connected: see the list of players",
            )
        link.dismiss(ByeCode.KICKED, "the server's host has put you out")
        reply(self._report(command))

    def _close(self, command: Admin, reply: Reply) -> None:
        answer = self._reporting(command, reply)

        def told(error: StorageError | None) -> None:
            if error is None:
                answer(Ok(re=command.id))
            else:
                answer(Error(re=command.id, code=ErrorCode.STORAGE, message=str(error)))

        self._room(command.room).close(
            ExitCode.ROOM_CLOSED, "the server's host has closed the room", told
        )

    def _tell(self, text: str) -> int:
        return self._connections.tell_all(encode(Notice(message=text)))

    def _room(self, code: str) -> RoomOwner:
        owner = self._hub.find(code)
        if owner is None:
            raise Refused(
                ErrorCode.NO_SUCH_ROOM, f"there is no room {code!r}: see the list of rooms"
            )
        return owner

    def _reporting(self, command: Admin, reply: Reply) -> Reply:
        """A room's plain answer as a report."""

        def answer(message: Message) -> None:
            reply(self._report(command) if isinstance(message, Ok) else message)

        return answer


def _presence(player: int, link: Link) -> Presence:
    return Presence(player, link.name, link.room_code, link.address)


_ACTIONS: Final[Mapping[AdminAction, Callable[[Administration, Admin, Reply], None]]] = {
    "broadcast": Administration._broadcast,
    "close": Administration._close,
    "drain": Administration._drain,
    "kick": Administration._kick,
    "players": Administration._show,
    "rooms": Administration._show,
    "status": Administration._show,
}
