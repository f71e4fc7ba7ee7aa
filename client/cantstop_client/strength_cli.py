"""The command that measures the networks of a training run."""

from typing import Annotated

from cyclopts import Parameter

from cantstop_client.errors import ClientError


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
