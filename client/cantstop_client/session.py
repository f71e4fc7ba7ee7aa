"""The connection to a server, kept up for as long as it makes sense.

One task owns the socket. What arrives goes to the listener at once and in order, before the
request that it answers is resolved: who awaits an answer finds it already shown.
"""

import asyncio
import contextlib
import logging
import random
import secrets
import ssl
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from cantstop_client.address import Address
from cantstop_client.conversation import Conversation, Reply
from cantstop_client.dice_watch import DiceWatch
from cantstop_client.errors import ClientError
from cantstop_client.gate import clean
from cantstop_client.happenings import Ended, Happening, Lost, Resumed
from cantstop_client.identity import Identity
from cantstop_client.retry import (
    FAILURES,
    AnotherVersion,
    Farewell,
    Refused,
    delay,
    is_silence,
    judge,
)
from cantstop_protocol.codec import Malformed, decode_message, encode
from cantstop_protocol.codes import ErrorCode, ExitCode
from cantstop_protocol.commands import Command
from cantstop_protocol.limits import MAX_COMMAND_BYTES, MAX_MESSAGE_BYTES, SUBPROTOCOL
from cantstop_protocol.messages import Bye, Error, Exit, Greeting, Message, Welcome

OPEN_TIMEOUT: Final = 10.0
PING_INTERVAL: Final = 10.0
PING_TIMEOUT: Final = 15.0
CLOSE_TIMEOUT: Final = 0.5
"""How long leaving may wait for the other side: a person who presses Ctrl-C is waiting too."""

_log: Final = logging.getLogger("cantstop.client")
_log.addHandler(logging.NullHandler())
_log.propagate = False


class SessionOver(ClientError):
    """There will be no answer any more; the text is the reason for which the session ended."""


