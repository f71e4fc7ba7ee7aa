"""The installed program as people run it: processes, pipes, pseudo-terminals."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pexpect

SECONDS = 60
"""How long any one step of a program may take before the test fails."""

COMMAND = str(Path(sys.executable).parent / "cantstop")


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment in which nothing but the data directory ``home`` is special."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CANTSTOP", "COLUMNS"))}
    own = {"CANTSTOP_DATA_DIR": str(home), "CANTSTOP_CONFIG_DIR": str(home / "config")}
    return kept | own | {"TERM": "xterm", "LC_ALL": "C.UTF-8"} | more


def run(
    home: Path, *arguments: str, stdin: Any = subprocess.DEVNULL, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run ``cantstop`` to its end, without a terminal. A text as ``stdin`` is piped in."""
    given: dict[str, Any] = {"input": stdin} if isinstance(stdin, str) else {"stdin": stdin}
    return subprocess.run(
        [COMMAND, *arguments],
        env=environment(home, **more),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
        **given,
    )


class Host:
    """A running ``cantstop host``."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port
        self.address = f"127.0.0.1:{port}"

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal and wait: exit code, rest of the output, errors."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out, err


def _first_line(pipe: int) -> str:
    """Nothing beyond it is read: the rest is for ``communicate``, which passes the buffer by."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(pipe, 1)):
        line += byte
    return line.decode()


@contextmanager
def hosting(home: Path, *arguments: str, port: int = 0, **more: str) -> Iterator[Host]:
    """A server on this port or a free one, killed at the end if it still runs."""
    process = subprocess.Popen(
        [COMMAND, "host", "--port", str(port), "--bot-delay", "0", *arguments],
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        line = _first_line(process.stdout.fileno())
        bound = re.search(r":(\d+)", line)
        assert bound, line + process.stderr.read()
        yield Host(process, int(bound[1]))
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@contextmanager
def terminal(
    home: Path, *arguments: str, size: tuple[int, int] = (24, 80), **more: str
) -> Iterator[pexpect.spawn]:
    """``cantstop`` with its plain face on a pseudo-terminal of so many rows and columns."""
    child = pexpect.spawn(
        COMMAND,
        [*arguments, "--plain"],
        env=environment(home, **more),
        encoding="utf-8",
        timeout=SECONDS,
        dimensions=size,
        echo=False,
    )
    try:
        yield child
    finally:
        child.close(force=True)


def exit_code(child: pexpect.spawn) -> int | None:
    """Wait for the end of a program on a pseudo-terminal: its exit code, None if it was killed."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def decide(child: pexpect.spawn) -> bool:
    """Answer the next question on a terminal plainly; False when the game is over."""
    asked = child.expect(
        [
            r"Your turn \d+: r to roll;",
            r"You: .{1,12} to choose how to use",
            r"You: r to roll again, s to stop;[^\r\n]* count (\d+)",
            r" wins the game",
        ]
    )
    match asked:
        case 0:
            child.sendline("r")
        case 1:
            child.sendline("1")
        case 2:
            child.sendline("s" if int(child.match[1]) >= 20 else "r")
    return asked != 3
