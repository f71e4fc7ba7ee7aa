"""What only POSIX has is never needed: on Windows it is done another way, or left out."""

import ast
import asyncio
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from cantstop_client import bench, leaving
from cantstop_client.errors import ClientError
from cantstop_client.fullscreen.toolkit import _ended_by_signals
from cantstop_server.net import server

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for package in ("protocol", "server", "client", "migrations")
    for path in sorted((ROOT / package).rglob("*.py"))
]
POSIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "termios", "tty"}
POSIX_NAMES = {
    *("SIGALRM", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGPIPE"),
    *(
        "add_reader",
        "connect_read_pipe",
        "fork",
        "geteuid",
        "getuid",
        "killpg",
        "mkfifo",
        "openpty",
    ),
}
ALLOWED = {("bench.py", "openpty")}
"""The benchmark says in advance that it needs a pseudo-terminal."""


def loaded_at_once(tree: ast.Module) -> Iterator[str]:
    """What a module imports when it is loaded itself."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_module_needs_what_only_posix_has(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert not POSIX_MODULES.intersection(loaded_at_once(tree))
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {(path.name, name) for name in used & POSIX_NAMES} <= ALLOWED


@pytest.fixture
def no_handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A loop that takes no handlers of signals, as on Windows; those of the process come back."""

    def refuse(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(asyncio.SelectorEventLoop, "add_signal_handler", refuse)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


async def test_the_full_screen_needs_no_signal_handlers_of_the_loop(no_handlers: None) -> None:
    entered = False
    with _ended_by_signals(Mock()):
        entered = True
    assert entered


async def test_a_host_is_ended_by_signals_that_the_loop_cannot_handle(no_handlers: None) -> None:
    stopped = asyncio.Event()
    server._on_stop_signals(stopped.set)
    signal.raise_signal(signal.SIGTERM)
    await asyncio.wait_for(stopped.wait(), 60)


def test_where_terminals_cannot_be_asked_nobody_is_taken_to_have_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    assert not leaving.at_end(sys.__stdin__)  # type: ignore[arg-type]


def test_the_benchmark_of_the_screen_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ClientError, match="pseudo-terminal"):
        bench.run_client_bench(1)
