"""Games of the past as the wire lists them, for a server's clients and for who reads a database."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from cantstop_protocol.commands import ListGames
from cantstop_protocol.past import GameSeat, GameSummary
from cantstop_protocol.text import name_key
from cantstop_server.rooms.moves import recall
from cantstop_server.rooms.state import LiveGame, RoomState
from cantstop_server.rules.errors import RulesError
from cantstop_server.rules.game import Game, score
from cantstop_server.storage.history import HistoryPage, HistoryQuery, cursor_after
from cantstop_server.storage.types import ArchivedGame, LiveRoom


def query_of(asked: ListGames) -> HistoryQuery:
    """The question to the database."""
    return HistoryQuery(
        player=asked.player,
        opponent=asked.opponent,
        kind=asked.kind,
        seats=asked.seats,
        target=asked.target,
        keep_dead_markers=None if asked.dead_markers is None else asked.dead_markers == "kept",
        result=asked.result,
        since=_time(asked.since),
        until=_time(asked.until),
    )


def listed(
    page: HistoryPage, rooms: Iterable[RoomState], asked: ListGames
) -> tuple[GameSummary, ...]:
    """The list: the rooms' unfinished games that fit, the newest first, and then the page."""
    running: list[GameSummary] = []
    if (asked.after, asked.until, asked.result) == (None, None, None):
        running = [
            _unfinished(room, room.game, room.position)
            for room in rooms
            if room.game is not None and room.game.result is None and room.position is not None
        ]
    fitting = [game for game in running if _fits(game, asked)]
    fitting.sort(key=lambda game: game.started, reverse=True)
    return (*fitting[: asked.limit], *map(_ended, page.games))


def rooms_of(rooms: Iterable[LiveRoom]) -> Iterator[RoomState]:
    """The rooms as they durably are; one that cannot be read is not there."""
    for room in rooms:
        try:
            yield recall(room).state
        except (msgspec.MsgspecError, RulesError):
            continue


def _time(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _ended(game: ArchivedGame) -> GameSummary:
    return GameSummary(
        game=game.id,
        status=game.status,
        seats=tuple(
            GameSeat(seat.name, seat.bot, seat.columns, seat.resigned) for seat in game.seats
        ),
        target=game.setup.target,
        dead_markers="kept" if game.setup.keep_dead_markers else "removed",
        winner=game.winner,
        turns=game.turns,
        started=game.started_at.timestamp(),
        ended=game.ended_at.timestamp(),
        cursor=cursor_after(game),
    )


def _unfinished(room: RoomState, live: LiveGame, position: Game) -> GameSummary:
    seats = tuple(
        GameSeat(seat.name, seat.bot, score(position, index), index in position.resigned)
        for index, seat in enumerate(room.seats)
        if seat is not None
    )
    return GameSummary(
        game=live.id,
        status="unfinished",
        seats=seats,
        target=live.setup.target,
        dead_markers="kept" if live.setup.keep_dead_markers else "removed",
        winner=None,
        turns=position.turn,
        started=live.started_at.timestamp(),
        ended=None,
        cursor=None,
    )


def _fits(game: GameSummary, asked: ListGames) -> bool:
    """Whether an unfinished game is one of those that were asked for."""
    if asked.kind is not None and asked.kind not in [seat.bot for seat in game.seats]:
        return False
    if asked.seats not in (None, len(game.seats)) or asked.target not in (None, game.target):
        return False
    if asked.dead_markers not in (None, game.dead_markers):
        return False
    named = [name for name in (asked.player, asked.opponent) if name is not None]
    taken = [
        {seat for seat, who in enumerate(game.seats) if _is_named(who, name)} for name in named
    ]
    # Nobody is their own opponent.
    return all(taken) and len(set().union(*taken)) >= len(named)


def _is_named(seat: GameSeat, name: str) -> bool:
    key = name_key(name)
    return key == name_key(seat.name if seat.bot is None else seat.bot)
