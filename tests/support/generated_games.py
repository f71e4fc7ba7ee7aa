"""Games that were played at random to their end, or to some point of it, for archives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from cantstop_server.rules.course import Action, Choose, Resign, Roll, Stop, apply, notation
from cantstop_server.rules.game import Game, Phase, new_game, score
from cantstop_server.rules.setup import Setup, make_setup
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat

NAMES = (
    "Ann",
    'Ben "dice" O\'Hara',
    "back\\slash",
    "\u5c0f\u660e",
    "Zo\u00eb",
    "\u05d3\u05d5\u05d3",
    "\u0627\u0644\u0641",
    "x\u0301\u0302y",
    "\U0001f3b2 dice",
    "name: person",
    "1. A: 3456 7",
    "a, b",
)
KINDS = ("keller", "expert-3", "random")
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def generated_games(seed: int, count: int) -> list[ArchivedGame]:
    """Games of all kinds: solitaire to four seats, resigned, abandoned, with proofs and without."""
    chance = Random(seed)
    return [generated_game(chance, number) for number in range(count)]


def generated_game(chance: Random, number: int) -> ArchivedGame:
    """One game; its people have names by which they are registered, and no numbers."""
    setup = _setup(chance)
    longest = chance.choice((0, 1, 7, 40, 10_000, 10_000, 10_000))
    course, end, ended_turns = _play(chance, setup, longest)
    started = START + timedelta(hours=number, microseconds=chance.choice((0, 1, 250_000)))
    seconds = sorted(round(chance.uniform(0, 3000), 1) for _ in range(ended_turns))
    over = end.phase is Phase.OVER
    names = chance.sample(NAMES, setup.seats)
    return ArchivedGame(
        id=f"g{number:05}",
        status="finished" if over else "abandoned",
        setup=setup,
        course=course,
        started_at=started,
        ended_at=started + timedelta(seconds=chance.randrange(4000)),
        winner=end.winner,
        turns=end.turn,
        seats=tuple(_seat(chance, name, seat, end) for seat, name in enumerate(names)),
        rated=chance.random() < 0.5,
        turn_ends=tuple(seconds[chance.choice((0, 0, ended_turns, ended_turns // 2)) :]),
        proof=chance.choice((None, COMMITTED, WITNESSED)),
    )


COMMITTED = '{"kind":"committed","version":1,"nonces":["00ff",null],"draw":[14,9],"seal":"ab"}'
WITNESSED = (
    '{"kind":"witnessed","version":1,"chains":{"A":"aa","server":"bb"},"rolls":['
    + ",".join(f'{{"server":"{n:064x}","witness":1,"link":"{n:064x}"}}' for n in range(9))
    + "]}"
)


def _setup(chance: Random) -> Setup:
    seats = chance.randint(1, 4)
    target = chance.randint(1, {1: 5, 2: 5, 3: 4, 4: 3}[seats])
    kept = chance.random() < 0.5
    return make_setup(seats, target, keep_dead_markers=kept, first=chance.randrange(seats))


def _seat(chance: Random, name: str, seat: int, end: Game) -> ArchivedSeat:
    claimed, resigned = score(end, seat), seat in end.resigned
    if chance.random() < 0.4:
        kind = chance.choice(KINDS)
        return ArchivedSeat(f"{kind} {seat}", None, kind, claimed, resigned)
    registered = chance.choice((name, name, f"once {name[:8]}"))
    return ArchivedSeat(name, None, None, claimed, resigned, registered)


def _play(chance: Random, setup: Setup, longest: int) -> tuple[str, Game, int]:
    """A course of at most so many actions, where it leads, and how many turns ended in it."""
    game, course, ended = new_game(setup), "", 0
    for _ in range(longest):
        if game.phase is Phase.OVER:
            break
        action = _action(chance, game)
        before = game
        game, _ = apply(game, action)
        course += notation(action)
        ended += game.turn != before.turn or game.phase is Phase.OVER
    return course, game, ended


def _action(chance: Random, game: Game) -> Action:
    if chance.random() < 0.002:
        left = [seat for seat in range(game.setup.seats) if seat not in game.resigned]
        return Resign(chance.choice(left))
    if game.phase is Phase.CHOOSE:
        return Choose(chance.randrange(len(game.options)))
    if game.phase is Phase.ROLL_OR_STOP and chance.random() < 0.4:
        return Stop()
    return Roll(tuple(chance.randint(1, 6) for _ in range(4)))  # type: ignore[arg-type]
