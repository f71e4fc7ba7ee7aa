"""``cantstop history``. It loads what it needs when it runs."""

import shlex
from collections.abc import Mapping
from typing import Literal

from cantstop_client.cli_parts import Flag, chosen_database, no_database
from cantstop_client.errors import ClientError


def history(
    *,
    player: str | None = None,
    opponent: str | None = None,
    kind: str | None = None,
    seats: int | None = None,
    target: int | None = None,
    dead_markers: Literal["removed", "kept"] | None = None,
    result: Literal["won", "lost", "finished", "abandoned"] | None = None,
    since: str | None = None,
    until: str | None = None,
    limit: int = 20,
    after: str | None = None,
    database: str | None = None,
    json: Flag = False,
    csv: Flag = False,
) -> int:
    """Show the games that were played, newest first, and those that are under way.

    Parameters
    ----------
    player
        Only games of this person or kind of computer player.
    opponent
        Only games against this person or kind of computer player.
    kind
        Only games in which this kind of computer player had a seat.
    seats
        Only games of so many seats, 1 to 4.
    target
        Only games to so many columns, 1 to 5.
    dead_markers
        Only games in which others' markers left a claimed column, or stayed.
    result
        How it ended for the player; or finished, or abandoned.
    since
        A date like 2026-03-01 or a time like 2026-03-01T20:30, in UTC: it ended then or later.
    until
        It ended on that day at the latest, or before that time.
    limit
        How many at most, up to 1000.
    after
        Go on behind a game: the cursor that the page before ended with.
    database
        The database; by default the one in your data directory.
    json
        Print one JSON array.
    csv
        Print comma-separated values, a line for each game.
    """
    import asyncio
    import json as json_module

    from cantstop_client import local
    from cantstop_client.output import standard_output
    from cantstop_client.past import csv_lines, game_as_dict, games_lines
    from cantstop_client.questions import BadFilter, read_filters

    if json and csv:
        raise ClientError("--json and --csv exclude each other: leave one out")
    texts = {
        "player": player,
        "opponent": opponent,
        "kind": kind,
        "seats": None if seats is None else str(seats),
        "target": None if target is None else str(target),
        "dead_markers": dead_markers,
        "result": result,
        "since": since,
        "until": until,
    }
    try:
        fields = read_filters(texts)
    except BadFilter as error:
        raise ClientError(str(error)) from error
    path = chosen_database(database)
    games, more = asyncio.run(local.games(path, fields, limit, after))
    output = standard_output()
    if json:
        output.line(json_module.dumps([game_as_dict(game) for game in games]))
    elif csv:
        output.lines(csv_lines(games))
    elif not local.has_database(path):
        output.line(no_database(path))
    elif not games:
        output.line(_nothing(fields, limit, after))
    else:
        output.lines(games_lines(games, output.width))
        cursor = games[-1].cursor
        if more and cursor is not None:
            shown = None if database is None else local.database_name(database)
            output.line(f"More: {_again({**texts, 'database': shown}, limit, cursor)}")
    return 0


def _nothing(fields: Mapping[str, object], limit: int, after: str | None) -> str:
    if limit < 1:
        return f"A --limit of {limit} shows no game"
    if after is not None:
        return "No game comes after that"
    if fields:
        return "No game is like that: `cantstop history` shows all"
    return "No game has been played yet: `cantstop play` starts one"


def _again(options: Mapping[str, str | None], limit: int, cursor: str) -> str:
    """The command for the next page."""
    words = ["cantstop", "history"]
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", value]
    if limit != 20:
        words += ["--limit", str(limit)]
    return shlex.join([*words, "--after", cursor])
