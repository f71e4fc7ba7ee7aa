"""What holds for every kind of computer player."""

import ast
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import SETUPS, random_game

import cantstop_server.players
from cantstop_server.players.player import Player
from cantstop_server.players.registry import KINDS, THINKING_KINDS, make_player
from cantstop_server.rules.game import Game, Phase
from cantstop_server.rules.setup import Setup, make_setup
from cantstop_server.simulate import play_game, seeded_dice

every_kind = pytest.mark.parametrize("kind", [k for k in KINDS if k not in THINKING_KINDS])
"""Those that decide at once; what takes longer is asked less in a module of its own."""

ANSWERS_OF_A_GAME = """
from cantstop_server.players.registry import make_player
from cantstop_server.rules.setup import make_setup
from cantstop_server.simulate import play_game, seeded_dice
print(play_game(make_setup(2), (make_player({kind!r}),) * 2, seeded_dice(7)).game.markers)
"""


def answer(player: Player, game: Game) -> int | bool | None:
    """What the player says in this position; None where it is not asked."""
    if game.phase is Phase.CHOOSE:
        return player.choose(game)
    return player.stop(game) if game.phase is Phase.ROLL_OR_STOP else None


def asked(seed: int) -> list[Game]:
    """The positions of a random game in which a player is asked something."""
    plies = random_game(seed, make_setup(3))
    return [ply.after for ply in plies if ply.after.phase in (Phase.CHOOSE, Phase.ROLL_OR_STOP)]


@every_kind
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), setup=st.sampled_from(SETUPS))
def test_an_answer_is_always_allowed(kind: str, seed: int, setup: Setup) -> None:
    player = make_player(kind)
    for ply in random_game(seed, setup, resigning=0.005):
        if ply.after.phase is Phase.CHOOSE:
            assert player.choose(ply.after) in range(len(ply.after.options))
        elif ply.after.phase is Phase.ROLL_OR_STOP:
            assert player.stop(ply.after) in (True, False)


@every_kind
def test_a_decision_is_a_function_of_the_position_alone(kind: str) -> None:
    games = asked(1)
    player = make_player(kind)
    in_order = [answer(player, game) for game in games]
    backwards = [answer(player, game) for game in reversed(games)]
    anew = [answer(make_player(kind), game) for game in games]
    assert in_order == backwards[::-1] == anew


@every_kind
def test_the_number_of_the_turn_and_of_the_action_change_no_decision(kind: str) -> None:
    player = make_player(kind)
    for game in asked(2):
        later = game._replace(turn=game.turn + 5, ply=game.ply + 50)
        assert answer(player, later) == answer(player, game)


@every_kind
def test_a_player_object_shared_by_two_seats_is_harmless(kind: str) -> None:
    setup = make_setup(2)
    shared = make_player(kind)
    together = play_game(setup, (shared, shared), seeded_dice(3))
    apart = play_game(setup, (make_player(kind), make_player(kind)), seeded_dice(3))
    assert together == apart


@every_kind
def test_thinking_never_consumes_or_reads_dice(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    games = asked(4)
    before = random.getstate()

    def no_dice(size: int) -> bytes:
        raise AssertionError(f"a player asked for {size} random bytes")

    monkeypatch.setattr(os, "urandom", no_dice)
    player = make_player(kind)
    for game in games:
        answer(player, game)
    assert random.getstate() == before


def test_no_player_imports_a_source_of_chance_or_time() -> None:
    folder = Path(cantstop_server.players.__file__).parent
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in getattr(node, "names", [])]
            names.append(str(getattr(node, "module", "")))
            assert not {"random", "secrets", "os", "time", "uuid"} & set(names), path.name


@every_kind
def test_answers_are_the_same_in_every_process(kind: str) -> None:
    program = ANSWERS_OF_A_GAME.format(kind=kind)
    played = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(played) == 1


@every_kind
@pytest.mark.parametrize("setup", SETUPS[::2], ids=str)
def test_players_of_one_kind_play_every_game_to_an_end(kind: str, setup: Setup) -> None:
    player = make_player(kind)
    for seed in range(3):
        end = play_game(setup, (player,) * setup.seats, seeded_dice(seed)).game
        assert end.phase is Phase.OVER
        assert end.winner is not None
