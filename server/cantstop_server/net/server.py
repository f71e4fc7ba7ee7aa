"""A server from start to shutdown."""

import asyncio
import logging
import secrets
import signal
from collections.abc import Callable
from importlib.metadata import version
from types import TracebackType
from typing import Final, Self

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from cantstop_protocol.codes import ByeCode
from cantstop_protocol.limits import MAX_COMMAND_BYTES, SUBPROTOCOL
from cantstop_protocol.messages import Greeting
from cantstop_protocol.text import BadText, clean_title
from cantstop_server.config import ServerConfig
from cantstop_server.errors import ServerError
from cantstop_server.net.connection import Connection, Service, peer_address
from cantstop_server.net.connections import Connections
from cantstop_server.players.registry import KINDS
from cantstop_server.rooms.agenda import Delays
from cantstop_server.rooms.hub import Hub
from cantstop_server.rooms.outcome import World
from cantstop_server.rooms.owner import Surroundings
from cantstop_server.rooms.world import real_world
from cantstop_server.storage.errors import StorageError
from cantstop_server.storage.store import Store

log = logging.getLogger(__name__)

HOST_SCOPE: Final = "host"
_CLOSE_SECONDS: Final = 2.0


class Server:
    """A listening server; use as an asynchronous context manager.

    Raises ``ServerError`` on entry when the port or the database cannot be had.
    """

    def __init__(self, config: ServerConfig, world: World | None = None) -> None:
        self._config = config
        self._world = world or real_world()
        self._scope = f"play-{secrets.token_hex(8)}" if config.private else HOST_SCOPE
        self._connections = Connections()

    @property
    def port(self) -> int:
        """The port it listens on."""
        address = self._listener.sockets[0].getsockname()
        return int(address[1])

    @property
    def addresses(self) -> list[str]:
        """Where it listens, as HOST:PORT, IPv6 in brackets."""
        names = [listening.getsockname()[:2] for listening in self._listener.sockets]
        return [f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in names]

    @property
    def greeting(self) -> Greeting:
        """What it says of itself to everybody who connects."""
        return self._service.greeting

    async def __aenter__(self) -> Self:
        config, limits = self._config, self._config.limits
        try:
            name = clean_title(config.name) or "cantstop"
        except BadText as error:
            raise ServerError(f"the server's name: {error}") from error
        try:
            self._store = await Store.open(
                config.database,
                exclusive=not config.private,
                busy_timeout=config.busy_timeout,
            )
        except StorageError as error:
            raise ServerError(str(error)) from error
        try:
            around = Surroundings(
                scope=self._scope,
                journal=self._store.journal,
                outbox=self._connections,
                world=self._world,
                delays=Delays(
                    bot=config.bot_delay,
                    absence=limits.absence_grace,
                    seat=limits.seat_grace,
                    room=limits.room_grace,
                    game=limits.game_grace,
                ),
                spectator_limit=limits.spectators_per_room,
                on_put_out=self._connections.put_out,
                on_emptied=self._connections.room_closed,
                on_closed=self._room_closed,
            )
            self._hub = Hub(around, limits)
            self._hub.restore(await self._store.live_rooms(self._scope))
            self._service = Service(
                hub=self._hub,
                store=self._store,
                connections=self._connections,
                limits=limits,
                greeting=Greeting(
                    server=self._store.server_id,
                    name=name,
                    software=f"cantstop {version('cantstop')}",
                    bots=KINDS,
                ),
            )
            self._listener = await self._listen()
        except BaseException:
            await self._store.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Everyone is told, what is under way becomes durable, then all is closed."""
        self._service.closing = True
        self._listener.close(close_connections=False)
        if self._config.private:
            self._hub.close_all("the server ends")
        else:
            self._hub.stop()
        await self._store.journal.flush()
        self._connections.dismiss_all(ByeCode.SHUTDOWN, "the server is shutting down")
        self._listener.close()
        await self._listener.wait_closed()
        await self._store.close()

    async def _listen(self) -> WebSocketServer:
        config, limits = self._config, self._config.limits
        try:
            return await serve(
                self._serve_client,
                config.bind,
                config.port,
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                process_request=self._check_request,
                compression=None,
                server_header=None,
                max_size=MAX_COMMAND_BYTES,
                max_queue=8,
                ping_interval=limits.ping_interval,
                ping_timeout=limits.ping_timeout,
                close_timeout=_CLOSE_SECONDS,
                logger=_quiet_logger(),
            )
        except OSError as error:
            raise ServerError(
                f"cannot listen on {config.bind} port {config.port}: {error.strerror or error};"
                " is another server running there? choose another with --port or --bind"
            ) from error

    async def _serve_client(self, websocket: ServerConnection) -> None:
        await Connection(websocket, self._service).run()

    def _check_request(self, connection: ServerConnection, request: Request) -> Response | None:
        """Refuse, in words, whoever cannot be served."""
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return connection.respond(
                426, "This is a cantstop server. Join it with: cantstop join --server ADDRESS\n"
            )
        offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol"))
        if SUBPROTOCOL not in [name.strip() for name in offered.split(",")]:
            return connection.respond(
                400,
                f"This server speaks {SUBPROTOCOL}, the client offers {offered[:80] or 'nothing'}:"
                " use the same version of cantstop on both sides.\n",
            )
        if len(self._connections) >= self._config.limits.connections:
            return connection.respond(503, "This server is full. Try again later.\n")
        if self._connections.from_address(peer_address(connection)) >= (
            self._config.limits.connections_per_address
        ):
            return connection.respond(429, "Too many connections from your address.\n")
        return None

    def _room_closed(self, code: str) -> None:
        self._hub.forget(code)
        self._connections.room_closed(code)


async def host(config: ServerConfig, announce: Callable[[Server], None]) -> None:
    """Run a server until the process is asked to end. Raises ``ServerError``."""
    stopped = asyncio.Event()
    _on_stop_signals(stopped.set)
    async with Server(config) as server:
        announce(server)
        await stopped.wait()


def _on_stop_signals(stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: the loop has no signal handlers of its own
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))


def _quiet_logger() -> logging.Logger:
    """Peers that break off or send nonsense are everyday life, not worth a traceback."""
    logger = logging.getLogger("cantstop_server.websockets")
    logger.setLevel(logging.CRITICAL)
    return logger
