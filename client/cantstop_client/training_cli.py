"""The commands that train the strong player's networks and measure them."""

from typing import Annotated

from cyclopts import Parameter

from cantstop_client.errors import ClientError


def train(
    folder: str,
    /,
    *,
    games: int = 24_000,
    seats: int = 2,
    targets: str = "3",
    opponents: str = "expert",
    start: str | None = None,
    rate: float = 0.003,
    seed: int = 1,
) -> int:
    """Train the strong player by play; needs the extra `train`.

    Parameters
    ----------
    folder
        Where the networks go, one for every 500 games and the last.
    games
        How many games.
    seats
        2, which serve for more, too, or 1 for solitaire.
    targets
        How many columns win, such as 3 or 2,4,5: drawn for each game.
    opponents
        Who plays against it, such as expert,expert,glenn,rule28,keller: drawn for each game.
        expert is itself.
    start
        The file of a network to go on from, instead of chance.
    rate
        The size of the first steps; it falls to a hundredth of the default.
    seed
        Where chance starts; the same seed gives the same network.
    """
    from cantstop_client import local
    from cantstop_client.output import standard_output

    try:
        drawn = tuple(int(part) for part in targets.split(","))
    except ValueError:
        raise ClientError(f"--targets takes whole numbers, not {targets!r}") from None
    if games < 1:
        raise ClientError(f"--games is at least 1, not {games}")
    if not 0.00003 <= rate <= 0.1:
        raise ClientError(f"--rate is from 0.00003 to 0.1, not {rate}")
    against = tuple(opponents.split(","))
    line = standard_output().line
    line(local.train(folder, games, seats, drawn, against, start, rate, seed, line))
    return 0


def strength(
    files: tuple[str, ...],
    /,
    *,
    games: int = 1000,
    seed: int = 1,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Measure networks against the published players; needs the extra `train`.

    The luck of the dice is taken out of the results, so that a game tells as much as three or four
    of a match in the arena.

    Parameters
    ----------
    files
        Networks for two seats, such as the checkpoints of a training run.
    games
        How many games with each opponent. The seats take turns to begin.
    seed
        Where the dice start.
    json
        Print one JSON object a line.
    """
    from cantstop_client import local
    from cantstop_client.output import standard_output

    if games < 1:
        raise ClientError(f"--games is at least 1, not {games}")
    if not files:
        raise ClientError("name the file of a network, such as runs/duel/0014000.npz")
    for file in files:
        for line in local.strength(file, games, seed, json):
            standard_output().line(line)
    return 0
