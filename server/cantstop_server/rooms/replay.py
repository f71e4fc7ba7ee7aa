"""A game that has ended, step by step, with the table that was seen after each."""

from collections.abc import Iterator

from msgspec.structs import replace

from cantstop_protocol.events import Abandoned, AnyEvent, Finished, Started
from cantstop_protocol.messages import GameStep
from cantstop_protocol.table import GameOptions, Result
from cantstop_server.rooms.play import event_of
from cantstop_server.rooms.state import LiveGame, RoomState, SeatState
from cantstop_server.rooms.table import table_of
from cantstop_server.rules.course import parse_course, replay
from cantstop_server.rules.game import Game, Phase, new_game
from cantstop_server.storage.types import ArchivedGame


def step_count(game: ArchivedGame) -> int:
    """How many steps a game has: its actions, and its beginning and end."""
    return sum(1 for _ in parse_course(game.course)) + 2


def game_steps(game: ArchivedGame, first: int = 0, most: int | None = None) -> list[GameStep]:
    """The steps from number ``first`` on, at most so many; none past the end.

    Raises ``RulesError`` for a course that does not replay.
    """
    last = None if most is None else first + most
    room = _room(game)
    steps = []
    for number, (position, event) in enumerate(_course(game)):
        if last is not None and number >= last:
            break
        if number >= first:
            result = _result(game) if event is None or position.phase is Phase.OVER else None
            steps.append(GameStep(event or _end(game), table_of(_at(room, position, result))))
    return steps


def _course(game: ArchivedGame) -> Iterator[tuple[Game, AnyEvent | None]]:
    """Each position and what led to it; None for the end, however it came."""
    position = new_game(game.setup)
    names = tuple(seat.name for seat in game.seats)
    yield position, Started(game.id, _options(game), names, game.setup.first)
    for position, event in replay(game.setup, game.course):
        yield position, event_of(event)
    yield position, None


def _end(game: ArchivedGame) -> AnyEvent:
    if game.status == "abandoned":
        return Abandoned(game.id, game.turns)
    return Finished(game.id, game.winner, game.turns)


def _room(game: ArchivedGame) -> RoomState:
    return RoomState(
        code="",
        title="",
        options=_options(game),
        creator=None,
        seats=tuple(SeatState(seat.name, bot=seat.bot) for seat in game.seats),
        game=LiveGame(game.id, game.setup, "", game.started_at),
    )


def _at(room: RoomState, position: Game, result: Result | None) -> RoomState:
    assert room.game is not None
    return replace(room, position=position, game=replace(room.game, result=result))


def _options(game: ArchivedGame) -> GameOptions:
    return GameOptions(
        seats=game.setup.seats,
        target=game.setup.target,
        dead_markers="kept" if game.setup.keep_dead_markers else "removed",
        rated=game.rated,
    )


def _result(game: ArchivedGame) -> Result:
    return Result(game.id, game.winner, game.turns, game.status == "abandoned")
