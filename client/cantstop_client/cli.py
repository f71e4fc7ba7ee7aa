"""The ``cantstop`` command. Each command loads what it needs when it runs: help is quick."""

import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, CycloptsError, Parameter

from cantstop_client import dice_cli
from cantstop_client.admin_cli import admin_app
from cantstop_client.bench_cli import bench_app
from cantstop_client.cli_parts import Flag, chosen_database, print_json, print_lines
from cantstop_client.errors import ClientError, InputEnded, OutputClosed
from cantstop_client.help_pages import FilledPages
from cantstop_client.standings_cli import leaders, players_app, stats

if TYPE_CHECKING:
    from cantstop_client.ask import Asker
    from cantstop_client.faces import FaceOptions
    from cantstop_client.settings import Settings

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it: 128 and the number of SIGINT."""


def _version() -> str:
    from importlib.metadata import version

    return f"cantstop {version('cantstop')}"


app = App(
    name="cantstop",
    help="Can't Stop in the terminal: host a table on the network, join one, or play alone.",
    help_format="plaintext",
    help_formatter=FilledPages(),
    version=_version,
)
app.command(bench_app)
app.command(
    "cantstop_client.completion:completion_app",
    name="completion",
    help="Let the shell complete commands and options.",
)
app.command(admin_app)
app.command(
    "cantstop_client.history_cli:history",
    name="history",
    help="Show the games that were played, newest first.",
)
app.command(
    "cantstop_client.db_cli:db_app",
    name="db",
    help="Look after the database: check, copy, upgrade, tidy.",
)
bench_app.command(
    "cantstop_client.db_cli:bench_storage",
    name="storage",
    help="Time history and records with more and more games.",
)
app.command(stats)
app.command(leaders)
app.command(players_app)
app.command(
    "cantstop_client.record_cli:export",
    name="export",
    help="Write games as records that people read and programs parse.",
)
app.command(
    "cantstop_client.record_cli:import_",
    name="import",
    help="Take in games that were exported; each is replayed by the rules first.",
)
app.command(
    "cantstop_client.record_cli:replay",
    name="replay",
    help="Show a game again, step by step, in the same board as live play.",
)
dice_cli.register(app)
app.command(
    "cantstop_client.training_cli:train",
    name="train",
    help="Train the strong player by play; needs the extra `train`.",
)
app.command(
    "cantstop_client.training_cli:strength",
    name="strength",
    help="Measure networks against the published players; needs the extra `train`.",
)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """How it looks.

    Parameters
    ----------
    plain
        Line by line, without the full screen: also for screen readers.
    color
        Colours; auto looks at the terminal and at NO_COLOR.
    palette
        Colours for a dark or a light background; by default CANTSTOP_PALETTE, or that of your
        configuration.
    bell
        Ring for your turn and for your name, for your name alone, or never; by default
        CANTSTOP_BELL, or that of your configuration.
    mouse
        Click options; the terminal's own selection of text then needs Shift.
    json
        Messages and commands as JSON lines, for programs.
    """

    plain: Flag = False
    color: Literal["auto", "always", "never"] = "auto"
    palette: Literal["auto", "dark", "light"] | None = None
    bell: Literal["turn", "mention", "off"] | None = None
    mouse: Flag = False
    json: Flag = False


_USUAL_FACE = Face()


@app.default
def lobby(*, plain: Flag = False) -> int:
    """Choose from a menu what to do; without a terminal, print this help.

    Parameters
    ----------
    plain
        What is chosen is played line by line, without the full screen.
    """
    from cantstop_client.streams import is_terminal, standard_input

    if not (is_terminal(standard_input()) and is_terminal(sys.stdout)):
        app.help_print([])
        return 0
    from cantstop_client.menu import Menu

    return Menu(_asker(), plain=plain).run()


@app.command
def host(
    *,
    config: str | None = None,
    bind: str | None = None,
    port: int | None = None,
    database: str | None = None,
    name: str | None = None,
    bot_delay: float | None = None,
    busy_timeout: float | None = None,
    password: str | None = None,
    tls_cert: str | None = None,
    tls_key: str | None = None,
    compression: Annotated[bool | None, Parameter(negative=())] = None,
    metrics_public: Annotated[bool | None, Parameter(negative=())] = None,
    log_level: Literal["debug", "info", "warning", "error"] | None = None,
    log_format: Literal["text", "json"] | None = None,
    announce: bool = True,
) -> int:
    """Host tables for others; ends with Ctrl-C.

    An option that is not given comes from the environment, as CANTSTOP_PORT, else from the file,
    else it is the default.

    Parameters
    ----------
    config
        A TOML file with these options and more: port = 7112; also CANTSTOP_CONFIG.
    bind
        The address to listen on: 0.0.0.0 or :: for everyone on the network; else 127.0.0.1.
    port
        The port to listen on, 7112 by default; 0 takes any free one.
    database
        A file or a database URL; by default one in your data directory.
    name
        What the server is called; cantstop by default, CANTSTOP_SERVER_NAME in the environment.
    bot_delay
        Seconds that a computer player takes for a move; 0.8 by default.
    busy_timeout
        Seconds to wait for another program's lock on the database; 5 by default.
    password
        What everyone must know who wants in. Others on this machine may see it here: better put
        it in the file or the environment.
    tls_cert
        A certificate in PEM form, for secure connections (wss://); with --tls-key.
    tls_key
        The key of the certificate, without a passphrase.
    compression
        Compress messages for those who ask for it with join --compression: for slow links.
    metrics_public
        Answer /healthz and /metrics to others than this machine, too.
    log_level
        What is logged to standard error: warning by default.
    log_format
        Lines of key=value (text, the default) or of JSON.
    announce
        Let others on the network find the server; one for this machine alone is not announced.
    """
    import os

    from cantstop_client import local
    from cantstop_client.hosting import Hosting
    from cantstop_client.output import standard_output

    options = {
        "bind": bind,
        "port": port,
        "database": database or None,
        "name": name,
        "bot_delay": bot_delay,
        "busy_timeout": busy_timeout,
        "password": password,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "compression": compression,
        "metrics_public": metrics_public,
        "log_level": log_level,
        "log_format": log_format,
    }
    file = config or os.environ.get("CANTSTOP_CONFIG") or None
    output = standard_output(wrap=True)
    hosting = Hosting(output, announce=announce)
    local.run_server(
        hosting.until(local.host(options, file, chosen_database(None), hosting.started))
    )
    output.line("The server has ended")
    return 0


@app.command
def join(
    code: str | None = None,
    /,
    *,
    server: str | None = None,
    name: str | None = None,
    watch: Flag = False,
    password: str | None = None,
    create: str | None = None,
    server_password: str | None = None,
    tls_ca: str | None = None,
    compression: Flag = False,
    face: Face = _USUAL_FACE,
) -> int:
    """Join a table, or look around on a server.

    Parameters
    ----------
    code
        The room's code; without one you see the list of rooms.
    server
        HOST, HOST:PORT, [IPV6]:PORT, ws://..., wss://..., or a name from your configuration; by
        default that of CANTSTOP_SERVER or your configuration, else one on this machine, else one
        that is found on the network.
    name
        What others call you; by default CANTSTOP_NAME, or the name you used last.
    watch
        Watch without a seat.
    password
        The room's password; also CANTSTOP_ROOM_PASSWORD.
    create
        Open a room at once: what /create takes, such as "Friday seats=3".
    server_password
        The server's password, if it asks for one; also CANTSTOP_SERVER_PASSWORD.
    tls_ca
        A file with the certificate to trust, for a wss:// server with one of its own making.
    compression
        Ask for compressed messages, for a slow link; the server must have been started with it.
    """
    import os

    from cantstop_client import app as program
    from cantstop_client.whereto import server_to_join

    if code is not None and create is not None:
        raise ClientError("--create opens a room of its own: leave out the code")
    if create is not None and watch:
        raise ClientError("--create takes a seat: leave out --watch")
    if password is None:
        password = os.environ.get("CANTSTOP_ROOM_PASSWORD", "")
    if server_password is None:
        server_password = os.environ.get("CANTSTOP_SERVER_PASSWORD", "")
    settings = _settings(server=server, palette=face.palette, bell=face.bell)
    address = server_to_join(settings, None if face.json else _asker_if_terminal())
    options = program.JoinOptions(
        address,
        code,
        name,
        watch,
        password,
        server_password=server_password,
        tls_ca=tls_ca,
        compression=compression,
        create=create,
        face=_face_options(settings, face),
    )
    return program.run(program.join(options))


@app.command
def play(
    *,
    bots: str | None = None,
    people: str | None = None,
    target: int = 3,
    auto: Annotated[
        list[str] | None, Parameter(consume_multiple=(0, 1), negative=(), metavar="[KIND]")
    ] = None,
    name: str | None = None,
    bot_delay: float | None = None,
    database: str | None = None,
    dead_markers: Literal["removed", "kept"] = "removed",
    rated: Flag = False,
    face: Face = _USUAL_FACE,
) -> int:
    """Play against the computer, or with others at this keyboard, here and now.

    Parameters
    ----------
    bots
        Kinds of computer players, such as keller,random; none for solitaire. By default keller,
        and none with --people.
    people
        Who shares this keyboard, such as Ann,Ben: each has a seat and a record, and it is played
        line by line.
    target
        How many columns win.
    auto
        Let a computer play your seat to the end of the game: keller, or this kind.
    name
        Your name in the records; by default CANTSTOP_NAME, or the name you used last.
    bot_delay
        Seconds that a computer player takes for a move; none without a terminal.
    database
        Where the game is kept; by default in your data directory.
    dead_markers
        Whether others' markers stay in a claimed column.
    rated
        Let the game count for the ratings; there are no hints then.
    """
    from cantstop_client import app as program
    from cantstop_client.commands import DEFAULT_PILOT
    from cantstop_client.hotseat import read_people

    names = () if people is None else read_people(people)
    if names and name is not None:
        raise ClientError("--people has the names: leave out --name")
    if names and face.json:
        raise ClientError("--json plays one seat: leave out --people")
    if bots is None:
        bots = "" if names else "keller"
    kinds = tuple(kind for kind in (part.strip() for part in bots.split(",")) if kind)
    options = program.PlayOptions(
        bots=() if kinds == ("none",) else kinds,
        target=target,
        dead_markers=dead_markers,
        auto=None if auto is None else (auto or [DEFAULT_PILOT])[0],
        name=name,
        bot_delay=None if bot_delay is None else _delay(bot_delay),
        database=chosen_database(database),
        people=names,
        rated=rated,
        face=_face_options(_settings(palette=face.palette, bell=face.bell), face),
    )
    return program.run(program.play(options))


@app.command
def find(*, seconds: float = 3.0, json: Flag = False) -> int:
    """List the tables that are announced on the network.

    Parameters
    ----------
    seconds
        How long to listen.
    json
        Print one JSON array.
    """
    import asyncio

    from cantstop_client.discovery import find as search
    from cantstop_client.discovery import found_lines
    from cantstop_client.leaving import unless_left

    if not math.isfinite(seconds) or not 0 < seconds <= 60:
        raise ClientError(f"--seconds is a number of seconds up to 60, not {seconds}")
    tables = asyncio.run(unless_left(search(seconds)))
    if json:
        print_json([table.as_dict() for table in tables])
    else:
        print_lines(found_lines(tables))
    return 0


@app.command
def config(*, name: str | None = None, server: str | None = None, json: Flag = False) -> int:
    """Show where your configuration is, what is in force, and why.

    Parameters
    ----------
    name
        As if this had been given to another command.
    server
        As if this had been given to another command.
    json
        Print one JSON object.
    """
    from cantstop_client.showconfig import as_dict, as_lines

    settings = _settings(name=name, server=server)
    if json:
        print_json(as_dict(settings))
    else:
        print_lines(as_lines(settings))
    return 0


@app.command
def arena(
    a: str,
    b: str,
    /,
    *,
    games: int = 1000,
    seats: int = 2,
    target: int = 3,
    seed: int = 1,
    jobs: int | None = None,
    json: Flag = False,
) -> int:
    """Let two kinds of computer player play a match, and print who wins how often.

    Parameters
    ----------
    a
        A kind of computer player; it has one seat.
    b
        The kind in all other seats.
    games
        How many games. The seats take turns to begin.
    seats
        2 to 4; 1 is solitaire, where fewer turns win.
    target
        How many columns win.
    seed
        Where the dice start.
    jobs
        How many processes; by default one for each core.
    json
        Print one JSON object.
    """
    from cantstop_client import local
    from cantstop_client.progress import progress_bar

    with progress_bar("games") as progress:
        report, values = local.arena(a, b, games, seats, target, seed, jobs, progress)
    if json:
        print_json(values)
    else:
        print_lines(report.splitlines())
    return 0


@app.command
def review(
    game: str = "last",
    /,
    *,
    worst: int = 10,
    database: str | None = None,
    json: Flag = False,
) -> int:
    """Say how good the decisions of a game were, and how much luck there was.

    Parameters
    ----------
    game
        The beginning of a game's identifier, which `history` shows, or last.
    worst
        How many of the costliest decisions to list.
    database
        The database; by default the one in your data directory.
    json
        Print one JSON object, with every decision and roll.
    """

    from cantstop_client import local
    from cantstop_client.progress import progress_bar

    wanted = "" if game == "last" else game
    with progress_bar("actions") as progress:
        lines, values = local.review(chosen_database(database), wanted, worst, progress)
    if json:
        print_json(values)
    else:
        print_lines(lines)
    return 0


@app.command
def odds(
    *runners: str,
    markers: str = "",
    claimed: str = "",
    rule28: Flag = False,
    json: Flag = False,
) -> int:
    """Print the chances: of a position, or of every column and triple of columns.

    Parameters
    ----------
    runners
        Where the runners stand, as column:step, such as 6:3 7:2 8:2.
    markers
        The own markers, such as 6:2,7:1.
    claimed
        Claimed columns, such as 2,12.
    rule28
        Print how near to the optimum the Rule of 28 stops; takes some seconds.
    json
        Print one JSON object.
    """
    from cantstop_client import local

    if runners or markers or claimed:
        closed = frozenset(_whole(part, "--claimed") for part in _parts(claimed))
        lines, values = local.odds(
            _steps(runners, "a runner"), _steps(_parts(markers), "a marker"), closed
        )
    else:
        lines, values = local.odds_tables(rule28)
    if json:
        print_json(values)
    else:
        print_lines(lines)
    return 0


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script. Ends the process with an exit code; no traceback reaches a person."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run a command line: the exit code."""
    try:
        result = app(
            list(arguments), exit_on_error=False, print_error=False, result_action="return_value"
        )
        return result if isinstance(result, int) else 0
    except (ClientError, CycloptsError) as error:
        return _complain(str(error))
    except InputEnded:
        return 0
    except KeyboardInterrupt:
        if sys.stderr is not None and sys.stderr.isatty():
            # The terminal has put ^C where the next prompt would begin.
            print(file=sys.stderr)
        return INTERRUPTED
    except (OutputClosed, BrokenPipeError):
        return _hang_up()
    except Exception as error:  # noqa: BLE001 - the last handler there is
        return _complain(f"a fault in this program: {type(error).__name__}: {error}")


def _complain(text: str) -> int:
    from shutil import get_terminal_size

    from cantstop_client.gate import printable
    from cantstop_client.streams import is_terminal
    from cantstop_client.widths import wrapped

    if sys.stderr is not None:
        shown = f"cantstop: {printable(text)}"
        if is_terminal(sys.stderr):
            shown = "\n".join(wrapped(shown, get_terminal_size().columns))
        print(shown, file=sys.stderr)
    return 1


def _hang_up() -> int:
    """Nobody reads any more. What is still buffered must not fail again when Python ends."""
    import contextlib
    import os

    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _settings(**options: str | None) -> "Settings":
    import os

    from cantstop_client.paths import config_file
    from cantstop_client.settings import load_settings

    return load_settings(options, os.environ, config_file())


def _face_options(settings: "Settings", face: Face) -> "FaceOptions":
    """What was given on the command line, and what the settings say about the rest."""
    from cantstop_client.faces import FaceOptions

    chosen = {key: settings.rows()[key].value for key in ("palette", "bell", "keys")}
    return FaceOptions(**asdict(face) | chosen)


def _asker() -> "Asker":
    from cantstop_client.ask import Asker
    from cantstop_client.output import standard_output
    from cantstop_client.streams import standard_input

    return Asker(standard_output(), standard_input())


def _asker_if_terminal() -> "Asker | None":
    from cantstop_client.streams import is_terminal, standard_input

    return _asker() if is_terminal(standard_input()) else None


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _steps(parts: Sequence[str], what: str) -> dict[int, int]:
    steps = {}
    for part in parts:
        column, colon, step = part.partition(":")
        if not colon or not column.isdecimal() or not step.isdecimal():
            raise ClientError(f"{what} is column:step, such as 7:3, not {part!r}")
        steps[int(column)] = int(step)
    return steps


def _whole(text: str, option: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ClientError(f"{option} takes whole numbers, not {text!r}") from None


def _delay(seconds: float) -> float:
    if not math.isfinite(seconds) or not 0 <= seconds <= 60:
        raise ClientError(f"--bot-delay is a number of seconds from 0 to 60, not {seconds}")
    return seconds
