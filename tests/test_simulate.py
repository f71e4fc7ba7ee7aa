"""Whole games between computer players."""

import pytest
from positions import ALL_ROLLS

from cantstop_server.players.registry import make_player
from cantstop_server.rules.game import Phase
from cantstop_server.rules.setup import make_setup
from cantstop_server.simulate import play_game, seeded_dice


def test_a_seed_gives_the_same_rolls_and_another_seed_others() -> None:
    def rolls(seed: int) -> list[tuple[int, int, int, int]]:
        dice = seeded_dice(seed)
        return [dice() for _ in range(50)]

    assert rolls(1) == rolls(1) != rolls(2)
    assert set(rolls(1)) <= set(ALL_ROLLS)


def test_seeded_dice_give_every_roll_about_as_often() -> None:
    dice = seeded_dice(4)
    rolls = [dice() for _ in range(60_000)]
    assert len(set(rolls)) == 1296
    for place in range(4):
        for face in range(1, 7):
            assert 9_500 < sum(roll[place] == face for roll in rolls) < 10_500


def test_each_seat_is_asked_its_own_player() -> None:
    keller, random = make_player("keller"), make_player("random")
    dice = seeded_dice(2)
    wins = sum(
        play_game(make_setup(2, first=number % 2), (random, keller), dice).game.winner == 1
        for number in range(40)
    )
    assert wins > 30


def test_a_game_ends_and_counts_its_rolls_and_decisions() -> None:
    player = make_player("keller")
    played = play_game(make_setup(1), (player,), seeded_dice(9))
    assert played.game.phase is Phase.OVER
    assert played.game.winner == 0
    assert played.game.ply >= played.rolls
    assert played.game.turn < played.rolls


def test_a_player_for_each_seat_is_needed() -> None:
    with pytest.raises(ValueError, match="2 seats need as many players, not 1"):
        play_game(make_setup(2), (make_player("keller"),), seeded_dice(1))
