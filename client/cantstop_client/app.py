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
from cantstop_client.commands import read_line
from cantstop_client.errors import ClientError
from cantstop_client.faces import Face, FaceOptions, make_face
from cantstop_client.happenings import Happening
from cantstop_client.hotseat import HotSeat, SharedSession
from cantstop_client.identity import choose_name, load_identity, remember_name
from cantstop_client.intents import Hint, Send
from cantstop_client.leaving import unless_left
from cantstop_client.local import check_kinds, private_server
from cantstop_client.output import standard_output
from cantstop_client.paths import config_file, data_directory
from cantstop_client.plain import PlainFace
from cantstop_client.plain_screen import PlainScreen
from cantstop_client.recent import remember_server
from cantstop_client.render import rooms_lines
from cantstop_client.session import Session
from cantstop_client.settings import Settings, load_settings
from cantstop_client.streams import is_terminal, standard_input
from cantstop_client.tls import client_context
from cantstop_client.view import View
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
    """``code`` None is the lobby; ``create`` what ``/create`` takes, to open a room with."""

    address: Address
    code: str | None
    name: str | None
    watch: bool
    password: str
    create: str | None = None
    server_password: str = ""
    tls_ca: str | None = None
    compression: bool = False
    face: FaceOptions = field(default_factory=FaceOptions)


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """``auto`` is the kind of computer player for the person's seat, None to play oneself.

    ``bot_delay`` None is what suits the input. ``people`` are those who share this keyboard, if
    it is more than the one person. A ``rated`` game counts for the ratings and has no hints.
    """

    bots: tuple[str, ...]
    target: int
    dead_markers: DeadMarkers
    auto: str | None
    name: str | None
    bot_delay: float | None
    database: str
    people: tuple[str, ...] = ()
    rated: bool = False
    face: FaceOptions = field(default_factory=FaceOptions)


async def join(options: JoinOptions) -> int:
    """Connect to somebody's server and sit down, watch, or look around: the exit code."""
    if len(options.server_password) > MAX_PASSWORD_CHARACTERS:
        raise ClientError(f"--server-password has at most {MAX_PASSWORD_CHARACTERS} characters")
    face = make_face(options.face)
    async with _session(
        options.address,
        options.name,
        face.listen,
        password=options.server_password,
        security=client_context(options.address, options.tls_ca),
        compression=options.compression,
    ) as session:
        _introduce(face, options.address)
        if options.code is not None:
            await _enter(session, options.code, options)
        elif face.view.rooms:
            codes = " or ".join(f"/join {room}" for room in face.view.rooms)
            seats = "A seat is" if len(face.view.rooms) == 1 else "Seats are"
            face.say([f"{seats} held for you: {codes}"])
        if options.create is not None:
            await _create(session, options.create, options.password)
        elif options.code is None and not options.face.json:
            listed = await session.request(ListRooms)
            if isinstance(listed, Rooms):
                face.say(rooms_lines(listed.rooms))
            face.say(["/create opens a room, /join CODE enters one, /help shows all commands"])
        return await face.run(session)


async def play(options: PlayOptions) -> int:
    """A game against computer players on a server of one's own: the exit code."""
    people = options.people or ("",)
    if len(people) > MOST_SEATS:
        raise ClientError(f"--people: at most {MOST_SEATS} sit at a table")
    if len(people) + len(options.bots) > MOST_SEATS:
        raise ClientError(
            f"--bots: at most {MOST_SEATS - len(people)} computer players fit at this table"
        )
    check_kinds([*options.bots, *([] if options.auto is None else [options.auto])])
    rules = _game_options(options)
    delay = options.bot_delay
    if delay is None:
        delay = PEOPLE_DELAY if is_terminal(standard_input()) else 0.0
    async with private_server(options.database, delay) as (address, password):
        if options.people:
            return await _play_together(address, password, rules, options)
        face = make_face(options.face, alone=True, unattended=options.auto is not None)
        async with _session(
            address, options.name, face.listen, password=password, is_remote=False
        ) as session:
            await _done(session, Create, options=rules)
            await _begin(session, options)
            if options.auto is not None:
                await _done(session, Autopilot, kind=options.auto)
            return await face.run(session)


