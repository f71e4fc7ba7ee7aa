"""A server that is killed again and again in the midst of many games loses nothing of them."""

import asyncio
from pathlib import Path

from chronicle import check_archive, check_left_behind, copied
from crowd import Crowd
from longrun import length, seeded
from mortal import MortalServer, quiet_port
from patience import until

TABLES = ((2, 0), (2, 1), (1, 1), (2, 2), (3, 0), (2, 1), (1, 0), (2, 1))
"""People and computer players of each room."""

WATCHED = 2
"""How many of the rooms have a spectator."""

LIMITS = {
    "command_rate": 100_000,
    "command_burst": 100_000,
    "chat_rate": 100_000.0,
    "chat_burst": 100_000,
    "refusal_rate": 100_000.0,
    "connections_per_address": 500,
}


async def test_kill_9_in_the_midst_of_many_games_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    kills = length(10, 200)
    random = seeded()
    database = tmp_path / "games.db"
    server = MortalServer(database, quiet_port(random), **LIMITS)
    last = asyncio.Event()
    crowd = Crowd(server.port, random, more=lambda: not last.is_set())
    playing = asyncio.create_task(crowd.play(TABLES, watched=WATCHED))
    try:
        for _ in range(kills):
            await server.start(wait=random.random() < 0.9)
            # Some are killed before anybody has come back, most in full play.
            enough = crowd.chronicle.heard + random.choice((0, 1, 20, 150, 400))
            await until(lambda: crowd.chronicle.heard >= enough or playing.done())  # noqa: B023
            if playing.done():
                await playing
            await asyncio.sleep(random.random() * 0.02)
            await server.kill()
            left = copied(database, tmp_path / "copy.db")
            if left.exists() and crowd.chronicle.heard:
                check_left_behind(left, crowd.chronicle)
        await server.start()
        last.set()
        await playing
        await crowd.guests[0].until_no_room_is_left()
        await crowd.close()
    finally:
        playing.cancel()
        await asyncio.gather(playing, crowd.close(), return_exceptions=True)
        await server.kill()
    assert "Traceback" not in server.log
    games = await check_archive(database, crowd.chronicle)
    assert {game.status for game in games.values()} == {"finished"}
    assert crowd.chronicle.checked.keys() >= games.keys()
    events = sum(map(len, crowd.chronicle.rooms.values()))
    print(f"{kills} kills, {len(games)} games, {events} events, {crowd.lost} connections lost")
    assert crowd.lost >= kills
