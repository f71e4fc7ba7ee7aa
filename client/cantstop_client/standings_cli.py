"""``stats``, ``leaders`` and ``players``. Each loads what it needs when it runs."""

from cyclopts import App

from cantstop_client.cli_parts import (
    Flag,
    chosen_database,
    existing_database,
    no_database,
    print_json,
    print_lines,
)
from cantstop_client.errors import ClientError

players_app = App(name="players", help="Rename the players of a database, or merge two into one.")


def stats(
    name: str | None = None,
    /,
    *,
    database: str | None = None,
    json: Flag = False,
) -> int:
    """Show who won how often, or all about one player: rating, opponents, habits, luck.

    Parameters
    ----------
    name
        This player, with plots.
    database
        The database; by default the one in your data directory.
    json
        Print one JSON array.
    """
    import asyncio

    from cantstop_client import local
    from cantstop_client.archive import record_as_dict, stats_as_dict, stats_lines
    from cantstop_client.output import standard_output
    from cantstop_client.standings import stats_page

    path, output = chosen_database(database), standard_output()
    if name is None:
        records = asyncio.run(local.records(path, None))
        if json:
            print_json([record_as_dict(record) for record in records])
        else:
            print_lines(stats_lines(records) if local.has_database(path) else [no_database(path)])
        return 0
    found = asyncio.run(local.stats(path, name))
    if json:
        print_json([stats_as_dict(record, player) for record, player in found])
    elif not local.has_database(path):
        print_lines([no_database(path)])
    elif not any(player.by_seats for _, player in found):
        print_lines([f"No finished game of {name!r} is on record"])
    else:
        for _, player in found:
            print_lines(stats_page(player, output.width, output.glyphs))
    return 0


def leaders(*, limit: int = 20, database: str | None = None, json: Flag = False) -> int:
    """Show who leads the ratings, and the best solitaire scores.

    Parameters
    ----------
    limit
        How many of each at most.
    database
        The database; by default the one in your data directory.
    json
        Print one JSON object.
    """
    import asyncio

    import msgspec

    from cantstop_client import local
    from cantstop_client.output import standard_output
    from cantstop_client.standings import leaders_page

    path = chosen_database(database)
    rated, solitaire = asyncio.run(local.leaders(path, limit))
    if json:
        values = msgspec.to_builtins({"rated": rated, "solitaire": solitaire})
        print_json(values)
    elif not local.has_database(path):
        print_lines([no_database(path)])
    else:
        print_lines(leaders_page(rated, solitaire, standard_output().width))
    return 0


@players_app.command
def rename(old: str, new: str, /, *, database: str | None = None) -> int:
    """Give a person another name; no server may run on the database.

    Parameters
    ----------
    old
        The name now.
    new
        The name from now on. The person joins with it: the old one is free for anybody.
    database
        The database; by default the one in your data directory.
    """
    import asyncio

    from cantstop_client import local

    shown = asyncio.run(local.rename_player(existing_database(database), old, new))
    print_lines([f"{old} is called {shown} from now on: join with --name {shown!r}"])
    return 0


@players_app.command
def merge(
    source: str,
    into: str,
    /,
    *,
    yes: Flag = False,
    database: str | None = None,
) -> int:
    """Make one person of two; no server may run on the database.

    Parameters
    ----------
    source
        Who goes: the games become the other's, and the name is free for anybody.
    into
        Who stays, with name and token.
    yes
        Do it: it cannot be undone.
    database
        The database; by default the one in your data directory.
    """
    import asyncio

    from cantstop_client import local

    path = existing_database(database)
    if not yes:
        raise ClientError(
            f"all games of {source} would become those of {into}, for good: add --yes to do it"
        )
    asyncio.run(local.merge_players(path, source, into))
    print_lines([f"The games of {source} are those of {into} now; ratings are worked out anew"])
    return 0
