"""One connection: frames in, commands to where they belong, replies and updates out.

Sending never waits for the peer: frames go to the transport's buffer, and a peer whose buffer
passes the bound is cut off.
"""

import asyncio
import hashlib
import hmac
import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

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
from cantstop_server.rooms.dispatch import is_repetition
from cantstop_server.rooms.hub import Hub
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
_LISTS: Final = (ListRooms, ListGames, GetStats, GetLeaders)
"""What is long to tell, or to look up: it has a rate of its own."""


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
    """The server's side of one client."""

    def __init__(self, websocket: ServerConnection, service: Service) -> None:
        self._websocket = websocket
        self._service = service
        self._person: Person | None = None
        self._instance = ""
        self._hello_id = 0
        self._room: RoomOwner | None = None
        self._dismissed: ByeCode | None = None
        self._loop = asyncio.get_running_loop()
        self._outgoing: list[bytes] = []
        limits, clock = service.limits, self._loop.time
        self._commands = TokenBucket(limits.command_rate, limits.command_burst, clock)
        self._chat = TokenBucket(limits.chat_rate, limits.chat_burst, clock)
        self._lists = TokenBucket(limits.list_rate, limits.list_burst, clock)
        self._game_parts = TokenBucket(limits.game_rate, limits.game_burst, clock)
        self._passwords = TokenBucket(limits.password_rate, limits.password_burst, clock)
        self._refusals = TokenBucket(limits.refusal_rate, limits.refusal_burst, clock)
        self._closing_task: asyncio.Task[None] | None = None
        self._number = 0

    @property
    def name(self) -> str:
        """Who it is, empty before that is known."""
        return self._person.name if self._person else ""

    @property
    def room_code(self) -> str | None:
        return self._room.code if self._room else None

    @property
    def address(self) -> str:
        """Where the peer is, without its port."""
        return peer_address(self._websocket)

    @property
    def introduction(self) -> tuple[str, int]:
        """Which run of a client said hello here, and the id of that hello."""
        return self._instance, self._hello_id

    def leave_room(self) -> None:
        """The room is not this connection's any more."""
        self._room = None

    async def run(self) -> None:
        """Serve the client until its connection ends, for whatever reason."""
        self._number = self._service.connections.opened(self)
        log.info("connection opened", extra=self._ids() | {"address": self.address})
        try:
            self._reply(self._service.greeting)
            with suppress(ConnectionClosed):
                if await self._identify_in_time():
                    async for frame in self._websocket:
                        await self._take(frame)
        finally:
            self._gone()
            close = {"code": self._websocket.close_code, "bye": self._dismissed}
            log.info("connection closed", extra=self._ids() | close)
        if self._closing_task is not None:
            await self._closing_task

    def send(self, frame: bytes) -> None:
        """Send a frame of the wire. What is sent in one turn of the loop is written at once."""
        if not self._outgoing:
            self._loop.call_soon(self._flush)
        self._outgoing.append(frame)

    def _flush(self) -> None:
        """Hand what waits to the transport; a peer that has stopped reading is cut off."""
        outgoing, self._outgoing = self._outgoing, []
        if not outgoing or self._websocket.protocol.state is not State.OPEN:
            return
        transport, bound = self._websocket.transport, self._service.limits.buffered_bytes
        if transport.get_write_buffer_size() + sum(map(len, outgoing)) <= bound:
            transport.write(b"".join(outgoing) if len(outgoing) > 1 else outgoing[0])
            return
        for frame in outgoing:
            if transport.get_write_buffer_size() > bound:
                self._cut()
                return
            transport.write(frame)

    def _cut(self) -> None:
        """Break off without waiting for what a peer that does not read will never read."""
        transport = self._websocket.transport
        if not transport.is_closing():
            log.warning("connection cut: it does not read", extra=self._ids())
            self._service.metrics.slow_reader()
        transport.abort()

    def dismiss(self, code: ByeCode, message: str) -> None:
        """Say why, then close. The person's seat is held unless a newer connection has it."""
        if self._dismissed is not None:
            return
        self._dismissed = code
        self._reply(Bye(code=code, message=message))
        self._gone()
        self._flush()
        close_code = _GOING_AWAY if code is ByeCode.SHUTDOWN else _POLICY_VIOLATION
        self._closing_task = asyncio.create_task(self._websocket.close(close_code, code.value))

    def _gone(self) -> None:
        """Let go of the room and the name. Harmless when repeated or late."""
        person, room = self._person, self._room
        self._room = None
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

    async def _identify_in_time(self) -> bool:
        try:
            while self._person is None and self._dismissed is None:
                # The peer's silence counts, not the time that an answer takes here.
                async with asyncio.timeout(self._service.limits.hello_timeout):
                    frame = await self._websocket.recv()
                await self._take(frame)
        except TimeoutError:
            self.dismiss(ByeCode.IDLE, "no hello came: connect again and say who you are")
        return self._person is not None

    async def _take(self, frame: str | bytes) -> None:
        """Answer one frame. Nothing that a client sends gets past here as an exception."""
        if self._dismissed is not None:
            return
        try:
            command = decode_command(frame)
        except Malformed as error:
            self._refuse(error.id, ErrorCode.MALFORMED, str(error))
            return
        self._service.metrics.command(type(command))
        try:
            self._check_rate(command)
            await self._obey(command)
        except Refused as refusal:
            self._refuse(command.id, refusal.code, refusal.message)
        except Exception:
            log.exception("a fault in answering %s", type(command).__name__, extra=self._ids())
            self._refuse(command.id, ErrorCode.INTERNAL, "a fault in the server: try again")

    def _check_rate(self, command: Command) -> None:
        if self._service.closing:
            raise Refused(ErrorCode.SHUTTING_DOWN, "the server is shutting down")
        if not self._commands.take():
            raise Refused(ErrorCode.TOO_FAST, "too many commands at once: wait a second")
        if isinstance(command, Chat) and not self._chat.take():
            raise Refused(ErrorCode.TOO_FAST, "you chat too fast: wait a few seconds")
        if isinstance(command, _LISTS) and not self._lists.take():
            raise Refused(ErrorCode.TOO_FAST, "the list was asked for too often: wait a second")
        if isinstance(command, GetGame) and not self._game_parts.take():
            raise Refused(ErrorCode.TOO_FAST, "games were asked for too often: wait a second")

    async def _obey(self, command: Command) -> None:
        if isinstance(command, Hello):
            await self._hello(command)
            return
        if isinstance(command, Admin):
            self._service.administration.obey(command, self._reply)
            return
        person = self._person
        if person is None:
            raise Refused(ErrorCode.NOT_IDENTIFIED, "say hello first: who are you?")
        match command:
            case ListRooms():
                self._reply(Rooms(re=command.id, rooms=self._service.hub.summaries()))
            case ListGames():
                self._reply(await self._games(command))
            case GetStats() | GetLeaders():
                await self._look_back(person, command)
            case GetGame():
                self._reply(await self._service.past_games.record(command))
            case Create():
                made = self._service.hub.created_by(self._accepted(command))
                self._check_elsewhere(made)
                password = None
                if made is None:
                    self._check_not_draining()
                    check_options(command.options)
                    if command.password:
                        password = await asyncio.to_thread(hash_password, command.password)
                self._room = self._service.hub.create(
                    person, self._instance, command, password, self._entry_reply(None)
                )
            case Join():
                room = self._service.hub.find(command.room)
                self._check_elsewhere(room)
                if room is not None:
                    await self._check_room_password(person, room, command.password)
                self._room = self._service.hub.join(
                    person, self._instance, command, self._entry_reply(self._room)
                )
            case Leave():
                self._leave(person, command)
            case Start() | Rematch():
                room = self._own_room()
                if not is_repetition(room.state, person, self._instance, command.id):
                    self._check_not_draining()
                room.submit(person, self._instance, command, self._reply)
            case _:
                self._own_room().submit(person, self._instance, command, self._reply)

    async def _look_back(self, person: Person, command: GetStats | GetLeaders) -> None:
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

    async def _games(self, command: ListGames) -> Games:
        try:
            page = await self._service.store.history_page(
                query_of(command), limit=command.limit, after=command.after
            )
        except BadQuestion as error:
            raise Refused(ErrorCode.BAD_QUESTION, str(error)) from error
        except StorageError as error:
            raise Refused(ErrorCode.STORAGE, str(error)) from error
        games = listed(page, self._service.hub.playing(), command)
        return Games(re=command.id, games=games, more=page.next is not None)

    def _check_password(self, given: str) -> None:
        password = self._service.password
        if not password or hmac.compare_digest(given.encode(), password.encode()):
            return
        text = "this is not the server's password" if given else "this server asks for a password"
        raise Refused(ErrorCode.BAD_PASSWORD, text)

    async def _check_room_password(self, person: Person, room: RoomOwner, given: str) -> None:
        hashed = room.state.password
        if hashed is None or room.state.is_member(person.player):
            return
        if not given:
            raise Refused(ErrorCode.BAD_PASSWORD, "this room asks for a password")
        if not self._passwords.take():
            raise Refused(ErrorCode.TOO_FAST, "too many passwords: wait a few seconds")
        if not await asyncio.to_thread(fits, given, hashed):
            raise Refused(ErrorCode.BAD_PASSWORD, "this is not the password of the room")

    def _check_not_draining(self) -> None:
        if self._service.health.draining:
            raise Refused(ErrorCode.SHUTTING_DOWN, DRAINING)

    def _leave(self, person: Person, command: Leave) -> None:
        """Out of the room from now on; back in it if that does not become durable."""
        room = self._service.hub.find(command.room) if command.room else self._own_room()
        if room is None:
            raise Refused(ErrorCode.NOT_IN_ROOM, f"there is no room {command.room!r} any more")
        was_in = self._room is room

        def reply(message: Message) -> None:
            if isinstance(message, Error) and was_in and self._room is None:
                self._room = room
            self._reply(message)

        room.submit(person, self._instance, command, reply)
        # A leave that is only repeated has no effect: who has joined again since stays.
        if was_in and not room.state.is_member(person.player):
            self._room = None

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
            if isinstance(message, Error):
                self._room = before
            self._reply(message)

        return reply


def peer_address(websocket: ServerConnection) -> str:
    """The address of a peer, without its port; empty if it is gone already."""
    peer = websocket.remote_address
    return str(peer[0]) if peer else ""