class Session:
    """A person's connection to one server. ``random`` and ``pause`` are there for tests.

    ``password`` is the server's; ``security`` checks the server's certificate; ``compression`` asks
    for compressed messages, which a server may grant.
    """

    def __init__(
        self,
        address: Address,
        name: str,
        identity: Identity,
        listener: Callable[[Happening], None],
        *,
        password: str = "",
        security: ssl.SSLContext | None = None,
        compression: bool = False,
        random: Callable[[], float] = random.random,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.address = address
        self._conversation = Conversation(name, identity.token, secrets.token_hex(8), password)
        self._dice = DiceWatch()
        self._by_itself: list[Command] = []
        self._security = security
        self._compression = compression
        self._listener = listener
        self._random = random
        self._pause = pause
        self._socket: ClientConnection | None = None
        self._waiting: dict[int, asyncio.Future[Reply]] = {}
        self._keeper: asyncio.Task[Ended] | None = None
        self._over = "there is no connection"

    async def open(self) -> Welcome:
        """Connect and identify. One attempt of bounded time; raises ``ClientError``."""
        try:
            socket, welcome = await self._introduce()
        except FAILURES as error:
            raise ClientError(self._trouble(error)) from error
        self._keeper = asyncio.create_task(self._keep(socket), name="session")
        return welcome

    async def request(
        self, kind: type[Command], numbered: Callable[[int], None] | None = None, /, **fields: Any
    ) -> Reply:
        """Send a command and wait for its reply, over reconnects if need be.

        ``numbered`` is told the command's id before anything is sent. Raises ``ClientError`` if
        the command cannot be sent, ``SessionOver`` if there will be no reply.
        """
        if self._keeper is None or self._keeper.done():
            raise SessionOver(self._over)
        command = self._conversation.ask(kind, **fields)
        if numbered is not None:
            numbered(command.id)
        frame = encode(command)
        if len(frame) > MAX_COMMAND_BYTES:
            self._conversation.forget(command)
            raise ClientError("that is too long to be sent")
        reply = asyncio.get_running_loop().create_future()
        self._waiting[command.id] = reply
        if self._socket is not None:
            # If it is closed just now, the keeper sends the command on the next connection.
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(frame)
        return cast(Reply, await reply)

    async def wait_ended(self) -> Ended:
        """Wait until the session is over for good."""
        if self._keeper is None:
            raise SessionOver(self._over)
        return await asyncio.shield(self._keeper)

    @property
    def latency(self) -> float | None:
        """Seconds that the latest keepalive took to the server and back; None before the first."""
        return (self._socket.latency or None) if self._socket is not None else None

    async def close(self) -> None:
        """Leave, within a second."""
        if self._keeper is not None:
            self._keeper.cancel()
            # Bounded, and not an await of the task itself: its end is no matter any more.
            await asyncio.wait([self._keeper], timeout=2 * CLOSE_TIMEOUT)
            if self._keeper.done() and not self._keeper.cancelled():
                # Whoever had to know has seen it; asyncio shall not complain that nobody did.
                self._keeper.exception()

    async def _keep(self, socket: ClientConnection) -> Ended:
        attempt = 0
        fresh = True
        try:
            while True:
                try:
                    await self._resume(socket)
                    if not fresh:
                        self._listener(Resumed())
                    attempt = 0
                    while True:
                        await self._receive(socket)
                except FAILURES as error:
                    failure: BaseException = error
                finally:
                    self._socket = None
                    await _close(socket)
                fresh = False
                while True:
                    verdict = judge(failure)
                    if not verdict.again:
                        return self._end(Ended(verdict.reason, verdict.clean))
                    wait = delay(attempt, self._random)
                    attempt += 1
                    self._listener(Lost(verdict.reason, wait))
                    await self._pause(wait)
                    try:
                        socket, _ = await self._introduce()
                        break
                    except FAILURES as error:
                        failure = error
        except Exception as fault:
            # The listener's, such as an output that nobody reads: who waits shall see that.
            self._give_up_waiting(fault)
            raise
        finally:
            self._give_up_waiting(SessionOver(self._over))

    async def _introduce(self) -> tuple[ClientConnection, Welcome]:
        """A new connection on which the server knows who we are."""
        socket = await open_socket(self.address, self._security, self._compression)
        try:
            async with asyncio.timeout(OPEN_TIMEOUT):
                greeting = await self._receive(socket)
                if not isinstance(greeting, Greeting):
                    raise Malformed("something else than a greeting at the beginning")
                reply = await self._exchange(socket, self._conversation.hello(greeting))
        except BaseException:
            await _close(socket)
            raise
        if isinstance(reply, Error):
            raise Refused(reply.code, reply.message)
        if not isinstance(reply, Welcome):
            raise Malformed("no welcome after hello")
        return socket, reply

    async def _resume(self, socket: ClientConnection) -> None:
        """Return to the room, and ask again what has not been answered."""
        rejoin = self._conversation.rejoin()
        if rejoin is not None:
            async with asyncio.timeout(OPEN_TIMEOUT):
                reply = await self._exchange(socket, rejoin)
            if isinstance(reply, Error):
                if judge(refusal := Refused(reply.code, reply.message)).again:
                    raise refusal
                gone = Exit(room=rejoin.room, code=ExitCode.ROOM_CLOSED, message=reply.message)
                self._take(gone)
        sent: set[int] = set()
        while pending := [c for c in self._conversation.unanswered() if c.id not in sent]:
            for command in pending:
                sent.add(command.id)
                await socket.send(encode(command))
        # No await since the last look: what is asked from here on is sent by who asks.
        self._by_itself.clear()
        self._socket = socket

    async def _exchange(self, socket: ClientConnection, command: Command) -> Message:
        """Send the command and receive until its reply."""
        await socket.send(encode(command))
        while True:
            message = await self._receive(socket)
            if getattr(message, "re", None) == command.id:
                return message

    async def _receive(self, socket: ClientConnection) -> Message:
        message = clean(decode_message(await socket.recv()))
        self._take(message)
        if self._socket is not None:
            # Before anybody who awaits this message's reply can ask for something.
            by_itself, self._by_itself = self._by_itself, []
            for command in by_itself:
                await socket.send(encode(command))
        if isinstance(message, Bye):
            raise Farewell(message.code, message.message)
        return message

    def _take(self, message: Message) -> None:
        self._conversation.receive(message)
        found = self._dice.receive(message)
        self._by_itself += [self._conversation.ask(kind, **fields) for kind, fields in found.asking]
        for told in found.told:
            self._listener(told)
        self._listener(message)
        reply = self._waiting.pop(getattr(message, "re", None) or 0, None)
        if reply is not None and not reply.done():
            reply.set_result(cast(Reply, message))

    def _end(self, ended: Ended) -> Ended:
        self._over = ended.reason
        self._listener(ended)
        return ended

    def _give_up_waiting(self, why: Exception) -> None:
        for reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(why)
        self._waiting.clear()

    def _trouble(self, error: BaseException) -> str:
        reason = judge(error).reason
        if isinstance(error, Refused) and error.code is ErrorCode.BAD_PASSWORD:
            reason += ": give it with --server-password or CANTSTOP_SERVER_PASSWORD"
        if not is_silence(error):
            return f"{self.address}: {reason}"
        return (
            f"cannot reach {self.address}: {reason}. Is `cantstop host` running there, "
            "with this address and port, and is no firewall in the way?"
        )


async def open_socket(
    address: Address, security: ssl.SSLContext | None, compression: bool = False
) -> ClientConnection:
    """A connection on which our protocol is spoken. Raises one of ``FAILURES``."""
    socket = await connect(
        address.url,
        ssl=security,
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        compression="deflate" if compression else None,
        # A proxy of the environment is for the web, not for a table in the next room.
        proxy=True if address.secure else None,
        open_timeout=OPEN_TIMEOUT,
        ping_interval=PING_INTERVAL,
        ping_timeout=PING_TIMEOUT,
        close_timeout=CLOSE_TIMEOUT,
        max_size=MAX_MESSAGE_BYTES,
        logger=_log,
    )
    if socket.subprotocol != SUBPROTOCOL:
        await _close(socket)
        raise AnotherVersion
    return socket


async def _close(socket: ClientConnection) -> None:
    """Close without waiting for a peer that has gone silent."""
    with contextlib.suppress(*FAILURES):
        await socket.close()
