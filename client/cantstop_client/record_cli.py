"""``cantstop export`` and ``cantstop import``. Each loads what it needs when it runs."""

from dataclasses import dataclass
from typing import Literal

from cyclopts import Parameter

from cantstop_client.cli_parts import Dash, Flag, chosen_database
from cantstop_client.errors import ClientError


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
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
    """

    plain: Flag = False
    color: Literal["auto", "always", "never"] = "auto"
    palette: Literal["auto", "dark", "light"] | None = None


_USUAL_LOOK = Look()


def export(
    game: str | None = None,
    /,
    *,
    all: Flag = False,
    output: str | None = None,
    force: Flag = False,
    jsonl: Flag = False,
    database: str | None = None,
) -> int:
    """Write a game, or all of them, as records that people read and programs parse.

    Parameters
    ----------
    game
        The beginning of a game's identifier, which `history` shows; by default the last.
    all
        Every game that has ended; with --jsonl also the server and its players, so that `import`
        makes the same database of it.
    output
        The file to write; by default standard output.
    force
        Replace the file if it is there.
    jsonl
        JSON Lines, an object a line, instead of text.
    database
        The database; by default the one in your data directory.
    """
    import asyncio
    import sys

    from cantstop_client import local
    from cantstop_client.gate import printable
    from cantstop_client.progress import progress_bar
    from cantstop_client.writing import written_to

    if all and game is not None:
        raise ClientError("--all writes every game: leave out the one")
    path = chosen_database(database)
    wanted = None if all else "" if game in (None, "last") else game
    with progress_bar("games") as bar, written_to(output, force=force) as write:
        # What is written to the terminal shows by itself how far it is.
        progress = None if output in (None, "-") else bar
        failed = asyncio.run(local.export(path, wanted, write, jsonl=jsonl, progress=progress))
    if sys.stderr is not None:
        for problem in failed:
            print(f"cantstop: {printable(problem)}", file=sys.stderr)
    return 1 if failed else 0


def import_(*files: Dash, database: str | None = None) -> int:
    """Take in games that were exported; each is replayed by the rules first.

    Parameters
    ----------
    files
        Files of records or JSON Lines; - is standard input.
    database
        The database; by default the one in your data directory, made if there is none.
    """
    from cantstop_client import local
    from cantstop_client.output import standard_output
    from cantstop_client.progress import progress_bar

    if not files:
        raise ClientError("name the files to import, or - for standard input")
    with progress_bar("games") as progress:
        lines = local.import_files(chosen_database(database), files, progress)
    standard_output().lines(lines)
    return 0


def replay(
    game: Dash = "last",
    /,
    *,
    turn: int = 1,
    server: str | None = None,
    database: str | None = None,
    server_password: str | None = None,
    tls_ca: str | None = None,
    look: Look = _USUAL_LOOK,
) -> int:
    """Show a game again, step by step, in the same board as live play.

    Parameters
    ----------
    game
        The beginning of a game's identifier, a file that was exported, - for standard input, or
        last.
    turn
        The turn to begin with.
    server
        Ask this server for the game, instead of a database.
    database
        The database; by default the one in your data directory.
    server_password
        The server's password, if it asks for one; also CANTSTOP_SERVER_PASSWORD.
    tls_ca
        A file with the certificate to trust, for a wss:// server with one of its own making.
    """
    from cantstop_client.replay import show

    wanted = "" if game == "last" else game
    if server is not None and database is not None:
        raise ClientError("--server and --database: name one of the two")
    options = show.ReplayOptions(
        game=wanted,
        turn=turn,
        database=database,
        server=server,
        server_password=server_password,
        tls_ca=tls_ca,
        plain=look.plain,
        color=look.color,
        palette=look.palette,
    )
    return show.replay(options)
