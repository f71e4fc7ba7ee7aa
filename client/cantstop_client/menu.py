"""The lobby: what ``cantstop`` alone offers, as numbered questions.

Each choice ends in a command line, which is shown and run as a process of its own: so everything
here can be typed as well, and whatever it did to the terminal or the input ends with it.
"""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from shlex import quote
from typing import Final

from cantstop_client.address import Address, parse_address
from cantstop_client.ask import Asker, NoMoreAnswers
from cantstop_client.discovery import (
    FIND_SECONDS,
    answers,
    find,
    found_lines,
    reachable,
    table_line,
)
from cantstop_client.errors import ClientError, InputEnded
from cantstop_client.hosting import LAST_LINE
from cantstop_client.leaving import unless_left
from cantstop_client.lookaround import Visit, visit, visit_all
from cantstop_client.paths import config_file, data_directory
from cantstop_client.recent import recent_servers
from cantstop_client.render import rooms_lines
from cantstop_client.roomform import FORM, PASSWORD, create_text, fits
from cantstop_client.settings import Settings, load_settings
from cantstop_client.whereto import here

INTERRUPTED: Final = 128 + signal.SIGINT
ROOM_PASSWORD_VARIABLE: Final = "CANTSTOP_ROOM_PASSWORD"
ANOTHER: Final = "Another server, by its address"
BACK: Final = "Back"

Run = Callable[[Sequence[str], dict[str, str]], int]
"""Runs a command line with more in its environment: the exit code."""


class Menu:
    """Asks until the person leaves. ``plain``: games are played without the full screen."""

    def __init__(self, asker: Asker, run: Run | None = None, *, plain: bool = False) -> None:
        self._asker = asker
        self._output = asker.output
        self._run = run or run_command
        self._plain = plain

    def run(self) -> int:
        """The exit code."""
        items: tuple[tuple[str, Callable[[], int]], ...] = (
            ("Quick game against the computer", self._quick_game),
            ("Play with others at this keyboard", self._hot_seat),
            ("Host here, and play", self._host),
            ("Tables found on the network", self._network),
            ("Rooms of a server", self._server_rooms),
            ("Continue a game where I have a seat", self._continue),
            ("Games that have ended", lambda: self._command("history")),
            ("Who won how often", lambda: self._command("stats")),
            ("Who leads the ratings", lambda: self._command("leaders")),
        )
        titles = [title for title, _ in items]
        try:
            while True:
                chosen = self._asker.choose("Can't Stop", [*titles, "Leave"])
                if chosen == len(items):
                    return 0
                try:
                    code = items[chosen][1]()
                except ClientError as error:
                    self._output.line(str(error))
                    continue
                if code == INTERRUPTED:
                    return code
        except (NoMoreAnswers, InputEnded):
            return 0

    def _quick_game(self) -> int:
        bots = self._asker.ask("Against which computer players", "keller")
        return self._command("play", "--bots", bots)

    def _hot_seat(self) -> int:
        people = self._asker.ask("Your names, with commas between", "Ann,Ben")
        bots = self._asker.ask("Computer players besides, or none", "none")
        return self._command("play", "--people", people, "--bots", bots)

    def _host(self) -> int:
        whom = ("everyone on the network", "this machine alone")
        everyone = self._asker.choose("For whom?", whom) == 0
        arguments = ["host", "--bind", "0.0.0.0" if everyone else "127.0.0.1"]
        if asyncio.run(unless_left(answers(here()))):
            self._output.line(f"Port {here().port} is in use on this machine: another is taken")
            arguments += ["--port", "0"]
        with Background(arguments) as server:
            for line in server.lines_until(LAST_LINE):
                self._output.line(line)
            if server.address is None:
                return 1
            return self._open_room(parse_address(server.address))

    def _network(self) -> int:
        self._output.line("Listening on the network")
        tables = asyncio.run(unless_left(find(FIND_SECONDS)))
        if not tables:
            self._output.lines(found_lines(tables))
            return 0
        chosen = self._asker.choose("Tables", [*map(table_line, tables), BACK])
        if chosen == len(tables):
            return 0
        return self._rooms(asyncio.run(unless_left(reachable(tables[chosen]))))

    def _server_rooms(self) -> int:
        settings = _settings()
        known = known_servers(settings)
        titles = [title for title, _ in known]
        chosen = self._asker.choose("Which server?", [*titles, ANOTHER, BACK])
        if chosen == len(known) + 1:
            return 0
        if chosen == len(known):
            return self._rooms(settings.address(self._asker.ask("Its address", str(here()))))
        return self._rooms(known[chosen][1])

    def _rooms(self, address: Address) -> int:
        seen = asyncio.run(unless_left(visit(address, _settings())))
        if seen.trouble:
            raise ClientError(seen.trouble)
        lines = rooms_lines(seen.rooms) if seen.rooms else []
        more = ("Open a room", "Look around there", BACK)
        chosen = self._asker.choose(f"Rooms of {seen.server or address}", [*lines, *more])
        if chosen < len(lines):
            return self._enter(seen, chosen)
        if chosen == len(lines):
            return self._open_room(address)
        return self._join(address) if chosen == len(lines) + 1 else 0

    def _enter(self, seen: Visit, index: int) -> int:
        room = seen.rooms[index]
        arguments = [room.room]
        is_mine = room.room in seen.held
        if not is_mine and not room.free_seats:
            self._output.line("No seat is free: you watch")
            arguments.append("--watch")
        elif not is_mine and self._asker.choose("And there?", ("Sit down", "Watch")) == 1:
            arguments.append("--watch")
        password = self._asker.ask("The room's password") if room.private and not is_mine else ""
        return self._join(seen.address, *arguments, password=password)

    def _open_room(self, address: Address) -> int:
        while True:
            answers = {
                question.key: self._asker.ask(question.text, question.default, question.check)
                for question in FORM
            }
            if not (why := fits(answers)):
                break
            self._output.line(why)
        text = create_text(answers)
        self._output.line(f"In the lobby this is: /create {text}".rstrip())
        return self._join(address, "--create", text, password=answers[PASSWORD])

    def _continue(self) -> int:
        settings = _settings()
        addresses = [address for _, address in known_servers(settings)]
        visits = asyncio.run(unless_left(visit_all(addresses, settings)))
        seats = [(seen, code) for seen in visits for code in seen.held]
        if not seats:
            for seen in visits:
                self._output.line(seen.trouble or f"{seen.address}: no seat is held for you")
            return 0
        lines = [_held_line(seen, code) for seen, code in seats]
        chosen = self._asker.choose("Your seats", [*lines, BACK])
        if chosen == len(seats):
            return 0
        seen, code = seats[chosen]
        return self._join(seen.address, code)

    def _join(self, address: Address, *arguments: str, password: str = "") -> int:
        more = {ROOM_PASSWORD_VARIABLE: password} if password else {}
        return self._command("join", *arguments, "--server", _typed(address), **more)

    def _command(self, *arguments: str, **more: str) -> int:
        if self._plain and arguments[0] in ("play", "join"):
            arguments += ("--plain",)
        self._output.line(f"= {' '.join(['cantstop', *map(quote, arguments)])}")
        return self._run(arguments, more)


