"""The player without a plan."""

from collections import Counter

import pytest
from positions import position, random_game

from cantstop_server.players.random_player import RandomPlayer
from cantstop_server.rules.game import Game, Phase, roll
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


def test_everything_on_the_table_may_change_its_mind() -> None:
    base = position({7: 3}, {6: 2}, runners={7: 4, 8: 1})
    others = {
        "own marker": position({7: 2}, {6: 2}, runners={7: 4, 8: 1}),
        "another's marker": position({7: 3}, {6: 3}, runners={7: 4, 8: 1}),
        "runner": position({7: 3}, {6: 2}, runners={7: 5, 8: 1}),
        "owner": position({7: 3}, {6: 2}, runners={7: 4, 8: 1}, owners={2: 1}),
        "seat": position({7: 3}, {6: 2}, runners={7: 4, 8: 1}, seat=1),
        "target": position({7: 3}, {6: 2}, runners={7: 4, 8: 1}, setup=make_setup(2, 5)),
    }
    player = RandomPlayer()
    rolls = [(a, b, c, d) for a in (1, 2) for b in (3, 4) for c in (5, 6) for d in (1, 6)]

    def answers(game: Game) -> list[int]:
        return [player.choose(roll(game, dice)[0]) for dice in rolls]

    for name, game in others.items():
        assert answers(game) != answers(base), name
