"""``join`` and ``play``: from options to a session with a face on it."""

import asyncio
import concurrent.futures
import contextlib
import os
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final

from cantstop_client.address import Address
from cantstop_client.errors import ClientError
from cantstop_client.faces import Face, FaceOptions, make_face
from cantstop_client.identity import choose_name, load_identity, remember_name
from cantstop_client.lines import is_terminal, standard_input
from cantstop_client.local import private_server
from cantstop_client.paths import data_directory
from cantstop_client.render import rooms_lines
from cantstop_client.session import Session
from cantstop_client.tls import client_context
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import (
    AddBot,
    Autopilot,
    Command,
    Create,
    Join,
    ListRooms,
    Start,
)
from cantstop_protocol.limits import MAX_PASSWORD_CHARACTERS
from cantstop_protocol.messages import Entered, Error, Rooms
from cantstop_protocol.table import DeadMarkers, GameOptions

PEOPLE_DELAY: Final = 0.8
"""Seconds that a computer player takes when somebody looks on."""

MOST_SEATS: Final = 4


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """``code`` None is the lobby."""

    address: Address
    code: str | None
    name: str | None
    watch: bool
    password: str
    server_password: str = ""
    tls_ca: str | None = None
    face: FaceOptions = field(default_factory=FaceOptions)


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """``auto`` is the kind of computer player for the person's seat, None to play oneself.

    ``bot_delay`` None is what suits the input.
    """

    bots: tuple[str, ...]
    target: int
    dead_markers: DeadMarkers
    auto: str | None
    name: str | None
    bot_delay: float | None
    database: str
    face: FaceOptions = field(default_factory=FaceOptions)


async def join(options: JoinOptions) -> int:
    """Connect to somebody's server and sit down, watch, or look around: the exit code."""
    face = make_face(options.face)
    if len(options.server_password) > MAX_PASSWORD_CHARACTERS:
        raise ClientError(f"--server-password has at most {MAX_PASSWORD_CHARACTERS} characters")
    security = client_context(options.address, options.tls_ca)
    async with _session(
        options.address,
        options.name,
        face,
        password=options.server_password,
        security=security,
    ) as session:
        if options.code is not None:
            await _enter(session, options.code, options)
        elif face.view.rooms:
            face.say([f"A seat is held for you in {', '.join(face.view.rooms)}: /join CODE"])
        if options.code is None:
            listed = await session.request(ListRooms)
            if isinstance(listed, Rooms):
                face.say(rooms_lines(listed.rooms))
            face.say(["/create opens a room, /join CODE enters one, /help shows all commands"])
        return await face.run(session)


async def play(options: PlayOptions) -> int:
    """A game against computer players on a server of one's own: the exit code."""
    if len(options.bots) >= MOST_SEATS:
        raise ClientError(f"--bots: at most {MOST_SEATS - 1} computer players fit at a table")
    rules = _game_options(options)
    delay = options.bot_delay
    if delay is None:
        delay = PEOPLE_DELAY if is_terminal(standard_input()) else 0.0
    face = make_face(options.face, alone=True, unattended=options.auto is not None)
    async with (
        private_server(options.database, delay) as address,
        _session(address, options.name, face, is_remote=False) as session,
    ):
        await _done(session, Create, options=rules)
        for kind in options.bots:
            await _done(session, AddBot, kind=kind)
        await _done(session, Start)
        if options.auto is not None:
            await _done(session, Autopilot, kind=options.auto)
        return await face.run(session)


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run to the end. Ctrl-C ends it at once, even while the name of a host is looked up."""
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(_DaemonThreads())
        return runner.run(main)


@contextlib.asynccontextmanager
async def _session(
    address: Address,
    name: str | None,
    face: Face,
    *,
    password: str = "",
    security: ssl.SSLContext | None = None,
    is_remote: bool = True,
) -> AsyncIterator[Session]:
    directory = data_directory()
    identity = load_identity(directory)
    chosen = choose_name(name, directory, os.environ)
    session = Session(address, chosen, identity, face.listen, password=password, security=security)
    welcome = await session.open()
    try:
        remember_name(chosen, directory)
        if is_remote:
            _introduce(face, address, welcome.name)
        yield session
    finally:
        await session.close()


def _introduce(face: Face, address: Address, name: str) -> None:
    server = face.view.server
    called = f"{server} at {address}" if server else str(address)
    face.say([f"Connected to {called}. You are {name}"])


async def _enter(session: Session, code: str, options: JoinOptions) -> None:
    reply = await session.request(
        Join,
        room=code,
        password=options.password,
        role="spectator" if options.watch else "player",
    )
    if isinstance(reply, Entered):
        return
    message = reply.message if isinstance(reply, Error) else "an unexpected answer"
    if isinstance(reply, Error) and reply.code is ErrorCode.ROOM_FULL and not options.watch:
        message += f". `cantstop join {code} --watch` watches it"
    raise ClientError(f"room {code}: {message}")


async def _done(session: Session, kind: type[Command], /, **fields: Any) -> None:
    reply = await session.request(kind, **fields)
    if isinstance(reply, Error):
        raise ClientError(reply.message)


def _game_options(options: PlayOptions) -> GameOptions:
    if not 1 <= options.target <= 5:
        raise ClientError(f"--target is a number of columns from 1 to 5, not {options.target}")
    return GameOptions(
        seats=1 + len(options.bots), target=options.target, dead_markers=options.dead_markers
    )


class _DaemonThreads(concurrent.futures.ThreadPoolExecutor):
    """Runs each call in a daemon thread: looking up a host's name cannot be interrupted, and the
    usual threads would keep a program that is asked to end until the system gives up."""

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - the future carries it
                future.set_exception(error)

        threading.Thread(target=call, daemon=True).start()
        return future
