"""Finding games, and databases out and in page by page."""

from dataclasses import replace

from generated_games import generated_games

from cantstop_server.storage import transfer


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
    assert await found("a") == ["ab", "abc"]
    assert await found("b") == ["b_c"]
    assert await found("b_") == ["b_c"]
    assert await found("b%") == []
    assert await found("_") == []
    assert await found("") == ["b_c"]


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
