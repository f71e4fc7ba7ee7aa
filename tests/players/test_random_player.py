"""The player without a plan."""

from collections import Counter
from collections.abc import Callable

import pytest
from positions import position, random_game, steps

from cantstop_server.players.random_player import RandomPlayer
from cantstop_server.rules.game import Game, Phase
from cantstop_server.rules.setup import make_setup


@pytest.fixture(scope="module")
def played() -> list[Game]:
    """The positions of some random games."""
    return [ply.after for seed in range(60) for ply in random_game(seed, make_setup(2))]


def test_it_stops_at_about_one_question_in_three(played: list[Game]) -> None:
    asked = [game for game in played if game.phase is Phase.ROLL_OR_STOP]
    stops = sum(map(RandomPlayer().stop, asked))
    assert 0.30 < stops / len(asked) < 0.37


def test_it_takes_each_option_about_as_often(played: list[Game]) -> None:
    asked = [game for game in played if len(game.options) == 3]
    taken = Counter(map(RandomPlayer().choose, asked))
    assert len(asked) > 500
    assert all(0.28 < taken[index] / len(asked) < 0.39 for index in range(3))


BOARDS = [
    position({7: marker}, {6: 2}, runners={7: marker + 1, 8: step})
    for marker in range(5)
    for step in range(1, 7)
]

CHANGES: dict[str, Callable[[Game], Game]] = {
    "own marker": lambda game: game._replace(markers=(steps({7: 1, 3: 1}), game.markers[1])),
    "another's marker": lambda game: game._replace(markers=(game.markers[0], steps({6: 3}))),
    "runner": lambda game: game._replace(runners=steps({7: 9, 8: 8})),
    "owner": lambda game: game._replace(owners=position(owners={2: 1}).owners),
    "which owner": lambda game: game._replace(owners=position(owners={2: 0}).owners),
    "seat": lambda game: game._replace(seat=1),
    "target": lambda game: game._replace(setup=make_setup(2, 5)),
    "dice": lambda game: game._replace(dice=(1, 2, 3, 4)),
}


def test_each_change_on_the_table_may_change_its_mind() -> None:
    player = RandomPlayer()
    answers = {
        name: tuple(player.stop(change(game)) for game in BOARDS)
        for name, change in {"none": lambda game: game, **CHANGES}.items()
    }
    assert len(set(answers.values())) == len(CHANGES) + 1
