"""Whole games between quick players, as they are archived: for tests of what is counted."""

from datetime import datetime, timedelta
from random import Random
from typing import Final

from cantstop_server.players.registry import make_player
from cantstop_server.rules.course import Action, Choose, Resign, Roll, Stop, apply, notation
from cantstop_server.rules.game import Game, Phase, new_game, score
from cantstop_server.rules.setup import Setup
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat

KINDS: Final = ("cautious", "keller")


def play_out(setup: Setup, random: Random, *, resigning: float = 0.0) -> tuple[str, Game]:
    """The course of a game between quick players; now and then somebody gives up."""
    players = [make_player(random.choice(KINDS)) for _ in range(setup.seats)]
    game, course = new_game(setup), ""
    while game.phase is not Phase.OVER:
        action: Action
        if random.random() < resigning:
            left = [seat for seat in range(setup.seats) if seat not in game.resigned]
            action = Resign(random.choice(left))
        elif game.options:
            action = Choose(players[game.seat].choose(game))
        elif game.phase is Phase.ROLL_OR_STOP and players[game.seat].stop(game):
            action = Stop()
        else:
            d1, d2, d3, d4 = random.choices(range(1, 7), k=4)
            action = Roll((d1, d2, d3, d4))
        game, _ = apply(game, action)
        course += notation(action)
    return course, game


def random_game(
    random: Random, number: int, people: list[tuple[int, str]], ended_at: datetime
) -> ArchivedGame:
    """A finished or abandoned game of people and computer players, rated or not."""
    seats = random.randint(1, 4)
    setup = Setup(seats, random.randint(1, 3), random.random() < 0.5, random.randrange(seats))
    course, game = play_out(setup, random, resigning=random.choice((0.0, 0.0, 0.01)))
    sitting = [
        *(ArchivedSeat(name, player, None, 0, False) for player, name in people),
        *(ArchivedSeat(kind, None, kind, 0, False) for kind in ("keller", "keller", "glenn")),
    ]
    abandoned = random.random() < 0.1
    return ArchivedGame(
        id=f"g{number:05}",
        status="abandoned" if abandoned else "finished",
        setup=setup,
        course=course,
        started_at=ended_at - timedelta(minutes=5),
        ended_at=ended_at,
        winner=None if abandoned else game.winner,
        turns=game.turn,
        seats=tuple(
            ArchivedSeat(
                seat.name, seat.player, seat.bot, score(game, index), index in game.resigned
            )
            for index, seat in enumerate(random.sample(sitting, seats))
        ),
        rated=random.random() < 0.8,
    )
