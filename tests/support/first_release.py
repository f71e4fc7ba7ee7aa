"""A database as the first release made it, revision 0001, with rows in every table."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from cantstop_server.players.registry import make_player
from cantstop_server.rules.course import Choose, Roll, Stop, apply, notation
from cantstop_server.rules.game import Game, Phase, new_game, score
from cantstop_server.rules.setup import Setup

APPLICATION_ID: Final = 0x43616E74

_PLAYERS: Final = (
    (1, "Ann", "ann", None, b"t" * 32),
    (2, "Bob", "bob", None, b"u" * 32),
    (3, "keller", "@keller", "keller", None),
    (4, "Straße", "strasse", None, b"v" * 32),
)
_GAMES: Final = (
    ("g1", "finished", Setup(2, 3), (1, 2)),
    ("g2", "finished", Setup(2, 3, True, 1), (2, 1)),
    ("g3", "abandoned", Setup(3, 2), (1, 3, 4)),
    ("g4", "finished", Setup(4, 2), (3, 1, 3, 2)),
    ("g5", "finished", Setup(1, 2), (1,)),
    ("g6", "finished", Setup(2, 1), (4, 3)),
    ("g7", "finished", Setup(1, 2), (1,)),
)
"""Identifier, how it ended, setup, the players at the seats."""


async def make_first_release(database: str) -> None:
    """Make it: ``database`` is a file's path or a URL of PostgreSQL."""
    url = make_url(database if "://" in database else f"sqlite+aiosqlite:///{Path(database)}")
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.run_sync(_make)
    await engine.dispose()


def _make(connection: Connection) -> None:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "cantstop_migrations:")
    command.upgrade(config, "0001")
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    _insert(connection, "server", key="server_id", value="5e" * 16)
    for id, name, key, bot, token in _PLAYERS:
        _insert(
            connection,
            "players",
            id=id,
            name=name,
            name_key=key,
            bot=bot,
            token_hash=token,
            created_at=_time(connection, 0),
        )
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT setval('players_id_seq', 4)"))
    records: dict[tuple[int, int, str], list[int]] = {}
    solitaire: dict[tuple[int, int], list[int]] = {}
    for number, (game_id, status, setup, players) in enumerate(_GAMES, start=1):
        game, course = _play(setup, Random(number), 3 if status == "abandoned" else 10_000)
        _insert(
            connection,
            "games",
            id=game_id,
            status=status,
            seats=setup.seats,
            target=setup.target,
            keep_dead_markers=setup.keep_dead_markers,
            first_seat=setup.first,
            course=course,
            started_at=_time(connection, number),
            # Two that ended in the same instant.
            ended_at=_time(connection, 10 + number // 2),
            winner=game.winner,
            turns=game.turn,
        )
        for seat, player in enumerate(players):
            _insert(
                connection,
                "game_seats",
                game_id=game_id,
                seat=seat,
                player_id=player,
                name=_PLAYERS[player - 1][1],
                columns=score(game, seat),
                resigned=False,
            )
            others = {_PLAYERS[p - 1][3] or "people" for i, p in enumerate(players) if i != seat}
            for against in {"all", *others} if status == "finished" else ():
                count = records.setdefault((player, setup.seats, against), [0, 0])
                count[0] += 1
                count[1] += game.winner == seat
        if setup.seats == 1:
            solitaire.setdefault((players[0], setup.target), []).append(game.turn)
    for (player, seats, against), (games, wins) in records.items():
        row = {"player_id": player, "seats": seats, "against": against}
        _insert(connection, "records", **row, games=games, wins=wins)
    for (player, target), turns in solitaire.items():
        row = {"player_id": player, "target": target}
        _insert(connection, "solitaire", **row, games=len(turns), best_turns=min(turns))
    room = {"scope": "host", "room": "BADOK"}
    _insert(connection, "live_rooms", **room, state=b"state", updated_at=_time(connection, 50))
    for seq in (1, 2, 3):
        _insert(connection, "room_events", **room, seq=seq, event=b"event %d" % seq)


def _insert(connection: Connection, table: str, **row: Any) -> None:
    columns, values = ", ".join(row), ", ".join(f":{column}" for column in row)
    connection.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), row)


def _time(connection: Connection, minute: int) -> Any:
    """As each database keeps it."""
    time = datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(minutes=minute)
    return time if connection.dialect.name == "postgresql" else f"{time:%Y-%m-%d %H:%M:%S.%f}"


def _play(setup: Setup, random: Random, most_turns: int) -> tuple[Game, str]:
    """A game of the cautious player against itself, and its course."""
    player, game, course = make_player("cautious"), new_game(setup), ""
    while game.winner is None and game.turn <= most_turns:
        action: Roll | Choose | Stop
        if game.options:
            action = Choose(player.choose(game))
        elif game.phase is Phase.ROLL_OR_STOP and player.stop(game):
            action = Stop()
        else:
            a, b, c, d = random.choices(range(1, 7), k=4)
            action = Roll((a, b, c, d))
        game, _ = apply(game, action)
        course += notation(action)
    return game, course
