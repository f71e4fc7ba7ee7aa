"""Renaming a person and merging two keep what was counted."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec
import pytest
from longrun import seeded
from played import random_game

from cantstop_protocol.table import GameOptions, Result
from cantstop_protocol.text import name_key
from cantstop_server import identities
from cantstop_server.errors import ServerError
from cantstop_server.rooms.state import LiveGame, RoomState, SeatState, dump
from cantstop_server.rules.setup import make_setup
from cantstop_server.storage.errors import CannotChange

START = datetime.fromisoformat("2026-03-01T12:00:00+00:00")


@pytest.fixture
async def people(store):
    names = ("Ann", "Bob", "Cyd", "Dee")
    return {n: (await store.identify(n, name_key(n), n.encode())).player for n in names}


async def test_a_person_keeps_everything_under_another_name(
    store, archive, people, make_game, seat_person, file, open_store
):
    ann, bob = (seat_person(people[name], name) for name in ("Ann", "Bob"))
    await archive(replace(make_game("1", ann, bob), rated=True))
    (before,) = await store.stats("Ann")
    await store.close()
    assert await identities.rename(str(file), "ann", "  Anna ") == "Anna"
    again = await open_store()
    assert await again.stats("Ann") == []
    (after,) = await again.stats("Anna")
    assert (after.games, after.rating.mu, after.history) == (1, before.rating.mu, before.history)
    assert (await again.identify("Anna", "anna", b"Ann")).player == people["Ann"]
    assert await again.recomputed() == []


async def test_a_name_may_be_spelled_another_way(store, people, file):
    await store.close()
    assert await identities.rename(str(file), "Ann", "ANN") == "ANN"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Nobody", "Eve", "no person called 'Nobody'"),
        ("Ann", "bob", "somebody is called Bob already"),
        ("Ann", "keller 2", "is a computer player"),
        ("keller", "Kelly", "no person called 'keller'"),
        ("Ann", " ", "at least one visible character"),
    ],
)
async def test_a_name_that_cannot_be_had(
    store, archive, people, file, make_game, seat_bot, old, new, why
):
    await archive(make_game("1", seat_bot("keller")))
    await store.close()
    with pytest.raises(CannotChange, match=why):
        await identities.rename(str(file), old, new)


async def test_two_who_are_one_have_the_record_of_both(store, archive, people, file, open_store):
    random = seeded()
    pairs = [[(people[a], a), (people[b], b)] for a, b in (("Ann", "Cyd"), ("Bob", "Cyd"))]
    games = [random_game(random, n, pairs[n % 2], START + timedelta(minutes=n)) for n in range(60)]
    await archive(*games)
    separate = {name: (await store.stats(name))[0] for name in people}
    await store.close()
    await identities.merge(str(file), "Bob", "Ann")
    again = await open_store()
    assert await again.recomputed() == []
    assert await again.stats("Bob") == []
    (merged,) = await again.stats("Ann")
    assert merged.games == separate["Ann"].games + separate["Bob"].games
    assert merged.wins == separate["Ann"].wins + separate["Bob"].wins
    both = [separate[name].habits.rolls for name in ("Ann", "Bob")]
    assert merged.habits.rolls == sum(both)
    ids = {game.id for game in games if any(s.player in (1, 2) for s in game.seats)}
    found = await again.history(limit=100, player="Ann")
    assert {game.id for game in found} == ids
    (cyd,) = await again.stats("Cyd")
    assert {versus.name for versus in cyd.opponents} >= {"Ann"}
    assert (await again.identify("Ann", "ann", b"Ann")).player == people["Ann"]


async def test_who_never_played_is_merged_too(store, people, file, open_store):
    await store.close()
    await identities.merge(str(file), "Bob", "Ann")
    assert [r.name for r in await (await open_store()).records()] == ["Ann", "Cyd", "Dee"]


async def test_two_who_sat_in_one_game_are_two(
    store, archive, people, file, make_game, seat_person
):
    ann, bob = (seat_person(people[name], name) for name in ("Ann", "Bob"))
    await archive(make_game("g1", ann, bob))
    await store.close()
    before = file.read_bytes()
    with pytest.raises(CannotChange, match=r"sat in one game \(g1\)"):
        await identities.merge(str(file), "Bob", "Ann")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("source", "into", "why"),
    [
        ("Ann", "ANN", "the same person"),
        ("Ann", "Nobody", "no person called 'Nobody'"),
        ("keller", "Ann", "no person called 'keller'"),
        ("Ann", "keller", "no person called 'keller'"),
    ],
)
async def test_who_cannot_be_merged(
    store, archive, people, file, make_game, seat_bot, source, into, why
):
    await archive(make_game("1", seat_bot("keller")))
    await store.close()
    with pytest.raises(CannotChange, match=why):
        await identities.merge(str(file), source, into)


async def test_a_running_server_holds_the_database(open_store, file):
    await open_store(exclusive=True)
    for change in (identities.merge, identities.rename):
        with pytest.raises(ServerError, match="another cantstop server uses"):
            await change(str(file), "Ann", "Ben")


async def test_who_still_sits_in_a_room_is_not_merged(store, told, people, file):
    seats = (SeatState("Bob", people["Bob"]), SeatState("Cyd", people["Cyd"], gone=True))
    state = dump(RoomState("BADOK", "", GameOptions(), people["Bob"], seats=seats))
    store.journal.append(told.write("1", room="BADOK", state=state))
    await store.journal.flush()
    await store.close()
    with pytest.raises(CannotChange, match="Bob still sits in the room BADOK"):
        await identities.merge(str(file), "Bob", "Ann")
    await identities.merge(str(file), "Cyd", "Ann")
    with closing(sqlite3.connect(file)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM players")}
    assert names == {"Ann", "Bob", "Dee"}


async def test_who_has_left_a_game_that_goes_on_is_merged_after_it(store, told, people, file):
    seats = (SeatState("Bob", people["Bob"], gone=True), SeatState("Cyd", people["Cyd"]))
    live = LiveGame("g1", make_setup(2, 3), "", START)
    state = RoomState("BADOK", "", GameOptions(), people["Cyd"], seats=seats, game=live)
    store.journal.append(told.write("1", room="BADOK", state=dump(state)))
    await store.journal.flush()
    with pytest.raises(CannotChange, match="a game that Bob has left goes on in the room BADOK"):
        await store.merge_players("Bob", "Ann")
    over = msgspec.structs.replace(live, result=Result("g1", 1, 3, abandoned=False))
    state = dump(msgspec.structs.replace(state, game=over))
    store.journal.append(told.write("2", room="BADOK", state=state))
    await store.journal.flush()
    await store.merge_players("Bob", "Ann")


async def test_a_room_that_nobody_can_read_holds_up_no_merge(store, told, people):
    store.journal.append(told.write("1", room="BADOK", state=b"state"))
    await store.journal.flush()
    await store.merge_players("Bob", "Ann")
    assert await store.stats("Bob") == []
