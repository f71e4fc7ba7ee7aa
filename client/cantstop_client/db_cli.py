"""The commands of ``cantstop db``. Each loads what it needs when it runs."""

from cyclopts import App

from cantstop_client.cli_parts import Flag, existing_database, print_json, print_lines

db_app = App(name="db", help="Look after the database: check, copy, upgrade, tidy.")


@db_app.command
def check(*, database: str | None = None, json: Flag = False) -> int:
    """Check the file, replay every game by the rules, and count everything anew.

    The exit code is 1 if anything is wrong.

    Parameters
    ----------
    database
        The database; by default the one in your data directory.
    json
        Print one JSON object.
    """
    import asyncio
    import json as json_module

    from cantstop_client import local
    from cantstop_client.output import standard_output
    from cantstop_client.progress import progress_bar

    path = existing_database(database)
    with progress_bar("games") as progress:
        games, faults = asyncio.run(local.check_database(path, progress))
    name, output = local.database_name(path), standard_output()
    if json:
        values = {"database": name, "games": games, "faults": list(faults)}
        output.line(json_module.dumps(values))
    else:
        output.lines(faults)
        number = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        replayed = "1 game" if games == 1 else f"{games:,} games"
        result = f"{number} found" if faults else "nothing is wrong"
        output.line(f"{name}: {replayed} replayed, {result}")
    return 1 if faults else 0


@db_app.command
def backup(file: str, /, *, database: str | None = None) -> int:
    """Copy the database to a file, also while a server writes to it.

    Parameters
    ----------
    file
        The copy; there must be no such file yet.
    database
        The database; by default the one in your data directory.
    """
    import asyncio

    from cantstop_client import local

    path = existing_database(database)
    copy, size = asyncio.run(local.backup_database(path, file))
    print_lines([f"{local.database_name(path)} is copied to {copy} ({size:,} bytes)"])
    return 0


@db_app.command
def upgrade(*, database: str | None = None, backup: bool = True) -> int:
    """Bring an older database up to date, as every command does, without doing anything else.

    Parameters
    ----------
    database
        The database; by default the one in your data directory.
    backup
        Keep a copy of it as it was.
    """
    import asyncio

    from cantstop_client import local

    path = existing_database(database)
    if not asyncio.run(local.upgrade_database(path, copy=backup)):
        print_lines([f"{local.database_name(path)} is up to date"])
    return 0


@db_app.command
def vacuum(*, database: str | None = None) -> int:
    """Give unused space back; not while a server runs.

    Parameters
    ----------
    database
        The database; by default the one in your data directory.
    """
    import asyncio

    from cantstop_client import local

    path = existing_database(database)
    before, after = asyncio.run(local.vacuum_database(path))
    sizes = f": {before:,} bytes before, {after:,} after" if before else ""
    print_lines([f"{local.database_name(path)} is tidied up{sizes}"])
    return 0


def bench_storage(
    *, games: list[int] | None = None, rounds: int = 30, seed: int = 1, json: Flag = False
) -> int:
    """Time pages of history and a player's records with more and more games in a database.

    Parameters
    ----------
    games
        With how many games; may be given several times. By default 1000, 10000 and 100000.
    rounds
        How often each question is asked.
    seed
        Where chance starts.
    json
        Print one JSON object.
    """
    import asyncio

    from cantstop_client import local
    from cantstop_client.progress import progress_bar

    sizes = games or [1_000, 10_000, 100_000]
    with progress_bar("games") as progress:
        report, values = asyncio.run(local.bench_storage(sizes, rounds, seed, progress))
    if json:
        print_json(values)
    else:
        print_lines(report.splitlines())
    return 0
