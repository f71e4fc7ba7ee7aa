"""A server from start to shutdown."""

import asyncio
import logging
import secrets
import signal
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from websockets.extensions.base import ServerExtensionFactory
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.http11 import Request, Response

from cantstop_protocol.codes import ByeCode
from cantstop_protocol.events import Abandoned, AnyEvent, Created, Finished, Started
from cantstop_protocol.limits import MAX_COMMAND_BYTES, SUBPROTOCOL
from cantstop_protocol.messages import Greeting
from cantstop_protocol.text import BadText, clean_title
from cantstop_server.config import ServerConfig
from cantstop_server.errors import ServerError
from cantstop_server.net import admin_file
from cantstop_server.net.admin import Administration, Health
from cantstop_server.net.connection import Connection, Service
from cantstop_server.net.connections import Connections
from cantstop_server.net.listener import Listener
from cantstop_server.net.metrics import Metrics
from cantstop_server.net.pages import Pages
from cantstop_server.net.past_games import PastGames
from cantstop_server.net.tls import server_context
from cantstop_server.net.watch import Watch
from cantstop_server.net.websocket import Manners, WebSocket
from cantstop_server.players.registry import KINDS
from cantstop_server.rooms.agenda import Delays
from cantstop_server.rooms.hub import Hub
from cantstop_server.rooms.outcome import World
from cantstop_server.rooms.owner import Surroundings
from cantstop_server.rooms.thinking import Thinkers
from cantstop_server.rooms.world import real_world
from cantstop_server.storage.errors import StorageError
from cantstop_server.storage.store import Store

log = logging.getLogger(__name__)

HOST_SCOPE: Final = "host"
_NOTED: Final = (Created, Started, Finished, Abandoned)
_CLOSE_SECONDS: Final = 2.0
_OPEN_SECONDS: Final = 4.0
"""How long a connection may take to say what it is; the end of the server waits for it, too."""


