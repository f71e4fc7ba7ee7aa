"""What all clients together have seen, and whether the database tells the same.

Whoever hears something of a room tells it here. Two who were told different things about one
event, or about the decision of one ply, are a failure at once.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from cantstop_protocol import events
from cantstop_protocol.table import Result, Table, Turn
from cantstop_server.rooms.moves import recall
from cantstop_server.rules.course import replay
from cantstop_server.rules.setup import Setup
from cantstop_server.storage.store import Store
from cantstop_server.storage.types import LiveRoom
from cantstop_server.verify import verify_game

_MOVES = (events.Rolled, events.Busted, events.Advanced, events.Stopped, events.Resigned)


class Played(NamedTuple):
    """A game as the archive has it."""

    id: str
    status: str
    setup: Setup
    course: str
    winner: int | None
    turns: int


class Chronicle:
    """Everything that anybody was shown."""

    def __init__(self) -> None:
        self.rooms: dict[str, dict[int, events.Event]] = {}
        self.turns: dict[tuple[str, int], Turn] = {}
        self.results: dict[str, Result] = {}
        self.leaving: set[str] = set()
        """The rooms that somebody has set out to leave, and that may end therefore."""
        self.said: list[tuple[str, str]] = []
        """Every line that guests have said, none like another, and in which room."""
        self.checked: Counter[str] = Counter()
        """How many clients found the dice of each game right."""
        self.heard = 0
        """How many events all together were told."""

    def event(self, room: str, seq: int, event: events.Event) -> None:
        """Somebody was told this event."""
        self.heard += 1
        known = self.rooms.setdefault(room, {}).setdefault(seq, event)
        assert known == event, f"{room} event {seq}: {known} for one, {event} for another"

    def table(self, table: Table) -> None:
        """Somebody was shown this table."""
        if table.turn is not None:
            assert table.game is not None
            turn = replace(table.turn, seconds_left=None)
            known = self.turns.setdefault((table.game, turn.ply), turn)
            assert known == turn, f"{table.game} ply {turn.ply}: {known}, then {turn}"
        if table.result is not None:
            known_result = self.results.setdefault(table.result.game, table.result)
            assert known_result == table.result

    @property
    def started(self) -> list[str]:
        """The games that began, in every room."""
        return [e.game for e in self._all() if isinstance(e, events.Started)]

    @property
    def ended(self) -> list[str]:
        """The games that were told to have ended."""
        return [e.game for e in self._all() if isinstance(e, events.Finished | events.Abandoned)]

    def check_whole(self) -> None:
        """No event of any room is missing, every game began once and ended once."""
        for room, told in self.rooms.items():
            assert sorted(told) == list(range(1, max(told) + 1)), f"{room} has a gap"
        lines = Counter(
            (room, event.text)
            for room, told in self.rooms.items()
            for event in told.values()
            if isinstance(event, events.Chatted) and " says " in event.text
        )
        assert lines == Counter(self.said), "each line is heard once"
        assert max(Counter(self.started).values(), default=1) == 1
        assert Counter(self.ended) == Counter(self.started)

    def moves(self) -> dict[str, list[tuple[object, ...]]]:
        """The moves of each game in order, as far as they were seen."""
        moves: dict[str, list[tuple[object, ...]]] = {}
        for told in self.rooms.values():
            game = ""
            for _, event in sorted(told.items()):
                if isinstance(event, events.Started):
                    game = event.game
                    moves[game] = []
                elif isinstance(event, _MOVES):
                    moves[game].append(_essence(event))
        return moves

    def _all(self) -> Iterator[events.Event]:
        for told in self.rooms.values():
            yield from told.values()


def replayed(game: Played) -> list[tuple[object, ...]]:
    """The moves of an archived game, by the rules."""
    return [_essence(event) for _, event in replay(game.setup, game.course)]


def copied(database: Path, to: Path) -> Path:
    """A copy of a database that a dead server left behind, as it lies there."""
    for suffix in ("", "-wal"):
        source = Path(f"{database}{suffix}")
        target = Path(f"{to}{suffix}")
        target.unlink(missing_ok=True)
        if source.exists():
            shutil.copyfile(source, target)
    return to


def archived(database: Path) -> dict[str, Played]:
    """The games of the archive by id. Each is there once: counted, not taken for granted."""
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute(
            "SELECT id, status, seats, target, keep_dead_markers, first_seat, course, winner, turns"
            " FROM games"
        ).fetchall()
    games = [
        Played(id, status, Setup(seats, target, bool(kept), first), course, winner, turns)
        for id, status, seats, target, kept, first, course, winner, turns in rows
    ]
    assert max(Counter(game.id for game in games).values(), default=1) == 1
    return {game.id: game for game in games}


def check_left_behind(database: Path, chronicle: Chronicle) -> None:
    """What a killed server left holds all that anybody was shown, the same dice included."""
    games = archived(database)
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        rooms = dict(connection.execute("SELECT room, state FROM live_rooms"))
        kept: dict[str, list[tuple[int, bytes]]] = {}
        for room, *event in connection.execute("SELECT room, seq, event FROM room_events"):
            kept.setdefault(room, []).append(tuple(event))
        moves: dict[str, list[bytes]] = {}
        for room, move in connection.execute("SELECT room, move FROM room_moves ORDER BY id"):
            moves.setdefault(room, []).append(move)
    assert kept.keys() <= rooms.keys(), "events of a room that is not there"
    for room, blob in rooms.items():
        stored = LiveRoom(room, blob, tuple(sorted(kept[room])), tuple(moves.get(room, ())))
        state, tail, _ = recall(stored)
        told = chronicle.rooms.get(room, {})
        assert state.seq >= max(told, default=0), f"{room} forgot what was shown"
        numbers = [numbered.seq for numbered in tail]
        assert numbers == list(range(numbers[0], state.seq + 1)), f"{room} has a gap in its tail"
        for numbered in tail:
            assert told.get(numbered.seq, numbered.event) == numbered.event
        if state.game is None or state.position is None:
            continue
        if state.game.result is None:
            assert state.game.id not in games, "both running and archived"
            turn = chronicle.turns.get((state.game.id, state.position.ply))
            if turn is not None:
                assert (turn.seat, turn.dice) == (state.position.seat, state.position.dice)
        else:
            assert state.game.id in games, "over, but not archived"
    for room in chronicle.rooms.keys() - rooms.keys():
        assert room in chronicle.leaving, f"{room} is gone with people in it"
    for game in chronicle.ended:
        assert game in games, f"{game} was told to be over and is not archived"


async def check_archive(
    database: Path, chronicle: Chronicle, *, alone: bool = True
) -> dict[str, Played]:
    """After the end of everything: each game once, move by move as it was seen, and counted.

    Unless the chronicle is ``alone`` there may be games of which it does not know.
    """
    chronicle.check_whole()
    games = archived(database)
    seen = chronicle.moves()
    assert games.keys() >= seen.keys()
    assert not alone or games.keys() == seen.keys()
    for id in seen:
        game = games[id]
        assert replayed(game) == seen[id], f"game {id} is archived otherwise than it was seen"
        result = chronicle.results[id]
        assert (game.winner, game.turns) == (result.winner, result.turns)
        assert (game.status == "abandoned") == result.abandoned
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM live_rooms").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM room_events").fetchone() == (0,)
        expected = _expected_records(connection, games)
    store = await Store.open(str(database))
    try:
        assert await store.recomputed() == []
        found = {
            (record.name, record.bot): (record.games, record.wins)
            for record in await store.records()
            if record.games
        }
        for played in await store.history(limit=1000):
            verdict = verify_game(played)
            assert verdict.holds, verdict
    finally:
        await store.close()
    assert found == expected
    return games


def _expected_records(
    connection: sqlite3.Connection, games: dict[str, Played]
) -> dict[tuple[str, str | None], tuple[int, int]]:
    expected: dict[tuple[str, str | None], tuple[int, int]] = {}
    for game, seat, name, bot in connection.execute(
        "SELECT game_id, seat, players.name, players.bot FROM game_seats"
        " JOIN players ON players.id = game_seats.player_id"
        " JOIN games ON games.id = game_id WHERE games.seats > 1"
    ):
        if games[game].status == "finished":
            played, won = expected.get((name, bot), (0, 0))
            expected[name, bot] = (played + 1, won + (games[game].winner == seat))
    return expected


def _essence(event: Any) -> tuple[object, ...]:
    """What the rules' event and the one on the wire have in common."""
    kind = type(event).__name__
    match kind:
        case "Rolled" | "Busted":
            return kind, event.seat, event.dice
        case "Advanced":
            return kind, event.seat, event.columns
        case "Stopped":
            return kind, event.seat, event.claimed
        case _:
            return kind, event.seat
