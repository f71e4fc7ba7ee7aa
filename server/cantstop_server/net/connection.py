"""One connection: frames in, commands to where they belong, replies and updates out.

Sending never waits for the peer: frames go to the transport's buffer, and a peer whose buffer
passes the bound is cut off.
"""

import asyncio
import hashlib
import hmac
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, TypeAlias

from cantstop_protocol.codec import Malformed, decode_command, encode
from cantstop_protocol.codes import ByeCode, ErrorCode
from cantstop_protocol.commands import (
    Admin,
    Chat,
    Command,
    Create,
    GetGame,
    GetLeaders,
    GetStats,
    Hello,
    Join,
    Leave,
    ListGames,
    ListRooms,
    Rematch,
    Start,
)
from cantstop_protocol.messages import (
    Bye,
    Error,
    Games,
    Greeting,
    Leaders,
    Message,
    Notice,
    Rooms,
    Stats,
    Welcome,
)
from cantstop_protocol.text import BadText, clean_name, name_key
from cantstop_server.config import Limits
from cantstop_server.lookback import listed, query_of
from cantstop_server.net.admin import DRAINING, Administration, Health
from cantstop_server.net.connections import Connections
from cantstop_server.net.frames import wire_frame
from cantstop_server.net.metrics import Metrics
from cantstop_server.net.past_games import PastGames
from cantstop_server.net.rate import TokenBucket
from cantstop_server.net.websocket import WebSocket
from cantstop_server.rooms.hub import Hub
from cantstop_server.rooms.memory import is_repetition
from cantstop_server.rooms.owner import Reply, RoomOwner
from cantstop_server.rooms.password import fits, hash_password
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.seating import check_options, is_bot_name
from cantstop_server.rooms.state import Accepted, Person
from cantstop_server.storage.errors import BadQuestion, NameTaken, StorageError
from cantstop_server.storage.store import Store

log = logging.getLogger(__name__)

_POLICY_VIOLATION: Final = 1008
_GOING_AWAY: Final = 1001
Waiting: TypeAlias = Coroutine[None, None, None]
"""What a command has to wait for, and what is done then."""


@dataclass(slots=True)
class Service:
    """What the connections of a server share. ``closing`` refuses every further command.

    An empty ``password`` asks for none.
    """

    hub: Hub
    store: Store
    connections: Connections
    limits: Limits
    greeting: Greeting
    administration: Administration
    health: Health
    metrics: Metrics
    past_games: PastGames
    password: str = ""
    closing: bool = False