class Server:
    """A listening server; use as an asynchronous context manager.

    Raises ``ServerError`` on entry when the port or the database cannot be had.
    """

    def __init__(self, config: ServerConfig, world: World | None = None) -> None:
        self._config = config
        self._world = world or real_world()
        self._scope = f"play-{secrets.token_hex(8)}" if config.private else HOST_SCOPE
        self._connections = Connections()
        self._thinkers = ThreadPoolExecutor(config.limits.thinkers, "thinker")
        self._health = Health()
        self._metrics = Metrics() if config.private else self._prometheus()
        self._pages = Pages(self._health, self._metrics, public=config.metrics_public)
        self._admin_file: Path | None = None

    @property
    def drained(self) -> asyncio.Event:
        """Set when no game may begin any more and none runs."""
        return self._health.drained

    @property
    def port(self) -> int:
        """The port it listens on."""
        address = self._listener.sockets[0].getsockname()
        return int(address[1])

    @property
    def addresses(self) -> list[str]:
        """Where it listens, as HOST:PORT or wss://HOST:PORT, IPv6 in brackets."""
        names = [listening.getsockname()[:2] for listening in self._listener.sockets]
        scheme = "wss://" if self._config.tls_cert else ""
        return [
            f"{scheme}[{host}]:{port}" if ":" in host else f"{scheme}{host}:{port}"
            for host, port in names
        ]

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
        secured = server_context(config.tls_cert, config.tls_key) if config.tls_cert else None
        try:
            self._store = await Store.open(
                config.database,
                exclusive=not config.private,
                busy_timeout=config.busy_timeout,
            )
        except StorageError as error:
            raise ServerError(str(error)) from error
        if self._store.upgrade is not None:
            log.warning("the database was upgraded", extra=asdict(self._store.upgrade))
        try:
            around = Surroundings(
                scope=self._scope,
                journal=self._store.journal,
                outbox=self._connections,
                world=self._world,
                thinkers=Thinkers(self._thinkers, limits.thinking_seconds),
                delays=Delays(
                    bot=config.bot_delay,
                    absence=limits.absence_grace,
                    seat=limits.seat_grace,
                    room=limits.room_grace,
                    game=limits.game_grace,
                    witness=limits.witness_seconds,
                ),
                spectator_limit=limits.spectators_per_room,
                on_put_out=self._connections.put_out,
                on_emptied=self._connections.room_closed,
                on_closed=self._room_closed,
                on_event=self._happened,
            )
            self._hub = Hub(around, limits)
            self._hub.restore(await self._store.live_rooms(self._scope))
            greeting = Greeting(
                server=self._store.server_id,
                name=name,
                software=f"cantstop {version('cantstop')}",
                bots=KINDS,
                password=bool(config.password),
            )
            token = self._admin_token()
            self._administration = Administration(
                token, self._hub, self._connections, greeting, self._health
            )
            self._watch = Watch(
                self._metrics, self._health, self._administration, self._store.check
            )
            self._store.journal.on_group = self._watch.wrote
            self._service = Service(
                hub=self._hub,
                store=self._store,
                connections=self._connections,
                limits=limits,
                greeting=greeting,
                administration=self._administration,
                health=self._health,
                metrics=self._metrics,
                past_games=PastGames(self._store),
                password=config.password,
            )
            self._listener = await self._listen(secured)
        except BaseException:
            await self._store.close()
            raise
        try:
            self._admit_admin(token)
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        if not config.private:
            self._watch.start()
        rooms = len(self._hub.summaries())
        log.info("started", extra={"addresses": ",".join(self.addresses), "rooms": rooms})
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Everyone is told, what is under way becomes durable, then all is closed."""
        self._service.closing = True
        self._listener.close()
        if self._config.private:
            self._hub.close_all("the server ends")
        else:
            self._hub.stop()
        self._thinkers.shutdown(wait=False, cancel_futures=True)
        await self._watch.stop()
        await self._store.journal.flush()
        kept = (
            "" if self._config.private else ": rooms, seats and games are kept for its next start"
        )
        self._connections.dismiss_all(ByeCode.SHUTDOWN, f"the server is shutting down{kept}")
        await self._listener.wait_closed()
        if self._admin_file is not None:
            # While the database is still ours: after that it may be the next server's.
            admin_file.remove(self._admin_file)
        await self._store.close()
        log.info("stopped")

    def _prometheus(self) -> Metrics:
        from cantstop_server.net.prometheus import PrometheusMetrics

        return PrometheusMetrics(lambda: len(self._connections), lambda: self._hub.phases())

    def _admin_token(self) -> str:
        """What the host proves itself with; empty where nobody could know it."""
        config = self._config
        if config.private:
            return ""
        made = secrets.token_urlsafe(32) if admin_file.admin_file(config.database) else ""
        return config.admin_token or made

    def _admit_admin(self, token: str) -> None:
        """Leave word for ``cantstop admin``, unless the host has chosen a token."""
        path = admin_file.admin_file(self._config.database)
        if not token or path is None:
            return
        if self._config.admin_token:
            # One that a killed server has left; the database is ours alone.
            admin_file.remove(path)
            return
        host, port = self._listener.sockets[0].getsockname()[:2]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        scheme = "wss" if self._config.tls_cert else "ws"
        url = f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"
        cert = self._config.tls_cert
        fingerprint = admin_file.fingerprint(cert) if cert else ""
        admin_file.write(path, admin_file.AdminAccess(token, url, fingerprint))
        self._admin_file = path

    async def _listen(self, secured: ssl.SSLContext | None) -> Listener:
        config, limits = self._config, self._config.limits
        listener = Listener(
            Manners(
                check=self._check_request,
                serve=lambda websocket: Connection(websocket, self._service),
                subprotocol=SUBPROTOCOL,
                max_size=MAX_COMMAND_BYTES,
                open_timeout=_OPEN_SECONDS,
                close_timeout=_CLOSE_SECONDS,
                ping_interval=limits.ping_interval,
                ping_timeout=limits.ping_timeout,
                buffered_bytes=limits.buffered_bytes,
                extensions=_deflate() if config.compression else (),
            )
        )
        try:
            await listener.open(config.bind, config.port, secured)
        except OSError as error:
            raise ServerError(
                f"cannot listen on {config.bind} port {config.port}: {error.strerror or error};"
                " is another server running there? choose another with --port or --bind"
            ) from error
        return listener

    def _check_request(self, websocket: WebSocket, request: Request) -> Response | None:
        """Answer plain requests, and refuse in words whoever cannot be served."""
        page = self._pages.answer(websocket, request)
        if page is not None:
            return page
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return websocket.respond(
                426, "This is a cantstop server. Join it with: cantstop join --server ADDRESS\n"
            )
        offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol"))
        if SUBPROTOCOL not in [name.strip() for name in offered.split(",")]:
            return websocket.respond(
                400,
                f"This server speaks {SUBPROTOCOL}, the client offers {offered[:80] or 'nothing'}:"
                " use the same version of cantstop on both sides.\n",
            )
        if len(self._connections) >= self._config.limits.connections:
            return websocket.respond(503, "This server is full. Try again later.\n")
        if self._connections.from_address(websocket.address) >= (
            self._config.limits.connections_per_address
        ):
            return websocket.respond(429, "Too many connections from your address.\n")
        return None

    def _room_closed(self, code: str) -> None:
        log.info("room closed", extra={"room": code})
        self._hub.forget(code)
        self._connections.room_closed(code)
        self._administration.check_drained()

    def _happened(self, code: str, event: AnyEvent) -> None:
        """An event of a room has become durable."""
        if type(event) not in _NOTED:
            return
        self._metrics.event(event)
        match event:
            case Created():
                log.info("room opened", extra={"room": code})
            case Started(game=game):
                log.info("game started", extra={"room": code, "game": game})
            case Finished(game=game, turns=turns):
                log.info("game finished", extra={"room": code, "game": game, "turns": turns})
            case Abandoned(game=game, turns=turns):
                log.info("game abandoned", extra={"room": code, "game": game, "turns": turns})
        self._administration.check_drained()


async def host(config: ServerConfig, announce: Callable[[Server], None]) -> None:
    """Run a server until the process is asked to end or it is drained. Raises ``ServerError``."""
    stopped = asyncio.Event()
    _on_stop_signals(stopped.set)
    async with Server(config) as server:
        announce(server)
        waiting = [asyncio.create_task(event.wait()) for event in (stopped, server.drained)]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()


def _deflate() -> Sequence[ServerExtensionFactory]:
    """Compression with little memory: windows of 4 KiB hold several updates of a table."""
    return [
        ServerPerMessageDeflateFactory(
            server_max_window_bits=12,
            client_max_window_bits=12,
            compress_settings={"memLevel": 5},
        )
    ]


def _on_stop_signals(stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: the loop has no signal handlers of its own
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
