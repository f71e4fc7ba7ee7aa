"""The archive and the records counted from it."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from cantstop_protocol.text import name_key
from cantstop_server.rules.setup import Setup


@pytest.fixture
async def people(store):
    return [
        (await store.identify(name, name_key(name), b"t")).player for name in ("Ann", "Bob", "Cyd")
    ]


@pytest.fixture
def archive(store, told):
    async def add(*games):
        for game in games:
            store.journal.append(told.write(game.id, room=game.id, state=None, archive=game))
        await store.journal.flush()

    return add


async def test_a_game_comes_back_as_it_was(
    store, archive, people, make_game, seat_person, seat_bot
):
    game = make_game(
        "g1",
        seat_person(people[0], "Ann", columns=3),
        seat_bot("keller", columns=1),
        seat_person(people[1], "Bob", resigned=True),
    )
    await archive(game)
    assert await store.history() == [game]


async def test_a_solitaire_and_an_abandoned_game_come_back(
    store, archive, people, make_game, seat_person
):
    games = [
        make_game("g1", seat_person(people[0]), winner=None, minute=2),
        make_game("g0", seat_person(people[0]), winner=None, status="abandoned", minute=1),
    ]
    await archive(*games)
    assert await store.history() == games


async def test_the_name_of_the_day_stays(store, archive, people, make_game, seat_person):
    await archive(make_game("g", seat_person(people[0], "Ann")))
    await store.identify("ANN", "ann", b"t")
    assert (await store.history())[0].seats[0].name == "Ann"


async def test_times_are_kept_as_utc(store, archive, file, make_game, seat_bot):
    game = make_game("g", seat_bot("keller"))
    there = timezone(timedelta(hours=9))
    await archive(replace(game, ended_at=datetime(2026, 3, 2, 1, 30, 0, 123456, there)))
    (found,) = await store.history()
    assert found.ended_at == datetime(2026, 3, 2, 1, 30, 0, 123456, there)
    assert found.ended_at.utcoffset() == timedelta(0)
    with closing(sqlite3.connect(file)) as connection:
        ((kept,),) = connection.execute("SELECT ended_at FROM games").fetchall()
    assert kept == "2026-03-01 16:30:00.123456"


async def test_a_time_without_a_zone_is_refused_and_half_of_nothing_is_written(
    store, told, make_game, seat_bot
):
    store.journal.append(told.write("begin", state=b"live"))
    await store.journal.flush()
    game = make_game("g", seat_bot("keller"))
    naive = replace(game, ended_at=game.ended_at.replace(tzinfo=None))
    store.journal.append(told.write("end", state=None, archive=naive))
    await store.journal.flush()
    assert told.failed == ["end"]
    assert await store.history() == []
    assert [room.state for room in await store.live_rooms("host")] == [b"live"]


async def test_a_seat_of_nobody_or_a_stranger_is_refused(
    store, told, archive, make_game, seat_bot, seat_person
):
    nobody = replace(seat_bot("keller"), bot=None)
    await archive(
        make_game("g1", nobody), make_game("g2", seat_person(12345)), make_game("g3", seat_bot("k"))
    )
    assert (told.failed, told.durable) == (["g1", "g2"], ["g3"])
    assert [game.id for game in await store.history()] == ["g3"]


async def test_history_is_newest_first_and_stable(store, archive, make_game, seat_bot):
    seat = seat_bot("keller")
    await archive(*(make_game(name, seat, minute=5) for name in ("b", "d", "a", "c")))
    await archive(make_game("z", seat, minute=4), make_game("e", seat, minute=6))
    assert [game.id for game in await store.history()] == ["e", "d", "c", "b", "a", "z"]
    assert [game.id for game in await store.history(limit=2)] == ["e", "d"]


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (-1, 0), (1, 1), (10**30, 1000)])
async def test_any_limit_is_answered(store, archive, make_game, seat_bot, limit, count):
    await archive(*(make_game(f"{number:04}", seat_bot("keller")) for number in range(1005)))
    assert len(await store.history(limit=limit)) == count
    assert len(await store.history()) == 20


async def test_history_of_one_player(store, archive, people, make_game, seat_person, seat_bot):
    ann, bob, _ = people
    await archive(
        make_game("ab", seat_person(ann, "Ann"), seat_person(bob, "Bob"), minute=1),
        make_game("bb", seat_person(bob, "Bob"), seat_bot("keller"), minute=2),
        make_game("a", seat_person(ann, "Ann"), minute=3),
    )

    async def ids(player):
        return [game.id for game in await store.history(player=player)]

    assert await ids("ANN") == ["a", "ab"]
    assert await ids("Bob") == ["bb", "ab"]
    assert await ids("Keller") == ["bb"]
    assert await ids("Cyd") == []
    assert await ids("nobody") == []
    assert await ids("' OR 1=1 --") == []
    assert [game.id for game in await store.history(player="ann", limit=1)] == ["a"]


async def test_records_count_games_and_wins_by_seats_and_opponents(
    store, archive, people, make_game, seat_person, seat_bot
):
    ann, bob, cyd = (seat_person(player) for player in people)
    keller, random = seat_bot("keller"), seat_bot("random")
    await archive(
        make_game("1", ann, bob, winner=0),
        make_game("2", bob, ann, winner=0),
        make_game("3", ann, keller, winner=0),
        make_game("4", ann, keller, random, bob, winner=1),
        make_game("5", ann, winner=0),
        make_game("6", ann, winner=None),
        make_game("7", ann, bob, cyd, winner=0),
    )
    (record,) = await store.records("ann")
    assert (record.name, record.bot) == ("Ann", None)
    assert (record.games, record.wins) == (5, 3), "solitaire stands apart"
    assert record.by_seats == {1: (2, 1), 2: (3, 2), 3: (1, 1), 4: (1, 0)}
    assert record.against == {"people": (4, 2), "keller": (2, 1), "random": (1, 0)}
    (machine,) = await store.records("keller")
    assert (machine.name, machine.bot) == ("keller", "keller")
    assert (machine.games, machine.wins) == (2, 1)
    assert machine.against == {"people": (2, 1), "random": (1, 1)}


async def test_records_are_ordered_by_wins(store, archive, people, make_game, seat_person):
    ann, bob, cyd = (seat_person(player) for player in people)
    await archive(
        make_game("1", ann, cyd, winner=1),
        make_game("2", bob, cyd, winner=1),
        make_game("3", bob, ann, winner=0),
    )
    await store.identify("Aaron", "aaron", b"t")
    ranking = [(record.name, record.wins) for record in await store.records()]
    assert ranking == [("Cyd", 2), ("Bob", 1), ("Ann", 0), ("Aaron", 0)]


async def test_nobody_has_no_record_and_a_newcomer_an_empty_one(store, people):
    assert await store.records("nobody") == []
    (record,) = await store.records("Ann")
    assert (record.games, record.wins, record.by_seats, record.against) == (0, 0, {}, {})


async def test_a_kind_at_two_seats_has_played_twice(store, archive, make_game, seat_bot):
    await archive(make_game("1", seat_bot("keller"), seat_bot("keller"), winner=1))
    (record,) = await store.records("keller")
    assert (record.games, record.wins, record.against) == (2, 1, {"keller": (2, 1)})


async def test_an_abandoned_game_counts_for_nobody(store, archive, people, make_game, seat_person):
    ann, bob, _ = (seat_person(player) for player in people)
    await archive(make_game("1", ann, bob, winner=None, status="abandoned"))
    assert [(record.games, record.wins) for record in await store.records()] == [(0, 0)] * 3


async def test_archiving_a_game_again_changes_nothing(
    store, told, archive, people, make_game, seat_person
):
    ann, bob, _ = (seat_person(player) for player in people)
    game = make_game("1", ann, bob)
    await archive(game, game)
    await archive(replace(game, winner=1, turns=99))
    assert told.durable == ["1", "1", "1"]
    assert await store.history() == [game]
    assert [(r.games, r.wins) for r in await store.records()][:2] == [(1, 1), (1, 0)]


async def test_a_game_that_cannot_be_counted_is_not_archived(
    store, told, people, make_game, seat_person, at_begin
):
    at_begin.append(
        "CREATE TEMP TRIGGER IF NOT EXISTS no_records BEFORE INSERT ON main.records"
        " BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    ann, bob, _ = (seat_person(player) for player in people)
    store.journal.append(told.write("begin", state=b"live", events=((1, b"e"),)))
    await store.journal.flush()
    store.journal.append(told.write("end", state=None, archive=make_game("1", ann, bob)))
    await store.journal.flush()
    assert told.failed == ["end"]
    assert await store.history() == []
    (room,) = await store.live_rooms("host")
    assert (room.state, room.events) == (b"live", ((1, b"e"),))


async def test_the_best_solitaire_scores_are_kept_by_target(
    store, archive, people, make_game, seat_person
):
    ann, bob, _ = people
    for number, (player, target, turns, winner, status) in enumerate(
        [
            (ann, 3, 12, 0, "finished"),
            (ann, 3, 9, 0, "finished"),
            (ann, 3, 15, 0, "finished"),
            (ann, 2, 5, 0, "finished"),
            (ann, 3, 1, None, "finished"),
            (ann, 3, 1, None, "abandoned"),
            (bob, 3, 8, 0, "finished"),
        ]
    ):
        game = make_game(f"alone{number}", seat_person(player), winner=winner, status=status)
        await archive(replace(game, setup=Setup(1, target), turns=turns))
    records = {record.name: record.solitaire for record in await store.records()}
    assert records == {"Ann": {2: (1, 5), 3: (3, 9)}, "Bob": {3: (1, 8)}, "Cyd": {}}