async def _play_together(
    address: Address, password: str, rules: GameOptions, options: PlayOptions
) -> int:
    """Several people at this keyboard, each with a name and a record of their own."""
    screen = PlainScreen(
        standard_output(wrap=True), alone=True, unattended=options.auto is not None, shared=True
    )
    face = PlainFace(screen, options.face.keys)
    seat = HotSeat(screen, options.people)
    first, *others = options.people
    async with contextlib.AsyncExitStack() as stack:

        async def arrive(name: str, listen: Callable[[Happening], None]) -> Session:
            return await stack.enter_async_context(
                _session(address, name, listen, password=password, is_remote=False, is_own=False)
            )

        sessions = {first: await arrive(first, seat.listen)}
        created = await sessions[first].request(Create, options=rules)
        if not isinstance(created, Entered):
            raise ClientError(getattr(created, "message", "the room could not be opened"))
        for name in others:
            # The first one's session tells what happens.
            sessions[name] = await arrive(name, lambda _: None)
            await _done(sessions[name], Join, room=created.table.room)
        await _begin(sessions[first], options)
        if options.auto is not None:
            for session in sessions.values():
                await _done(session, Autopilot, kind=options.auto)
        return await face.run(SharedSession(sessions, lambda: seat.name))


async def _begin(session: Session, options: PlayOptions) -> None:
    for kind in options.bots:
        await _done(session, AddBot, kind=kind)
    await _done(session, Start)


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run to the end. Ctrl-C ends it at once, even while the name of a host is looked up."""
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(_DaemonThreads())
        return runner.run(main)


@contextlib.asynccontextmanager
async def visiting(address: Address, password: str, tls_ca: str | None) -> AsyncIterator[Session]:
    """A session with somebody's server, to ask it something, without a face."""
    security = client_context(address, tls_ca)
    async with _session(
        address, None, lambda _: None, password=password, security=security
    ) as session:
        yield session


@contextlib.asynccontextmanager
async def _session(
    address: Address,
    name: str | None,
    listen: Callable[[Happening], None],
    *,
    password: str = "",
    security: ssl.SSLContext | None = None,
    compression: bool = False,
    is_remote: bool = True,
    is_own: bool = True,
) -> AsyncIterator[Session]:
    """``is_own``: the name is that of the person whose client this is, to be remembered."""
    directory = data_directory()
    identity = load_identity(directory)
    configured = str(_settings().name.value) if name is None else ""
    chosen = choose_name(name, directory, os.environ, configured)
    session = Session(
        address,
        chosen,
        identity,
        listen,
        password=password,
        security=security,
        compression=compression,
    )
    await unless_left(session.open())
    try:
        if is_own:
            remember_name(chosen, directory)
        if is_remote:
            remember_server(address, directory)
        yield session
    finally:
        await session.close()


def _settings() -> Settings:
    return load_settings({}, os.environ, config_file())


def _introduce(face: Face, address: Address) -> None:
    server = face.view.server
    called = f"{server} at {address}" if server else str(address)
    face.say([f"Connected to {called}. You are {face.view.name}"])


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


async def _create(session: Session, text: str, password: str) -> None:
    """Open a room as ``/create`` does."""
    asked = read_line(f"/create {text}", View())
    if isinstance(asked, Hint):
        raise ClientError(f"--create: {asked.text}")
    if isinstance(asked, Send):
        fields = asked.fields
        if password:
            fields = {**fields, "password": password}
        await _done(session, asked.kind, **fields)


async def _done(session: Session, kind: type[Command], /, **fields: Any) -> None:
    reply = await session.request(kind, **fields)
    if isinstance(reply, Error):
        raise ClientError(reply.message)


def _game_options(options: PlayOptions) -> GameOptions:
    if not 1 <= options.target <= 5:
        raise ClientError(f"--target is a number of columns from 1 to 5, not {options.target}")
    return GameOptions(
        seats=max(len(options.people), 1) + len(options.bots),
        target=options.target,
        dead_markers=options.dead_markers,
        hints=not options.rated,
        rated=options.rated,
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
