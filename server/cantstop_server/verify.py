"""Whether the dice of a game that has ended hold: its proof, its rules and its result. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from cantstop_protocol.proof import (
    BadProof,
    Played,
    Proof,
    Verdict,
    check,
    read_proof,
)
from cantstop_server.rules.course import Roll, apply, parse_course
from cantstop_server.rules.errors import RulesError
from cantstop_server.rules.game import Game, Phase, new_game
from cantstop_server.storage.types import ArchivedGame

NO_PROOF = "the game has no proof: it began before there were any, or with other dice"


class GameVerdict(NamedTuple):
    """The verdict on a game's dice. ``kind`` is theirs, None without a readable proof.

    ``idle`` are the people who contributed nothing. ``turn`` and ``player`` say where the roll is
    that does not hold, if it is one of the course.
    """

    game: str
    kind: str | None
    dice: Verdict
    drawn: int = 0
    idle: tuple[str, ...] = ()
    turn: int | None = None
    player: str | None = None

    @property
    def holds(self) -> bool:
        return self.dice.holds


def verify_game(game: ArchivedGame) -> GameVerdict:
    """The verdict on a game: each roll against the proof, then the course against the rules."""
    if game.proof is None:
        return GameVerdict(game.id, None, Verdict(fault=NO_PROOF))
    try:
        proof = read_proof(game.proof)
    except BadProof as error:
        return GameVerdict(game.id, None, Verdict(fault=f"the proof cannot be read: {error}"))
    dice = check(_played(game), proof)
    if dice.holds:
        dice = _by_the_rules(game, proof, dice)
    seats = dict(enumerate(game.seats))
    idle = tuple(
        seats[seat].name for seat in dice.missing if seat in seats and seats[seat].bot is None
    )
    found = GameVerdict(game.id, proof.kind, dice, len(proof.draw), idle)
    if dice.roll is None or dice.roll <= len(proof.draw):
        return found
    position = _position_of_roll(game, dice.roll - len(proof.draw))
    if position is None:
        return found
    return found._replace(turn=position.turn, player=game.seats[position.seat].name)


def _played(game: ArchivedGame) -> Played:
    setup = game.setup
    return Played(
        game=game.id,
        seats=setup.seats,
        target=setup.target,
        dead_markers="kept" if setup.keep_dead_markers else "removed",
        first=setup.first,
        course=game.course,
        abandoned=game.status == "abandoned",
        winner=game.winner,
        turns=game.turns,
    )


def _by_the_rules(game: ArchivedGame, proof: Proof, dice: Verdict) -> Verdict:
    """The verdict with what the rules have to say: no witness rolls, and the result follows."""
    roll, position = len(proof.draw), new_game(game.setup)
    try:
        for before, action, after in _positions(game):
            position = after
            if not isinstance(action, Roll):
                continue
            word = proof.rolls[roll - len(proof.draw)] if proof.rolls else None
            roll += 1
            if word is not None and word.word.seat == before.seat:
                return dice._replace(fault="it was witnessed by whoever rolled it", roll=roll)
    except RulesError as error:
        return dice._replace(fault=f"after it the rules do not allow the game: {error}", roll=roll)
    over = position.phase is Phase.OVER
    told = (game.status == "finished", game.winner, game.turns)
    if told != (over, position.winner, position.turn):
        return dice._replace(fault="after it the game has another result", roll=roll)
    return dice


def _positions(game: ArchivedGame) -> Iterator[tuple[Game, object, Game]]:
    """Each action of the course, between the positions before and after it."""
    position = new_game(game.setup)
    for action in parse_course(game.course):
        after, _ = apply(position, action)
        yield position, action, after
        position = after


def _position_of_roll(game: ArchivedGame, number: int) -> Game | None:
    """Where the roll of this number of the course was made; None if the course breaks before."""
    rolls = 0
    try:
        for before, action, _ in _positions(game):
            rolls += isinstance(action, Roll)
            if rolls == number:
                return before
    except RulesError:
        return None
    return None
