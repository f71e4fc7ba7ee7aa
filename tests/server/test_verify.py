"""A game with anything altered fails, and the exact roll is named."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from typing import Any

import pytest
from dicetable import DiceTable
from roomscript import ANN, BEN

from cantstop_protocol import commands
from cantstop_protocol.dice import (
    Chain,
    Terms,
    Word,
    commitment,
    committed_roll,
    digits,
    seal,
    server_root,
    witnessed_roll,
)
from cantstop_protocol.proof import Played, Proof, Witnessing, ending, proof_text, read_proof
from cantstop_server.rules.course import Choose, Roll, notation, parse_course
from cantstop_server.storage.types import ArchivedGame
from cantstop_server.verify import NO_PROOF, verify_game

DRAWN = 2
"""How many rolls for the first seat the games of these tests begin with."""


def played(kind: str, seed: int = 3, **options: Any) -> ArchivedGame:
    table = DiceTable(2, seed=seed, dice=kind, target=2, **options)
    table.do(ANN, commands.Start)
    game = table.play()
    assert game is not None
    assert len(read_proof(game.proof or "").draw) == DRAWN
    return game


@pytest.fixture(scope="module", params=["committed", "witnessed"])
def game(request: pytest.FixtureRequest) -> ArchivedGame:
    return played(request.param)


def with_proof(game: ArchivedGame, change: Callable[[dict[str, Any]], None]) -> ArchivedGame:
    assert game.proof is not None
    proof = json.loads(game.proof)
    change(proof)
    return replace(game, proof=json.dumps(proof))


def turned(digits: str) -> str:
    """Another value of the same form."""
    return ("1" if digits[0] == "0" else "0") + digits[1:]


def places(game: ArchivedGame, kind: type) -> list[tuple[int, int]]:
    """Where the actions of a kind begin in the course, and how many rolls came before."""
    actions = list(parse_course(game.course))
    begins = accumulate((len(notation(action)) for action in actions), initial=0)
    rolls = accumulate((isinstance(action, Roll) for action in actions), initial=0)
    return [
        (at, before)
        for action, at, before in zip(actions, begins, rolls, strict=False)
        if isinstance(action, kind)
    ]


def test_games_as_they_were_played_hold(game: ArchivedGame) -> None:
    verdict = verify_game(game)
    assert verdict.holds
    assert verdict.dice.rolls == DRAWN + len(places(game, Roll))
    assert verdict.dice.missing == verdict.idle == ()
    witnessed = len(places(game, Roll)) if verdict.kind == "witnessed" else 0
    assert verdict.dice.witnessed == witnessed


def test_an_altered_die_is_found_in_its_roll(game: ArchivedGame) -> None:
    for place, before in places(game, Roll):
        for die in range(4):
            at = place + die
            other = str(int(game.course[at]) % 6 + 1)
            altered = replace(game, course=game.course[:at] + other + game.course[at + 1 :])
            verdict = verify_game(altered)
            assert verdict.dice.roll == DRAWN + before + 1, verdict
            assert "a die was changed" in verdict.dice.fault


def test_an_altered_choice_is_found_in_the_roll_after_it(game: ArchivedGame) -> None:
    rolls = len(places(game, Roll))
    alike = 0
    for at, before in places(game, Choose):
        other = "b" if game.course[at] == "a" else "a"
        altered = replace(game, course=game.course[:at] + other + game.course[at + 1 :])
        verdict = verify_game(altered)
        assert not verdict.holds
        if before == rolls:
            assert "seal" in verdict.dice.fault
            assert verdict.dice.roll == DRAWN + rolls
        else:
            # Now and then the same four dice follow from another text.
            alike += verdict.dice.roll != DRAWN + before + 1
    assert alike <= 1


def test_an_altered_stop_is_found_in_the_roll_after_it(game: ArchivedGame) -> None:
    at = game.course.index(".")
    before = sum(place < at for place, _ in places(game, Roll))
    altered = replace(game, course=game.course[:at] + game.course[at + 1 :])
    assert verify_game(altered).dice.roll == DRAWN + before + 1


def test_an_altered_draw_is_found_in_its_roll(game: ArchivedGame) -> None:
    for number in range(DRAWN):

        def change(proof: dict[str, Any], number: int = number) -> None:
            dice = proof["draw"][number]
            proof["draw"][number] = dice[:3] + str(int(dice[3]) % 6 + 1)

        assert verify_game(with_proof(game, change)).dice.roll == number + 1
    shorter = verify_game(with_proof(game, lambda proof: proof["draw"].pop()))
    assert (shorter.dice.roll, shorter.holds) == (DRAWN, False)
    other_first = replace(game, setup=game.setup._replace(first=1 - game.setup.first))
    assert verify_game(other_first).dice.roll == DRAWN


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("value", ["another", None])
def test_an_altered_or_missing_nonce_is_found_in_the_first_roll(
    game: ArchivedGame, seat: int, value: str | None
) -> None:
    def change(proof: dict[str, Any]) -> None:
        proof["nonces"][seat] = value and turned(proof["nonces"][seat])

    assert verify_game(with_proof(game, change)).dice.roll == 1


@pytest.mark.parametrize("key", ["seed", "commitment"])
def test_an_altered_seed_or_promise_is_found_in_the_first_roll(
    game: ArchivedGame, key: str
) -> None:
    def change(proof: dict[str, Any]) -> None:
        proof[key] = turned(proof[key])

    verdict = verify_game(with_proof(game, change))
    assert verdict.dice.roll == 1
    assert "not the promised one" in verdict.dice.fault


def test_an_altered_seal_or_result_is_found_after_the_last_roll(game: ArchivedGame) -> None:
    last = DRAWN + len(places(game, Roll))

    def change(proof: dict[str, Any]) -> None:
        proof["seal"] = turned(proof["seal"])

    assert game.winner is not None
    for altered in (
        with_proof(game, change),
        replace(game, winner=1 - game.winner),
        replace(game, turns=game.turns + 1),
        replace(game, id="game2"),
        replace(game, status="abandoned"),
        replace(game, setup=game.setup._replace(target=3)),
    ):
        verdict = verify_game(altered)
        assert (verdict.dice.roll, verdict.holds) == (last, False)
        assert "seal does not fit" in verdict.dice.fault


@pytest.mark.parametrize("key", ["link", "server"])
def test_an_altered_link_is_found_in_its_roll(key: str) -> None:
    game = played("witnessed")
    for number in range(0, len(places(game, Roll)), 7):

        def change(proof: dict[str, Any], number: int = number) -> None:
            proof["rolls"][number][key] = turned(proof["rolls"][number][key])

        verdict = verify_game(with_proof(game, change))
        assert verdict.dice.roll == DRAWN + number + 1
        assert "not that of its chain" in verdict.dice.fault


def test_a_witness_left_out_or_exchanged_is_found_in_its_roll() -> None:
    game = played("witnessed")

    def left_out(proof: dict[str, Any]) -> None:
        proof["rolls"][9] = "committed"

    def exchanged(proof: dict[str, Any]) -> None:
        proof["rolls"][9]["witness"] = 1 - proof["rolls"][9]["witness"]

    def one_less(proof: dict[str, Any]) -> None:
        proof["rolls"].append("committed")

    assert verify_game(with_proof(game, left_out)).dice.roll == DRAWN + 10
    assert verify_game(with_proof(game, exchanged)).dice.roll == DRAWN + 10
    assert "another number of rolls" in verify_game(with_proof(game, one_less)).dice.fault


def test_an_altered_chain_is_found() -> None:
    game = played("witnessed")
    for chain, roll in ((0, 1), (1, 1), (2, 1)):

        def change(proof: dict[str, Any], chain: int = chain) -> None:
            proof["chains"][chain] = turned(proof["chains"][chain])

        assert verify_game(with_proof(game, change)).dice.roll == roll


def test_where_a_roll_fails_is_told_by_turn_and_player(game: ArchivedGame) -> None:
    place, _ = places(game, Roll)[0]
    altered = replace(game, course=game.course[:place] + "6666" + game.course[place + 4 :])
    verdict = verify_game(altered)
    assert (verdict.turn, verdict.player) == (1, game.seats[game.setup.first].name)


def test_a_game_given_up_by_all_or_by_one_holds_too() -> None:
    table = DiceTable(3, seed=2)
    table.do(ANN, commands.Start)
    table.play(moves=20)
    table.do(BEN, commands.Resign)
    table.play(moves=5)
    table.do(ANN, commands.Resign)
    assert "-2" in table.archive[0].course
    assert verify_game(table.archive[0]).holds


def test_a_game_without_a_proof_or_with_nonsense_for_one_is_told_as_such() -> None:
    game = replace(played("committed"), proof=None)
    assert verify_game(game).dice.fault == NO_PROOF
    assert verify_game(game).kind is None
    assert "cannot be read" in verify_game(replace(game, proof="{}")).dice.fault


def test_a_forged_game_whose_witness_rolls_is_found_by_the_rules() -> None:
    """Somebody with all secrets can make a game whose rolls follow; the rules are still there."""
    game = played("witnessed")
    seed, chain = bytes(32), Chain(bytes(range(32)))
    server = Chain(server_root(seed))
    terms = Terms((None, None), (server.tip, chain.tip, chain.tip))
    draw = tuple(committed_roll(seed, terms, number, "") for number in (1, 2))
    first = int(sum(draw[1]) > sum(draw[0]))
    words = {seat: Word(seat, chain.link(3)) for seat in (0, 1)}
    for witness, holds in ((first, False), (1 - first, True)):
        dice = witnessed_roll(server.link(3), terms, 3, "", words[witness])
        forged = replace(
            game,
            setup=game.setup._replace(first=first),
            course=f"{digits(dice)}-{2 - first}",
            winner=first,
            turns=1,
        )
        played_so = Played(game.id, 2, 2, "removed", first, forged.course, False, first, 1)
        proof = Proof(
            kind="witnessed",
            commitment=commitment(seed),
            seed=seed,
            nonces=terms.nonces,
            draw=draw,
            seal=seal(seed, game.id, terms, ending(played_so, draw)),
            chains=terms.chains,
            rolls=(Witnessing(server.link(3), words[witness]),),
        )
        verdict = verify_game(replace(forged, proof=proof_text(proof)))
        assert verdict.holds is holds, verdict
        if not holds:
            assert (verdict.dice.roll, verdict.turn) == (3, 1)
            assert "witnessed by whoever rolled it" in verdict.dice.fault