class Background:
    """A server that runs behind the menu, and ends with the ``with`` block."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = arguments
        self.address: str | None = None
        """Where it is reached from here, once it has said so."""
        self._reader: threading.Thread | None = None

    def __enter__(self) -> "Background":
        # In a session of its own: Ctrl-C is for the game in front. It ends with its input, which
        # is closed in whatever way the menu ends.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cantstop_client.attended", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        if self._reader is not None:
            self._reader.join()
        self._process.stdout.close()

    def lines_until(self, last: str) -> list[str]:
        """What it says until this line, or its end."""
        assert self._process.stdout is not None
        lines = []
        for line in self._process.stdout:
            if line.rstrip() == last:
                break
            lines.append(line.rstrip())
            command, found, address = lines[-1].rpartition("cantstop join --server ")
            # The last of them is the one for this machine.
            self.address = address if found and command else self.address
        # Nobody reads on: what else it says must not fill the pipe.
        self._reader = threading.Thread(target=self._process.stdout.read, daemon=True)
        self._reader.start()
        return lines


def known_servers(settings: Settings) -> list[tuple[str, Address]]:
    """The servers one may mean, each once: the configured, the recent, this machine's."""
    listed: list[tuple[str, Address]] = []
    if settings.server.value:
        listed.append(("the usual one", settings.address(str(settings.server.value))))
    listed += [(name, parse_address(text)) for name, text in settings.servers.value.items()]
    listed += [("lately", address) for address in recent_servers(data_directory())]
    listed.append(("this machine", here()))
    known: dict[str, tuple[str, Address]] = {}
    for title, address in listed:
        known.setdefault(address.url, (f"{address} ({title})", address))
    return list(known.values())


def run_command(arguments: Sequence[str], more: dict[str, str]) -> int:
    """Run our own program in front, on the same terminal, and wait for it."""
    # Ctrl-C is for what runs in front: the menu hears of it by the exit code. A handler, for what
    # is ignored here would be ignored there as well.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return subprocess.Popen(_full(arguments), env=os.environ | more).wait()
    finally:
        signal.signal(signal.SIGINT, before)


def _settings() -> Settings:
    return load_settings({}, os.environ, config_file())


def _held_line(seen: Visit, code: str) -> str:
    there = [room for room in seen.rooms if room.room == code]
    said = rooms_lines(there)[0] if there else code
    return f"{said}, at {seen.server or seen.address}"


def _typed(address: Address) -> str:
    return address.url if address.secure else str(address)


def _full(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "cantstop_client", *arguments]
