"""Finding games, and databases out and in page by page."""

from dataclasses import replace

from generated_games import generated_games
from sqlalchemy import Connection

from cantstop_server.storage import transfer
from cantstop_server.storage.archive import find


async def fill(store, games):
    await store.writing(lambda c: [transfer.take_game(c, game) for game in games])


async def test_a_game_is_found_by_its_identifier_or_the_beginning_of_it(store):
    made = generated_games(5, 4)
    ids = ("ab", "abc", "abd", "b_c")
    games = [replace(game, id=name) for game, name in zip(made, ids, strict=True)]
    await fill(store, games)

    async def found(text):
        return [game.id for game in await store.find_game(text)]

    assert await found("ab") == ["ab"]
    assert await found("abc") == ["abc"]
    assert sorted(await found("a")) == ["abc", "abd"]
    assert await found("b") == ["b_c"]
    assert await found("b_") == ["b_c"]
    assert await found("b%") == []
    assert await found("_") == []
    assert await found("") == ["b_c"]


async def test_a_beginning_is_looked_up_in_an_index(store):
    await fill(store, generated_games(5, 3))
    plans: list[str] = []

    def explain(connection: Connection) -> None:
        asked: list[tuple[str, object]] = []
        run = connection.execute

        def note(statement, *more):
            compiled = statement.compile(connection, compile_kwargs={"literal_binds": True})
            asked.append((str(compiled), statement))
            return run(statement, *more)

        connection.execute = note  # type: ignore[method-assign]
        find(connection, "g0000")
        del connection.execute  # type: ignore[method-assign]
        for text, _ in asked:
            if "FROM games" in text:
                rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text.replace('%', '%%')}")
                plans.extend(row[3] for row in rows)

    await store.reading(explain)
    assert plans
    assert all("SCAN games" not in plan for plan in plans), plans
    assert any("SEARCH games USING INDEX" in plan for plan in plans), plans


async def test_pages_give_each_game_and_player_once_and_in_order(store, monkeypatch):
    monkeypatch.setattr(transfer, "_PAGE", 7)
    made = generated_games(6, 40)
    # Several games that end in the same moment are told apart by their identifiers.
    games = [replace(g, ended_at=made[n // 5].ended_at) for n, g in enumerate(made)]
    await fill(store, games)
    read = await store.reading(lambda c: list(transfer.each_game(c)))
    assert [game.id for game in read] == [
        game.id for game in sorted(games, key=lambda game: (game.ended_at, game.id))
    ]
    players = await store.reading(lambda c: list(transfer.each_player(c)))
    assert len(players) == len({(player.name, player.bot) for player in players})
    assert {seat.registered for game in games for seat in game.seats if seat.registered} == {
        player.name for player in players if player.bot is None
    }
