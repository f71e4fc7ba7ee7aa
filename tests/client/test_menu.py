"""What the menu asks, and the command lines that it ends in."""

import asyncio
import io
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from wire import connected, serving

from cantstop_client import menu
from cantstop_client.address import parse_address
from cantstop_client.ask import Asker
from cantstop_client.discovery import Found
from cantstop_client.glyphs import ASCII
from cantstop_client.menu import INTERRUPTED, Menu, known_servers
from cantstop_client.output import Output
from cantstop_client.recent import remember_server
from cantstop_client.settings import load_settings

FORM = 11 * "\n"
"""The questions of a room before its password, with their defaults."""


class Made:
    """A menu with answers to come, and what it ran."""

    def __init__(self, answers: str, code: int = 0) -> None:
        self.out = io.StringIO()
        self.ran: list[list[str]] = []
        self.more: list[dict[str, str]] = []
        self._code = code
        self.menu = Menu(Asker(Output(self.out, ASCII, 80), io.StringIO(answers)), self._run)

    def _run(self, arguments: Sequence[str], more: dict[str, str]) -> int:
        self.ran.append(list(arguments))
        self.more.append(more)
        return self._code

    @property
    def shown(self) -> str:
        return self.out.getvalue()


@pytest.fixture
def made(data_directory: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Made]:
    monkeypatch.setenv("CANTSTOP_NAME", "Ann")
    # Whoever else hosts on this machine just now is no business of a test.
    monkeypatch.setenv("CANTSTOP_PORT", "1")
    return Made


@contextmanager
def a_server(database: Path) -> Iterator[str]:
    """A real server in a thread of its own, with a room of Ben's: its address."""
    started: list[str] = []
    ready, done = threading.Event(), threading.Event()

    async def serve() -> None:
        async with serving(database) as server, connected(server.port, "Ben") as ben:
            await ben.create(seats=2, password="pw")
            started.append(f"127.0.0.1:{server.port}")
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(60)
        yield started[0]
    finally:
        done.set()
        thread.join()


def test_each_choice_is_numbered_and_the_last_leaves(made: Callable[..., Made]) -> None:
    asked = made("10\n")
    assert asked.menu.run() == 0
    lines = asked.shown.splitlines()
    assert lines[0] == "Can't Stop"
    assert lines[1].startswith("1) Quick game")
    assert lines[10] == "10) Leave"
    assert asked.ran == []


@pytest.mark.parametrize(
    ("answers", "arguments"),
    [
        ("1\n\n", ["play", "--bots", "keller"]),
        ("1\nrandom,keller\n", ["play", "--bots", "random,keller"]),
        ("2\nAnn,Ben\n\n", ["play", "--people", "Ann,Ben", "--bots", "none"]),
        ("7\n", ["history"]),
        ("8\n", ["stats"]),
        ("9\n", ["leaders"]),
    ],
)
def test_a_choice_is_a_command_that_is_shown(
    made: Callable[..., Made], answers: str, arguments: list[str]
) -> None:
    asked = made(answers)
    assert asked.menu.run() == 0
    assert asked.ran == [arguments]
    assert f"= cantstop {' '.join(arguments)}\n" in asked.shown
    # It comes back afterwards.
    assert asked.shown.count("Can't Stop\n") == 2


def test_without_the_full_screen_games_are_plain_and_nothing_else_is_told_so() -> None:
    ran: list[list[str]] = []

    def run(arguments: Sequence[str], more: dict[str, str]) -> int:
        ran.append(list(arguments))
        return 0

    asker = Asker(Output(io.StringIO(), ASCII, 80), io.StringIO("1\n\n7\n10\n"))
    assert Menu(asker, run, plain=True).run() == 0
    assert ran == [["play", "--bots", "keller", "--plain"], ["history"]]


def test_control_c_in_what_was_chosen_ends_the_menu_too(made: Callable[..., Made]) -> None:
    asked = made("1\n\n", INTERRUPTED)
    assert asked.menu.run() == 130
    assert asked.shown.count("Can't Stop\n") == 1


def test_the_end_of_the_input_leaves(made: Callable[..., Made]) -> None:
    assert made("").menu.run() == 0
    assert made("2\nAnn,Ben\n").menu.run() == 0


def test_tables_on_the_network_are_listed_or_it_is_said_that_there_are_none(
    made: Callable[..., Made], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables: list[Found] = []

    async def find(seconds: float) -> list[Found]:
        return tables

    monkeypatch.setattr(menu, "find", find)
    asked = made("4\n10\n")
    assert asked.menu.run() == 0
    assert "No table was heard" in asked.shown
    tables.append(Found("1", "den", "", "cantstop.1", ("127.0.0.1:1",)))
    asked = made("4\n2\n4\n1\n10\n")
    assert asked.menu.run() == 0
    assert "1) den: cantstop join --server 127.0.0.1:1\n2) Back\n" in asked.shown
    # Gone since: said in a line, and the menu is there again.
    assert "cannot reach 127.0.0.1:1" in asked.shown


def test_rooms_of_a_server_are_entered_watched_and_opened(
    made: Callable[..., Made], tmp_path: Path, data_directory: Path
) -> None:
    with a_server(tmp_path / "games.db") as address:
        remember_server(parse_address(address), data_directory)
        # The first known server; its first room; sit down, or watch; the password.
        asked = made("5\n1\n1\n1\npw\n5\n1\n1\n2\npw\n")
        assert asked.menu.run() == 0
        room = asked.ran[0][1]
        assert asked.ran == [
            ["join", room, "--server", address],
            ["join", room, "--watch", "--server", address],
        ]
        assert asked.more == 2 * [{"CANTSTOP_ROOM_PASSWORD": "pw"}]
        assert f"1) {room}: Ben; waiting, 1 free seat" in asked.shown
        assert f"{address} (lately)" in asked.shown

        # Another server, by its address: open a room there by the form.
        other = made(f"5\n3\n{address}\n2\nFriday\n3\n4\n{FORM[3:]}secret\n")
        assert other.menu.run() == 0
        assert other.ran == [["join", "--create", "Friday seats=3 target=4", "--server", address]]
        assert other.more == [{"CANTSTOP_ROOM_PASSWORD": "secret"}]
        assert "In the lobby this is: /create Friday seats=3 target=4\n" in other.shown
        assert "secret" not in other.shown

        none = made("6\n")
        assert none.menu.run() == 0
        assert f"{address}: no seat is held for you" in none.shown


def test_a_game_that_nobody_might_win_is_asked_for_again(
    made: Callable[..., Made], tmp_path: Path, data_directory: Path
) -> None:
    with a_server(tmp_path / "games.db") as address:
        remember_server(parse_address(address), data_directory)
        asked = made(f"5\n1\n2\n\n4\n5\n{FORM[3:]}\n{FORM}\n")
        assert asked.menu.run() == 0
        assert "With 4 seats at most 3 columns" in asked.shown
        assert asked.ran == [["join", "--create", "", "--server", address]]


def test_known_servers_are_each_there_once(data_directory: Path, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('server = "den"\n[servers]\nden = "10.0.0.4"\nclub = "10.0.0.5"\n', "utf-8")
    remember_server(parse_address("10.0.0.5"), data_directory)
    remember_server(parse_address("10.0.0.6"), data_directory)
    titles = [title for title, _ in known_servers(load_settings({}, {}, file))]
    assert titles == [
        "10.0.0.4:7112 (the usual one)",
        "10.0.0.5:7112 (club)",
        "10.0.0.6:7112 (lately)",
        "127.0.0.1:7112 (this machine)",
    ]
