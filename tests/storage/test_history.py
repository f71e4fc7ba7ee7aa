"""Pages of history: which games, in which order, and that the index carries every question."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import Engine, event

from cantstop_protocol.text import name_key
from cantstop_server.rules.setup import Setup
from cantstop_server.storage.errors import BadQuestion
from cantstop_server.storage.history import HistoryQuery, cursor_after
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat

NAMES = ("Ann", "Bob", "Cyd")
KINDS = ("keller", "random")


@pytest.fixture
async def people(store):
    return {
        name: (await store.identify(name, name_key(name), b"t")).player
        for name in (*NAMES, "Keller")
    }


@pytest.fixture
async def games(archive, people, make_game):
    """Games of every kind, many of which ended in the same instant; newest first."""
    random = Random(7)
    made = []
    for _game in range(120):
        seats = []
        for _ in range(random.choice((1, 2, 2, 3, 4))):
            name = random.choice((*NAMES, "Keller", *KINDS))
            seats.append(
                ArchivedSeat(name, None, name, 0, False)
                if name in KINDS
                else ArchivedSeat(name, people[name], None, 0, False)
            )
        abandoned = random.random() < 0.2
        game = make_game(
            f"g{random.randrange(10**9)}",
            *seats,
            winner=None if abandoned else random.randrange(len(seats)),
            status="abandoned" if abandoned else "finished",
            minute=random.randrange(40),
        )
        target = random.choice((1, 2, 3))
        keep = random.random() < 0.5
        made.append(replace(game, setup=Setup(len(seats), target, keep, 0)))
    await archive(*made)
    return sorted(made, key=lambda game: (game.ended_at, game.id), reverse=True)


def sat(game: ArchivedGame, name: str) -> set[int]:
    """The seats of whoever has this name, person or kind."""
    return {i for i, seat in enumerate(game.seats) if seat.name.casefold() == name.casefold()}


def fits(game: ArchivedGame, query: HistoryQuery) -> bool:
    """What a question means, written down a second time and without any index."""
    named = [name for name in (query.player, query.opponent) if name is not None]
    if any(not sat(game, name) for name in named):
        return False
    if len(named) == 2 and len(set.union(*(sat(game, name) for name in named))) < 2:
        return False  # nobody is their own opponent
    if query.kind is not None and query.kind not in [seat.bot for seat in game.seats]:
        return False
    setup = (query.seats, query.target, query.keep_dead_markers)
    if any(want not in (None, got) for want, got in zip(setup, game.setup[:3], strict=True)):
        return False
    if query.since is not None and game.ended_at < query.since:
        return False
    if query.until is not None and game.ended_at >= query.until:
        return False
    match query.result:
        case None:
            return True
        case "won":
            return game.status == "finished" and game.winner in sat(game, query.player or "")
        case "lost":
            return game.status == "finished" and game.winner not in sat(game, query.player or "")
        case status:
            return game.status == status


QUERIES = [
    HistoryQuery(),
    HistoryQuery(result="finished"),
    HistoryQuery(result="abandoned"),
    HistoryQuery(seats=2),
    HistoryQuery(target=2, keep_dead_markers=True),
    HistoryQuery(seats=4, target=5),
    HistoryQuery(player="ann"),
    HistoryQuery(player="Ann", result="won"),
    HistoryQuery(player="Ann", result="lost", keep_dead_markers=False),
    HistoryQuery(player="Ann", result="abandoned"),
    HistoryQuery(player="Ann", result="finished", seats=3),
    HistoryQuery(player="Ann", opponent="Bob"),
    HistoryQuery(player="Ann", opponent="BOB", result="won"),
    HistoryQuery(player="Ann", opponent="random", target=3),
    HistoryQuery(player="random", opponent="random"),
    HistoryQuery(player="Cyd", kind="random"),
    HistoryQuery(opponent="Bob"),
    HistoryQuery(kind="keller"),
    HistoryQuery(kind="keller", result="finished"),
    HistoryQuery(player="Ann", opponent="Bob", kind="random"),
    HistoryQuery(player="Ann", opponent="Bob", kind="random", seats=4, result="finished"),
    HistoryQuery(player="nobody"),
    HistoryQuery(player="Ann", opponent="nobody"),
    HistoryQuery(player="' OR 1=1 --"),
]


async def whole(store, query, limit=7):
    """Every page of an answer, one after the other."""
    found, after = [], None
    while True:
        page = await store.history_page(query, limit=limit, after=after)
        assert len(page.games) <= limit
        found += page.games
        if page.next is None:
            return found
        assert len(page.games) == limit
        after = page.next


async def test_pages_hold_the_games_that_fit_newest_first_and_each_once(store, games):
    since, until = games[80].ended_at, games[30].ended_at
    for undated in QUERIES:
        for query in (undated, replace(undated, since=since, until=until)):
            found = await whole(store, query)
            assert found == [game for game in games if fits(game, query)], query


async def test_a_name_may_be_a_persons_and_a_kinds(store, games):
    query = HistoryQuery(player="keller")
    found = await whole(store, query)
    assert found == [game for game in games if fits(game, query)]
    assert {seat.bot for game in found for seat in game.seats if seat.name.lower() == "keller"} == {
        None,
        "keller",
    }


async def test_a_result_needs_a_player(store, games):
    with pytest.raises(BadQuestion, match="who won\\? that needs a player"):
        await store.history_page(HistoryQuery(result="won", opponent="Ann"))


async def test_pages_stay_as_they_are_while_games_end(store, archive, games, make_game, seat_bot):
    first = await store.history_page(HistoryQuery(), limit=10)
    newer = [make_game(f"new{n}", seat_bot("keller"), minute=100 + n) for n in range(5)]
    same_instant = replace(newer[0], id="zzz", ended_at=first.games[-1].ended_at)
    await archive(*newer, same_instant)
    second = await store.history_page(HistoryQuery(), limit=10, after=first.next)
    assert [*first.games, *second.games] == games[:20]


async def test_the_last_page_has_no_cursor(store, games):
    page = await store.history_page(HistoryQuery(), limit=len(games))
    assert (len(page.games), page.next) == (len(games), None)
    after = cursor_after(games[-1])
    assert await store.history_page(HistoryQuery(), after=after) == type(page)((), None)


@pytest.mark.parametrize("limit", [0, -1])
async def test_a_page_of_nothing_is_empty(store, games, limit):
    page = await store.history_page(HistoryQuery(), limit=limit)
    assert (page.games, page.next) == ((), None)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "next",
        "é",
        "AAAA",
        "MjAyNi0wMy0wMQ",
        "MjAyNi0wMy0wMVQxMjowMDowMCBn",
        "a" * 5000,
        "MDAwMS0wMS0wMVQwMDowMDowMCsxNDowMCBn",
    ],
)
async def test_what_is_no_cursor_is_refused(store, cursor):
    with pytest.raises(BadQuestion, match="this is no cursor: take the one that came with"):
        await store.history_page(HistoryQuery(), after=cursor)


@pytest.fixture
def statements():
    """Every reading statement that reaches a database from now on, with its parameters."""
    seen = []

    def note(connection, cursor, statement, parameters, context, executemany):
        if statement.startswith("SELECT"):
            seen.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    yield seen
    event.remove(Engine, "before_cursor_execute", note)


def plan(file, statement, parameters):
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
    return [row[3] for row in rows]


async def test_no_page_scans_a_table_or_sorts(store, games, file, statements):
    for query in QUERIES:
        first = await store.history_page(query, limit=3)
        dated = replace(query, since=games[-1].ended_at - timedelta(1))
        await store.history_page(dated, limit=3, after=first.next)
    assert len(statements) > len(QUERIES)
    for statement, parameters in statements:
        steps = plan(file, statement, parameters)
        assert all(step.startswith(("SEARCH", "CORRELATED")) for step in steps), (statement, steps)


async def test_a_game_is_found_by_the_beginning_of_its_identifier(
    store, archive, games, file, statements
):
    game = games[5]
    assert await store.find_game(game.id) == [game]
    assert await store.find_game("") == [games[0]]
    assert len(await store.find_game("g")) == 2
    await archive(replace(game, id=f"{game.id}x"))
    assert await store.find_game(game.id) == [game]
    assert await store.find_game("g%") == await store.find_game("nothing") == []
    for statement, parameters in statements:
        steps = plan(file, statement, parameters)
        scans = [step for step in steps if "SCAN" in step or "TEMP" in step]
        # The newest of all is the first entry of an index, read from its end.
        assert scans in ([], ["SCAN games USING COVERING INDEX ix_games_ended_at_id"]), statement


async def test_a_players_records_scan_no_table_that_grows_with_the_games(
    store, games, file, statements
):
    assert await store.records("Ann")
    for statement, parameters in statements:
        steps = plan(file, statement, parameters)
        assert not any(step.startswith("SCAN") for step in steps), (statement, steps)
