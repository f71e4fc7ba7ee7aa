"""Names belong to whoever registered them."""

import asyncio

import pytest

from cantstop_protocol.text import name_key
from cantstop_server.storage.errors import NameTaken

TOKEN, OTHER = b"t" * 32, b"o" * 32


async def identify(store, name, token=TOKEN):
    return await store.identify(name, name_key(name), token)


async def test_the_first_use_registers_and_the_next_finds_it(store):
    first = await identify(store, "Ann")
    assert (await identify(store, "Ann")) == first
    assert (await identify(store, "Bob")).player != first.player


async def test_it_outlives_the_store(open_store):
    store = await open_store()
    ann = await identify(store, "Ann")
    await store.close()
    store = await open_store()
    assert await identify(store, "Ann") == ann
    with pytest.raises(NameTaken):
        await identify(store, "Ann", OTHER)


async def test_another_token_is_refused_and_changes_nothing(store):
    ann = await identify(store, "Ann")
    with pytest.raises(NameTaken, match="'ANN' belongs to somebody else"):
        await identify(store, "ANN", OTHER)
    assert await identify(store, "Ann") == ann


async def test_the_newest_spelling_is_kept(store):
    first = await identify(store, "straße")
    second = await identify(store, "STRASSE")
    assert second.player == first.player
    assert second.name == "STRASSE"
    (record,) = await store.records("Strasse")
    assert record.name == "STRASSE"


async def test_many_at_once_get_one_number_each(store):
    names = [f"player {number % 10}" for number in range(50)]
    found = await asyncio.gather(*(identify(store, name) for name in names))
    assert len({identity.player for identity in found}) == 10
    assert len({(identity.player, identity.name) for identity in found}) == 10


async def test_of_two_strangers_one_gets_the_name(store):
    results = await asyncio.gather(
        identify(store, "Ann", TOKEN), identify(store, "Ann", OTHER), return_exceptions=True
    )
    assert [isinstance(result, NameTaken) for result in results] in ([True, False], [False, True])


async def test_a_kind_of_computer_player_is_nobodys_name(store, told, make_game, seat_bot):
    game = make_game("g", seat_bot("keller"), seat_bot("random"))
    store.journal.append(told.write("end", state=None, archive=game))
    await store.journal.flush()
    with pytest.raises(NameTaken):
        await store.identify("@keller", "@keller", TOKEN)
    assert (await identify(store, "keller")).name == "keller"
    assert {record.bot for record in await store.records("Keller")} == {"keller", None}
