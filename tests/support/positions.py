"""Positions and whole games for the tests of the rules and of the computer players."""

import json
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

from cantstop_server.rules.board import COLUMNS, LENGTHS, NO_SEAT, Steps
from cantstop_server.rules.course import Action, Choose, Resign, Roll, Stop, apply
from cantstop_server.rules.game import Event, Game, Phase, new_game, reach_of
from cantstop_server.rules.legal import Dice
from cantstop_server.rules.setup import Setup, make_setup

VECTORS = Path(__file__).parents[1] / "data" / "vectors"
ALL_ROLLS: tuple[Dice, ...] = tuple(product(range(1, 7), repeat=4))  # type: ignore[arg-type]

SETUPS = tuple(
    make_setup(seats, target, keep_dead_markers=kept, first=first)
    for seats, target, first in ((1, 3, 0), (2, 3, 1), (2, 5, 0), (3, 4, 2), (4, 3, 3), (4, 1, 0))
    for kept in (False, True)
)

MAX_ACTIONS = 50_000
"""More than any game of the tests takes: a game that goes on beyond this never ends."""


class Ply(NamedTuple):
    """One action of a game, with the positions on both sides of it."""

    before: Game
    action: Action
    event: Event
    after: Game


def steps(by_column: Mapping[int, int]) -> Steps:
    """A row of steps from a mapping of columns."""
    return tuple(by_column.get(column, 0) for column in range(13))


def position(
    *markers: Mapping[int, int],
    runners: Mapping[int, int] | None = None,
    owners: Mapping[int, int] | None = None,
    seat: int = 0,
    setup: Setup | None = None,
) -> Game:
    """A position from mappings of columns: markers for each seat, runners, owners of columns.

    The seat to move may roll, and may stop as well if it has runners out.
    """
    setup = setup or make_setup(max(2, len(markers)))
    rows = [*markers, *({} for _ in range(setup.seats - len(markers)))]
    markers_of = tuple(steps(row) for row in rows)
    owned = tuple((owners or {}).get(column, NO_SEAT) for column in range(13))
    out = steps(runners or {})
    return new_game(setup)._replace(
        markers=markers_of,
        owners=owned,
        runners=out,
        seat=seat,
        phase=Phase.ROLL_OR_STOP if runners else Phase.ROLL,
        reach=reach_of(out, markers_of[seat], owned),
    )


def vector_rows() -> list[Any]:
    """The published cases, each a JSON object."""
    rows: list[Any] = json.loads((VECTORS / "options.json").read_text(encoding="utf-8"))
    return rows


def vector_position(row: Any) -> Game:
    """The position of a published case; claimed columns belong to the other seat."""
    return position(
        {int(column): step for column, step in row["markers"].items()},
        runners={int(column): step for column, step in row["runners"].items()},
        owners=dict.fromkeys(row["claimed"], 1),
    )


@st.composite
def positions(draw: st.DrawFn) -> Game:
    """Any position in which a roll is due, the rare and crowded ones as likely as the plain."""
    claimed = draw(st.sets(st.sampled_from(COLUMNS), max_size=9))
    open_columns = [column for column in COLUMNS if column not in claimed]
    markers = {
        column: draw(st.integers(0, LENGTHS[column] - 1), label=f"marker in {column}")
        for column in open_columns
    }
    running = draw(st.lists(st.sampled_from(open_columns), max_size=3, unique=True))
    runners = {
        column: draw(st.integers(markers[column] + 1, LENGTHS[column]), label=f"runner in {column}")
        for column in running
    }
    return position(markers, runners=runners, owners=dict.fromkeys(claimed, 1))


def random_game(seed: int, setup: Setup, *, resigning: float = 0.0) -> Iterator[Ply]:
    """A game of random actions to its end; ``resigning`` is the chance of a resignation per ply."""
    rng = Random(seed)
    game = new_game(setup)
    for _ in range(MAX_ACTIONS):
        if game.phase is Phase.OVER:
            return
        action = _random_action(rng, game, resigning)
        after, event = apply(game, action)
        yield Ply(game, action, event, after)
        game = after
    raise AssertionError(f"the game of seed {seed} does not end")


def _random_action(rng: Random, game: Game, resigning: float) -> Action:
    if rng.random() < resigning:
        left = [seat for seat in range(game.setup.seats) if seat not in game.resigned]
        return Resign(rng.choice(left))
    if game.phase is Phase.CHOOSE:
        return Choose(rng.randrange(len(game.options)))
    if game.phase is Phase.ROLL_OR_STOP and rng.random() < 0.3:
        return Stop()
    return Roll(rng.choice(ALL_ROLLS))
