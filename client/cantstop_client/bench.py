"""What the client costs beside the least there is: time to the first board, memory, help.

Each program runs on a pseudo-terminal of its own, in turn with the others, so that a busy moment
hits all of them. POSIX only: no other system has such terminals.
"""

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from cantstop_client.errors import ClientError
from cantstop_client.hosting import LAST_LINE

ROWS: Final = 24
COLUMNS: Final = 80
PATIENCE: Final = 60.0
"""Seconds after which a program that shows nothing is given up."""

_PROGRAM: Final = (sys.executable, "-m", "cantstop_client")
_EMPTY_PROGRAM: Final = (sys.executable, "-c", "pass")
_EMPTY_SCREEN: Final = (
    "from prompt_toolkit.application import Application\n"
    "from prompt_toolkit.layout import Layout, Window\n"
    "from prompt_toolkit.layout.controls import FormattedTextControl\n"
    "window = Window(FormattedTextControl('ready to be ended'))\n"
    "Application(layout=Layout(window), full_screen=True).run()\n"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """Medians over the rounds. ``megabytes`` is the peak until then, None where it is not known.

    The ratios are to the floor of the same run: medians of the rounds' own.
    """

    what: str
    seconds: float
    megabytes: float | None
    time_ratio: float
    memory_ratio: float | None


@dataclass(frozen=True, slots=True)
class ClientBench:
    """``screens`` has the empty screen first, ``helps`` the empty program."""

    rounds: int
    screens: tuple[Figure, ...]
    helps: tuple[Figure, ...]

    def as_dict(self) -> dict[str, object]:
        """The same as plain values that JSON can hold."""
        return asdict(self)


Cost = tuple[float, float | None]
"""Seconds, and megabytes if they are known."""


def run_client_bench(rounds: int) -> ClientBench:
    """Measure it all so often in turn. Raises ``ClientError`` where that is not possible."""
    if rounds < 1:
        raise ClientError(f"a benchmark has at least 1 round, not {rounds}")
    if sys.platform == "win32":
        raise ClientError("this benchmark needs a pseudo-terminal, which Windows does not have")
    with tempfile.TemporaryDirectory(prefix="cantstop-bench-") as folder:
        home = Path(folder)
        with _server(home) as server:
            room = ("--create", "seats=1 target=2", "--server", server, "--name", "Bench")
            alone = ("play", "--bots", "none", "--name", "Bench")
            screens: dict[str, Callable[[], Cost]] = {
                "prompt_toolkit, empty screen": lambda: first_picture(
                    (sys.executable, "-c", _EMPTY_SCREEN), b"ready to be ended", home
                ),
                "cantstop join": lambda: first_picture(
                    (*_PROGRAM, "join", *room), b"begins the game", home
                ),
                "cantstop play, server included": lambda: first_picture(
                    (*_PROGRAM, *alone), b"YOUR TURN", home
                ),
            }
            shown = _in_turn(screens, rounds)
        helps: dict[str, Callable[[], Cost]] = {
            "python -c pass": lambda: (_seconds(_EMPTY_PROGRAM), None),
            "cantstop --help": lambda: (_seconds((*_PROGRAM, "--help")), None),
        }
        return ClientBench(rounds, shown, _in_turn(helps, rounds))


def format_client(result: ClientBench) -> str:
    """The result as a short table for people."""
    return "\n".join(
        [
            f"{COLUMNS}x{ROWS}, medians of {result.rounds} rounds; ratios to the first line",
            "",
            f"{'first picture':<32}{'time':>9}{'ratio':>7}{'memory':>10}{'ratio':>7}",
            *map(_row, result.screens),
            "",
            f"{'from start to end':<32}{'time':>9}{'ratio':>7}",
            *map(_row, result.helps),
            f"{'own work of the help':<32}"
            f"{1000 * (result.helps[1].seconds - result.helps[0].seconds):>6.0f} ms",
        ]
    )


def first_picture(command: Sequence[str], mark: bytes, home: Path) -> Cost:
    """Run it on a terminal until the mark is on the screen, and end it."""
    import fcntl
    import pty
    import struct
    import termios

    master, slave = pty.openpty()
    try:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        begun = perf_counter()
        process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=_environment(home),
            start_new_session=True,
        )
        os.close(slave)
        try:
            _await_mark(master, mark, begun, command)
            return perf_counter() - begun, peak_megabytes(process.pid)
        finally:
            process.kill()
            process.wait()
    finally:
        os.close(master)


def peak_megabytes(pid: int) -> float | None:
    """The most memory that a running process has had, where the system says so (Linux)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return None
    peak = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(peak[1]) / 1024 if peak else None


def _await_mark(master: int, mark: bytes, begun: float, command: Sequence[str]) -> None:
    seen = b""
    while mark not in seen:
        ready, _, _ = select.select([master], [], [], max(0.0, begun + PATIENCE - perf_counter()))
        data = b""
        with contextlib.suppress(OSError):
            # Linux says so, and not by an end of the file, when nobody has the terminal any more.
            data = os.read(master, 65536) if ready else b""
        if not data:
            last = seen.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise ClientError(f"{' '.join(command[:4])} showed no picture: {last}")
        seen += data


@contextlib.contextmanager
def _server(home: Path) -> Iterator[str]:
    """A server on this machine, as a process of its own: its address."""
    process = subprocess.Popen(
        [*_PROGRAM, "host", "--port", "0", "--no-announce"],
        env=_environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    try:
        address = ""
        for line in process.stdout:
            found = re.search(r"join --server (\S+)", line)
            address = found[1] if found else address
            if line.rstrip() == LAST_LINE:
                break
        if not address:
            raise ClientError("the server to measure with did not start")
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
        process.stdout.close()


def _environment(home: Path) -> dict[str, str]:
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("CANTSTOP", "COLUMNS", "LINES"))
    }
    own = {"CANTSTOP_DATA_DIR": str(home), "CANTSTOP_CONFIG_DIR": str(home)}
    return kept | own | {"TERM": "xterm-256color"}


def _seconds(command: Sequence[str]) -> float:
    begun = perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - begun


def _in_turn(programs: dict[str, Callable[[], Cost]], rounds: int) -> tuple[Figure, ...]:
    """Each program once a round, and a first time for nothing: files are read from disk then."""
    for measure in programs.values():
        measure()
    costs: dict[str, list[Cost]] = {what: [] for what in programs}
    for _ in range(rounds):
        for what, measure in programs.items():
            costs[what].append(measure())
    floor = next(iter(costs.values()))
    return tuple(_figure(what, found, floor) for what, found in costs.items())


def _figure(what: str, costs: list[Cost], floor: list[Cost]) -> Figure:
    pairs = list(zip(costs, floor, strict=True))
    memory = [cost[1] for cost in costs if cost[1] is not None]
    memories = [cost[1] / least[1] for cost, least in pairs if cost[1] and least[1]]
    return Figure(
        what,
        seconds=median(cost[0] for cost in costs),
        megabytes=median(memory) if memory else None,
        time_ratio=median(cost[0] / least[0] for cost, least in pairs),
        memory_ratio=median(memories) if memories else None,
    )


def _row(figure: Figure) -> str:
    row = f"{figure.what:<32}{1000 * figure.seconds:>6.0f} ms{figure.time_ratio:>7.2f}"
    if figure.megabytes is None or figure.memory_ratio is None:
        return row
    return row + f"{figure.megabytes:>7.0f} MB{figure.memory_ratio:>7.2f}"