class Connection:
    """The server's side of one client, from the end of the handshake on.

    A command is answered in the call that brings it. The few that have to wait for something
    (``hello``, passwords) stop the reading, and what has arrived behind them waits its turn.
    """

    __slots__ = (
        "_chat",
        "_commands",
        "_dismissed",
        "_game_parts",
        "_held",
        "_hello_id",
        "_hello_timer",
        "_instance",
        "_lists",
        "_lost",
        "_number",
        "_passwords",
        "_person",
        "_refusals",
        "_room",
        "_service",
        "_slow",
        "_websocket",
        "room_code",
        "send",
    )

    def __init__(self, websocket: WebSocket, service: Service) -> None:
        self._websocket = websocket
        self.send: Callable[[bytes], None] = websocket.send
        self._service = service
        self._person: Person | None = None
        self._instance = ""
        self._hello_id = 0
        self._room: RoomOwner | None = None
        self.room_code: str | None = None
        self._dismissed: ByeCode | None = None
        self._held: deque[bytes | str] = deque()
        self._slow: asyncio.Task[None] | None = None
        self._lost = False
        loop = asyncio.get_running_loop()
        limits, clock = service.limits, loop.time
        self._commands = TokenBucket(limits.command_rate, limits.command_burst, clock)
        self._chat = TokenBucket(limits.chat_rate, limits.chat_burst, clock)
        self._lists = TokenBucket(limits.list_rate, limits.list_burst, clock)
        self._game_parts = TokenBucket(limits.game_rate, limits.game_burst, clock)
        self._passwords = TokenBucket(limits.password_rate, limits.password_burst, clock)
        self._refusals = TokenBucket(limits.refusal_rate, limits.refusal_burst, clock)
        self._hello_timer: asyncio.TimerHandle | None = None
        self._number = service.connections.opened(self)
        log.info("connection opened", extra=self._ids() | {"address": self.address})
        self._reply(service.greeting)
        self._await_hello()

    @property
    def name(self) -> str:
        """Who it is, empty before that is known."""
        return self._person.name if self._person else ""

    @property
    def address(self) -> str:
        """Where the peer is, without its port."""
        return self._websocket.address

    @property
    def introduction(self) -> tuple[str, int]:
        """Which run of a client said hello here, and the id of that hello."""
        return self._instance, self._hello_id

    @property
    def _is_over(self) -> bool:
        """Whether whoever it was is gone, or here with another connection by now.

        What was waited for must not have an effect then: the person may have asked for it again,
        and this connection's end would put them out of where they are.
        """
        return self._lost or self._dismissed is not None

    def leave_room(self) -> None:
        """The room is not this connection's any more."""
        self._be_in(None)

    def received(self, message: bytes | str) -> None:
        """Answer a message, or keep it until what came before it is answered."""
        if self._slow is not None:
            self._held.append(message)
        else:
            self._take(message)

    def lost(self, code: int | None) -> None:
        """The connection is gone, for whatever reason."""
        self._lost = True
        self._held.clear()
        self._await_no_hello()
        if self._slow is None:
            self._gone()
        log.info("connection closed", extra=self._ids() | {"close": code, "bye": self._dismissed})

    def hold(self) -> None:
        """Keep what is sent until ``let_go``, so that it is one write."""
        self._websocket.hold()

    def let_go(self) -> None:
        """Send what was held."""
        self._websocket.let_go()

    def stalled(self) -> None:
        """The peer has stopped reading, and so it is cut off."""
        log.warning("connection cut: it does not read", extra=self._ids())
        self._service.metrics.slow_reader()

    def dismiss(self, code: ByeCode, message: str) -> None:
        """Say why, then close. The person's seat is held unless a newer connection has it."""
        if self._dismissed is not None:
            return
        self._dismissed = code
        self._reply(Bye(code=code, message=message))
        self._await_no_hello()
        self._gone()
        close_code = _GOING_AWAY if code is ByeCode.SHUTDOWN else _POLICY_VIOLATION
        self._websocket.close(close_code, code.value)

    def _gone(self) -> None:
        """Let go of the room and the name. Harmless when repeated or late."""
        person, room = self._person, self._room
        self._be_in(None)
        self._service.connections.closed(person.player if person else None, self)
        if room is not None and person is not None:
            room.vanish(person)

    def _ids(self) -> dict[str, object]:
        """What the log calls this connection and whose it is. Never a name."""
        player = self._person.player if self._person else None
        return {"connection": self._number, "player": player}

    def _reply(self, message: Message) -> None:
        self.send(wire_frame(encode(message)))
        if not isinstance(message, Error):
            return
        self._service.metrics.refused(message.code)
        if not self._refusals.take():
            self.dismiss(ByeCode.FLOOD, "too many commands that had to be refused")

    def _refuse(self, id: int | None, code: ErrorCode, message: str) -> None:
        self._reply(Error(re=id, code=code, message=message))

    def _await_hello(self) -> None:
        """The peer's silence counts, not the time that an answer takes here."""
        self._await_no_hello()
        if self._person is None and self._dismissed is None and not self._lost:
            self._hello_timer = asyncio.get_running_loop().call_later(
                self._service.limits.hello_timeout,
                self.dismiss,
                ByeCode.IDLE,
                "no hello came: connect again and say who you are",
            )

    def _await_no_hello(self) -> None:
        if self._hello_timer is not None:
            self._hello_timer.cancel()
            self._hello_timer = None

    def _take(self, message: bytes | str) -> None:
        """Answer a message. Nothing that a client sends gets past here as an exception."""
        if self._dismissed is not None:
            return
        slow = self._try(message)
        if slow is not None:
            self._await_no_hello()
            self._websocket.read_on(False)
            self._slow = asyncio.create_task(self._finish(*slow))
        elif self._person is None:
            self._await_hello()

    def _try(self, message: bytes | str) -> tuple[Command, Waiting] | None:
        """Answer it, or say what has to be waited for."""
        try:
            command = decode_command(message)
        except Malformed as error:
            self._refuse(error.id, ErrorCode.MALFORMED, str(error))
            return None
        self._service.metrics.command(type(command))
        try:
            self._check_rate(command)
            slow = self._obey(command)
        except Exception as error:  # noqa: BLE001 - it is told or logged
            self._refuse_for(command, error)
            return None
        return None if slow is None else (command, slow)

    async def _finish(self, command: Command, slow: Waiting) -> None:
        """Wait for what a command takes, then go on with what has arrived behind it."""
        try:
            await slow
        except Exception as error:  # noqa: BLE001 - it is told or logged
            self._refuse_for(command, error)
        finally:
            self._slow = None
            if self._lost:
                self._gone()
            else:
                self._go_on()

    def _go_on(self) -> None:
        while self._held and self._slow is None:
            self._take(self._held.popleft())
        if self._slow is None:
            self._await_hello()
            self._websocket.read_on(True)

    def _refuse_for(self, command: Command, error: Exception) -> None:
        if isinstance(error, Refused):
            self._refuse(command.id, error.code, error.message)
            return
        log.error(
            "a fault in answering %s", type(command).__name__, extra=self._ids(), exc_info=error
        )
        self._refuse(command.id, ErrorCode.INTERNAL, "a fault in the server: try again")

    def _check_rate(self, command: Command) -> None:
        if self._service.closing:
            raise Refused(ErrorCode.SHUTTING_DOWN, "the server is shutting down")
        if not self._commands.take():
            raise Refused(ErrorCode.TOO_FAST, "too many commands at once: wait a second")
        limited = _LIMITED.get(type(command))
        if limited is not None and not limited[0](self).take():
            raise Refused(ErrorCode.TOO_FAST, limited[1])

    def _obey(self, command: Command) -> Waiting | None:
        """Do what a command says, or give what has to be waited for. Raises ``Refused``."""
        act = _ACTS.get(type(command))
        if act is not None:
            return act(self, command)
        person = self._known_person()
        self._own_room().submit(person, self._instance, command, self._reply)
        return None

    def _known_person(self) -> Person:
        if self._person is None:
            raise Refused(ErrorCode.NOT_IDENTIFIED, "say hello first: who are you?")
        return self._person

    def _administer(self, command: Admin) -> None:
        self._service.administration.obey(command, self._reply)

    def _list(self, command: ListRooms) -> None:
        self._known_person()
        self._reply(Rooms(re=command.id, rooms=self._service.hub.summaries()))

    def _begin(self, command: Start | Rematch) -> None:
        person, room = self._known_person(), self._own_room()
        if not is_repetition(room.state, person, self._instance, command.id):
            self._check_not_draining()
        room.submit(person, self._instance, command, self._reply)

    def _create(self, command: Create) -> Waiting | None:
        person = self._known_person()
        made = self._service.hub.created_by(self._accepted(command))
        self._check_elsewhere(made)
        if made is None:
            self._check_not_draining()
            check_options(command.options)
            if command.password:
                return self._create_with_password(person, command)
        self._open(person, command, None)
        return None

    async def _create_with_password(self, person: Person, command: Create) -> None:
        hashed = await asyncio.to_thread(hash_password, command.password)
        if not self._is_over:
            self._open(person, command, hashed)

    def _open(self, person: Person, command: Create, password: bytes | None) -> None:
        self._be_in(
            self._service.hub.create(
                person, self._instance, command, password, self._entry_reply(None)
            )
        )

    def _join(self, command: Join) -> Waiting | None:
        person = self._known_person()
        room = self._service.hub.find(command.room)
        self._check_elsewhere(room)
        hashed = None if room is None else room.state.password
        if room is not None and hashed is not None and not room.state.is_member(person.player):
            return self._join_with_password(person, command, hashed)
        self._enter(person, command)
        return None

    async def _join_with_password(self, person: Person, command: Join, hashed: bytes) -> None:
        if not command.password:
            raise Refused(ErrorCode.BAD_PASSWORD, "this room asks for a password")
        if not self._passwords.take():
            raise Refused(ErrorCode.TOO_FAST, "too many passwords: wait a few seconds")
        if not await asyncio.to_thread(fits, command.password, hashed):
            raise Refused(ErrorCode.BAD_PASSWORD, "this is not the password of the room")
        if not self._is_over:
            self._enter(person, command)

    def _enter(self, person: Person, command: Join) -> None:
        self._be_in(
            self._service.hub.join(person, self._instance, command, self._entry_reply(self._room))
        )

    def _look_back(self, command: GetStats | GetLeaders) -> Waiting:
        return self._tell_standings(self._known_person(), command)

    async def _tell_standings(self, person: Person, command: GetStats | GetLeaders) -> None:
        store = self._service.store
        try:
            if isinstance(command, GetLeaders):
                rated, solitaire = await store.leaders()
                self._reply(Leaders(re=command.id, rated=rated, solitaire=solitaire))
            else:
                found = await store.stats(command.name or person.name)
                self._reply(Stats(re=command.id, player=found[0] if found else None))
        except StorageError as error:
            raise Refused(ErrorCode.STORAGE, str(error)) from error

    async def _hello(self, command: Hello) -> None:
        if self._person is not None:
            raise Refused(ErrorCode.ALREADY_IDENTIFIED, f"you are {self._person.name} already")
        self._check_password(command.password)
        try:
            name = clean_name(command.name)
        except BadText as error:
            raise Refused(ErrorCode.BAD_NAME, str(error)) from error
        if is_bot_name(name):
            raise Refused(ErrorCode.BAD_NAME, f"{name!r} is a computer player: take another name")
        token_hash = hashlib.sha256(command.token.encode()).digest()
        try:
            identity = await self._service.store.identify(name, name_key(name), token_hash)
        except NameTaken as error:
            raise Refused(
                ErrorCode.NAME_TAKEN,
                f"the name {name} belongs to somebody else here: choose another",
            ) from error
        except StorageError as error:
            raise Refused(ErrorCode.STORAGE, str(error)) from error
        if self._is_over:
            return
        self._person = Person(identity.player, identity.name)
        self._instance, self._hello_id = command.instance, command.id
        self._service.connections.identified(identity.player, self)
        if self._dismissed is not None:
            return
        rooms = self._service.hub.seated_in(identity.player)
        log.info("identified", extra=self._ids())
        self._reply(Welcome(re=command.id, name=identity.name, rooms=rooms))
        if self._service.health.draining:
            self._reply(Notice(message=DRAINING))

    def _list_games(self, command: ListGames) -> Waiting:
        self._known_person()
        return self._tell_games(command)

    async def _tell_games(self, command: ListGames) -> None:
        try:
            page = await self._service.store.history_page(
                query_of(command), limit=command.limit, after=command.after
            )
        except BadQuestion as error:
            raise Refused(ErrorCode.BAD_QUESTION, str(error)) from error
        except StorageError as error:
            raise Refused(ErrorCode.STORAGE, str(error)) from error
        games = listed(page, self._service.hub.playing(), command)
        self._reply(Games(re=command.id, games=games, more=page.next is not None))

    def _get_game(self, command: GetGame) -> Waiting:
        self._known_person()
        return self._tell_game(command)

    async def _tell_game(self, command: GetGame) -> None:
        self._reply(await self._service.past_games.record(command))

    def _check_password(self, given: str) -> None:
        password = self._service.password
        if not password or hmac.compare_digest(given.encode(), password.encode()):
            return
        text = "this is not the server's password" if given else "this server asks for a password"
        raise Refused(ErrorCode.BAD_PASSWORD, text)

    def _check_not_draining(self) -> None:
        if self._service.health.draining:
            raise Refused(ErrorCode.SHUTTING_DOWN, DRAINING)

    def _leave(self, command: Leave) -> None:
        """Out of the room from now on; back in it if that does not become durable."""
        person = self._known_person()
        room = self._service.hub.find(command.room) if command.room else self._own_room()
        if room is None:
            raise Refused(ErrorCode.NOT_IN_ROOM, f"there is no room {command.room!r} any more")
        was_in = self._room is room

        def reply(message: Message) -> None:
            failed = isinstance(message, Error) and was_in and self._room is None
            # Whose entering has failed with it is not in the room either.
            if failed and not self._is_over and room.durable.is_member(person.player):
                self._be_in(room)
            self._reply(message)

        room.submit(person, self._instance, command, reply)
        # A leave that is only repeated has no effect: who has joined again since stays.
        if was_in and not room.state.is_member(person.player):
            self._be_in(None)

    def _be_in(self, room: RoomOwner | None) -> None:
        self._room = room
        self.room_code = None if room is None else room.code

    def _own_room(self) -> RoomOwner:
        if self._room is None:
            raise Refused(ErrorCode.NOT_IN_ROOM, "you are in no room: join or create one")
        return self._room

    def _accepted(self, command: Create) -> Accepted:
        assert self._person is not None
        return Accepted(self._person.player, self._instance, command.id)

    def _check_elsewhere(self, wanted: RoomOwner | None) -> None:
        if self._room is not None and self._room is not wanted:
            raise Refused(
                ErrorCode.ALREADY_IN_ROOM, f"you are in the room {self._room.code}: leave it first"
            )

    def _entry_reply(self, before: RoomOwner | None) -> Reply:
        """The reply of an entry; if it does not become durable one is where one was before."""

        def reply(message: Message) -> None:
            if isinstance(message, Error) and not self._is_over:
                self._be_in(before)
            self._reply(message)

        return reply


_ACTS: Final[Mapping[type[Command], Callable[[Connection, Any], Waiting | None]]] = {
    Hello: Connection._hello,
    Admin: Connection._administer,
    ListRooms: Connection._list,
    ListGames: Connection._list_games,
    GetStats: Connection._look_back,
    GetLeaders: Connection._look_back,
    GetGame: Connection._get_game,
    Create: Connection._create,
    Join: Connection._join,
    Leave: Connection._leave,
    Start: Connection._begin,
    Rematch: Connection._begin,
}
"""What is not for the room alone."""

_OF_LISTS: Final = (
    attrgetter("_lists"),
    "the list was asked for too often: wait a second",
)
_LIMITED: Final[Mapping[type[Command], tuple[Callable[[Connection], TokenBucket], str]]] = {
    Chat: (attrgetter("_chat"), "you chat too fast: wait a few seconds"),
    GetGame: (attrgetter("_game_parts"), "games were asked for too often: wait a second"),
    **dict.fromkeys((ListRooms, ListGames, GetStats, GetLeaders), _OF_LISTS),
}
"""What is long to tell or to look up, or heard by others: it has a rate of its own."""
