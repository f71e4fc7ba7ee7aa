"""Games over a network that delays, drops, cuts, half-closes and stalls go on to their end."""

from pathlib import Path

import pytest
from badproxy import FATES, bad_proxy
from chronicle import check_archive
from crowd import Crowd
from longrun import length, seeded
from wire import serving

from cantstop_client import session
from cantstop_server.config import Limits

TABLES = ((2, 1), (2, 0), (3, 0), (1, 1), (2, 1), (2, 0))

STALL = 1.6
LIMITS = Limits(
    command_rate=100_000,
    command_burst=100_000,
    chat_rate=100_000,
    chat_burst=100_000,
    refusal_rate=100_000,
    connections_per_address=10_000,
    hello_timeout=2.0,
    ping_interval=0.5,
    ping_timeout=0.8,
)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that notices within a second what it usually gives ten or more."""
    monkeypatch.setattr(session, "OPEN_TIMEOUT", 1.0)
    monkeypatch.setattr(session, "PING_INTERVAL", 0.5)
    monkeypatch.setattr(session, "PING_TIMEOUT", 0.8)


async def test_a_bad_network_costs_no_event_and_every_game_ends(tmp_path: Path) -> None:
    random = seeded()
    number = length(12, 100)
    database = tmp_path / "games.db"
    async with (
        serving(database, limits=LIMITS) as server,
        bad_proxy(server.port, random, stall=STALL) as proxy,
    ):
        crowd = Crowd(proxy.port, random, more=lambda: len(crowd.chronicle.results) < number)
        try:
            await crowd.play(TABLES, watched=len(TABLES))
            await crowd.guests[0].until_no_room_is_left()
        finally:
            await crowd.close()
    played = await check_archive(database, crowd.chronicle)
    assert len(played) >= number
    assert {game.status for game in played.values()} == {"finished"}
    clicks = sum(guest.double_clicks for guest in crowd.guests)
    print(f"{len(played)} games, {crowd.lost} connections lost, {clicks} double clicks")
    print(dict(proxy.fates))
    assert proxy.fates.keys() == set(FATES), "every kind of trouble came up"
