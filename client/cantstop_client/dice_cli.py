"""``cantstop verify`` and ``cantstop dice-test``. Each loads what it needs when it runs."""

import json as json_format

from cyclopts import App

from cantstop_client.cli_parts import Dash, Flag


def register(app: App) -> None:
    """Make these commands of the program."""
    app.command(verify)
    app.command(dice_test)


def verify(game: Dash = "last", /, *, json: Flag = False, database: str | None = None) -> int:
    """Check the dice of a game that has ended; exit code 1 if they do not hold.

    Parameters
    ----------
    game
        The beginning of a game's identifier, a file that was exported, - for standard input, or
        last.
    json
        Print one JSON object.
    database
        The database; by default the one in your data directory.
    """
    import asyncio

    from cantstop_client import local
    from cantstop_client.output import standard_output
    from cantstop_client.verdict import verdict_as_dict, verdict_lines

    verdict = asyncio.run(local.verify("" if game == "last" else game, database))
    output = standard_output(wrap=not json)
    if json:
        output.line(json_format.dumps(verdict_as_dict(verdict)))
    else:
        output.lines(verdict_lines(verdict))
    return 0 if verdict.holds else 1


def dice_test(*, rolls: int = 1_000_000, json: Flag = False) -> int:
    """Roll very often with the dice of games, and say how far that is from chance.

    Parameters
    ----------
    rolls
        How many rolls of four dice.
    json
        Print one JSON object.
    """
    from cantstop_client import local
    from cantstop_client.output import standard_output

    report, values = local.dice_test(rolls)
    standard_output().lines([json_format.dumps(values)] if json else report.splitlines())
    return 0
