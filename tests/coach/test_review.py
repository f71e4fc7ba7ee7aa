"""Reviews of games."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import random_game

from cantstop_server.coach.hint import hint
from cantstop_server.coach.report import review_as_dict, review_lines
from cantstop_server.coach.review import Review, review
from cantstop_server.players.expert.library import solve, solve_with_edge
from cantstop_server.players.registry import make_player
from cantstop_server.rules import course
from cantstop_server.rules.game import Game, Phase, choose, new_game, roll, stop
from cantstop_server.rules.setup import Setup, make_setup
from cantstop_server.simulate import seeded_dice


def played(setup: Setup, kind: str, seed: int) -> str:
    """The course of a game between players of a kind."""
    player, dice = make_player(kind), seeded_dice(seed)
    game, actions = new_game(setup), ""
    while game.phase is not Phase.OVER:
        action: course.Action
        if game.phase is Phase.CHOOSE:
            action = course.Choose(player.choose(game))
            game, _ = choose(game, action.option)
        elif game.phase is Phase.ROLL_OR_STOP and player.stop(game):
            action = course.Stop()
            game, _ = stop(game)
        else:
            action = course.Roll(dice())
            game, _ = roll(game, action.dice)
        actions += course.notation(action)
    return actions


def check_sums(found: Review) -> None:
    for account in found.accounts:
        if account.start is not None:
            assert account.result == pytest.approx(
                account.start + account.luck + account.skill, abs=1e-9
            )
            assert account.adjusted == pytest.approx(account.start + account.skill, abs=1e-9)
    assert all(decision.loss >= 0 for decision in found.decisions)


@settings(max_examples=4, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    setup=st.sampled_from(
        [make_setup(1), make_setup(2), make_setup(2, 2, first=1), make_setup(3), make_setup(4, 2)]
    ),
)
def test_the_result_is_the_start_plus_luck_plus_skill(seed: int, setup: Setup) -> None:
    found = review(setup, played(setup, "cautious", seed), solve)
    check_sums(found)
    assert found.finished
    if setup.seats > 1:
        assert sorted(round(account.result, 6) for account in found.accounts) == [
            *[0.0] * (setup.seats - 1),
            1.0,
        ]


def test_the_sums_hold_when_somebody_gives_up() -> None:
    setup = make_setup(3)
    plies = list(random_game(5, setup, resigning=0.01))
    assert any(isinstance(ply.action, course.Resign) for ply in plies)
    found = review(setup, "".join(course.notation(ply.action) for ply in plies), solve)
    check_sums(found)


def test_in_solitaire_the_result_is_the_number_of_turns() -> None:
    setup = make_setup(1)
    actions = played(setup, "keller", 3)
    found = review(setup, actions, solve)
    assert -found.accounts[0].result == pytest.approx(course.final_state(setup, actions).turn)


def test_the_strong_player_makes_no_mistake_in_its_own_eyes() -> None:
    setup = make_setup(2)
    found = review(setup, played(setup, "expert", 1), solve_with_edge)
    assert [account.loss for account in found.accounts] == [0.0, 0.0]
    assert [account.skill for account in found.accounts] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_the_strong_player_makes_small_mistakes_among_equals() -> None:
    setup = make_setup(2)
    found = review(setup, played(setup, "expert", 1), solve)
    assert all(account.average_loss < 0.01 for account in found.accounts)
    assert sum(account.blunders for account in found.accounts) == 0


def test_two_seats_share_luck_and_skill() -> None:
    setup = make_setup(2)
    first, second = review(setup, played(setup, "random", 2), solve).accounts
    assert first.luck == pytest.approx(-second.luck)
    assert first.skill == pytest.approx(-second.skill)
    assert first.loss > 0


def test_progress_is_told_to_the_end() -> None:
    setup = make_setup(2)
    told: list[tuple[int, int]] = []
    review(setup, played(setup, "cautious", 4), solve, lambda *done: told.append(done))
    assert told[-1][0] == told[-1][1] == len(told)


def test_one_decision_is_no_decisions() -> None:
    setup = make_setup(2)
    found = review(setup, played(setup, "random", 6), solve)
    once = replace(found.accounts[0], decisions=1, mistakes=1, blunders=1)
    lines = review_lines(replace(found, accounts=(once, *found.accounts[1:])), ("Ann", "Ben"), 5)
    assert any(line.startswith("Ann: 1 decision, 1 mistake, 1 blunder, average") for line in lines)


def test_a_review_reads_as_text_and_as_values() -> None:
    setup = make_setup(2)
    found = review(setup, played(setup, "random", 6), solve)
    text = "\n".join(review_lines(found, ("Ann", "Ben"), 5))
    assert "costliest" in text
    assert "blunders" in text
    assert "Chance of Ann to win" in text
    values = review_as_dict(found, ("Ann", "Ben"))
    assert [player["name"] for player in values["players"]] == ["Ann", "Ben"]
    assert values["decisions"][0]["loss"] >= 0


def asked(phase: Phase) -> Game:
    return next(p.after for p in random_game(1, make_setup(2)) if p.after.phase is phase)


def test_a_hint_lists_the_alternatives_the_best_first() -> None:
    for phase, labels in ((Phase.ROLL_OR_STOP, {"roll", "stop"}), (Phase.ROLL, {"roll"})):
        found = hint(asked(phase), solve)
        assert {alternative.label for alternative in found} == labels
        assert [a.value for a in found] == sorted((a.value for a in found), reverse=True)
    game = asked(Phase.CHOOSE)
    assert len(hint(game, solve)) == len(game.options)
