"""Numbers that look random and are a function of the position."""

from hashlib import blake2b

from cantstop_server.rules.game import Game


def spread_number(game: Game) -> int:
    """64 evenly spread bits that depend on the table alone, not on the turn's or action's number.

    The built-in ``hash`` is no use for this: what it gives may differ between processes.
    """
    table = bytearray((game.setup.target, game.setup.seats, game.seat))
    for steps in game.markers:
        table.extend(steps)
    table.extend(owner + 1 for owner in game.owners)
    table.extend(game.runners)
    table.extend(game.dice or ())
    return int.from_bytes(blake2b(table, digest_size=8).digest(), "big")
