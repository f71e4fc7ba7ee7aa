"""Over a real socket: the session contributes before anything else, and says when it is cheated."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from cantstop_client.address import Address
from cantstop_client.happenings import DiceChecked, Happening
from cantstop_client.identity import Identity
from cantstop_client.session import Session
from cantstop_protocol.commands import Chat, Contribute, Create, Join, Start, Witness
from cantstop_protocol.dice import hashed
from cantstop_protocol.events import Chatted, Started, WitnessAsked
from cantstop_protocol.messages import Entered, NumberedEvent, Ok, Update
from cantstop_protocol.table import DiceTerms, GameOptions, Promise

PROMISED, OTHER = "c0" * 32, "0c" * 32
SECONDS = 60


class Client:
    """A session that has entered a room, and what it told."""

    def __init__(self, address: Address) -> None:
        self.told: list[Happening] = []
        self.session = Session(
            address, "Ann", Identity(b"s" * 32), self.told.append, random=lambda: 0.0
        )

    async def __aenter__(self) -> "Client":
        await self.session.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    async def enter(self, room: str = "LEZAT") -> None:
        await self.session.request(Join, room=room)

    def checked(self) -> list[DiceChecked]:
        return [happening for happening in self.told if isinstance(happening, DiceChecked)]


@pytest.fixture
def room(table, seat) -> Any:
    """A table of Ann and Ben before their game, with a promise."""

    def make(promise: str = PROMISED, **fields: Any) -> Any:
        made = table(seat("Ann"), seat("Ben"))
        fields = {"phase": "waiting", "turn": None, "game": None, **fields}
        return replace(made, dice=Promise(promise, (False, False)), **fields)

    return make


def entered(re: int, table: Any, events: Any = ()) -> Entered:
    return Entered(re=re, seat=0, seq=len(events) + 1, events=events, complete=True, table=table)


async def test_it_contributes_before_the_person_can_ask_for_anything(scripted, room) -> None:
    heard = []

    async def script(peer) -> None:
        await peer.welcome()
        created = await peer.hear()
        await peer.tell(entered(created.id, room()))
        heard.extend([await peer.hear(), await peer.hear()])
        for command in heard:
            await peer.tell(Ok(re=command.id))
        await peer.until_gone()

    async with scripted(script) as address, Client(address) as client:
        await client.session.request(Create)
        await client.session.request(Start)
    first, second = heard
    assert isinstance(first, Contribute)
    assert isinstance(second, Start)
    assert (first.commitment, first.chain) == (PROMISED, None)
    assert first.nonce != PROMISED


async def test_after_a_reconnect_it_gives_the_same_again(scripted, room) -> None:
    heard, done = [], asyncio.Event()

    async def first(peer) -> None:
        await peer.welcome()
        joined = await peer.hear()
        await peer.tell(entered(joined.id, room()))
        heard.append(await peer.hear())

    async def second(peer) -> None:
        await peer.welcome()
        joined = await peer.hear()
        assert isinstance(joined, Join)
        await peer.tell(entered(joined.id, room()))
        heard.extend([await peer.hear(), await peer.hear()])
        done.set()
        await peer.until_gone()

    async with scripted(first, second) as address, Client(address) as client:
        await client.enter()
        async with asyncio.timeout(SECONDS):
            await done.wait()
    kinds = {type(command) for command in heard}
    assert kinds == {Contribute}
    assert len({command.nonce for command in heard}) == 1
    # The one that got no answer keeps its number: it is the same command.
    assert heard[0].id in {command.id for command in heard[1:]}


async def test_a_server_that_exchanges_its_promise_is_named_once_and_the_game_goes_on(
    scripted, room
) -> None:
    nonces = []

    async def script(peer) -> None:
        await peer.welcome()
        joined = await peer.hear()
        await peer.tell(entered(joined.id, room()))
        contribution = await peer.hear()
        nonces.append(contribution.nonce)
        await peer.tell(Ok(re=contribution.id))
        terms = DiceTerms("committed", OTHER, (contribution.nonce, None))
        started = Started("g1", GameOptions(), ("Ann", "Ben"), 0, (), terms)
        playing = room(OTHER, phase="playing", game="g1")
        await peer.tell(Update(seq=2, event=started, table=playing))
        chat = await peer.hear()
        await peer.tell(Ok(re=chat.id))
        await peer.until_gone()

    async with scripted(script) as address, Client(address) as client:
        await client.enter()
        await client.session.request(Chat, text="hm")
        (told,) = client.checked()
    assert not told.ok
    assert told.game == "g1"
    assert f"promised {PROMISED[:12]} before the game and plays with {OTHER[:12]}" in told.text


async def test_it_witnesses_the_roll_that_comes_next_by_itself(scripted, room) -> None:
    heard, done = [], asyncio.Event()
    options = GameOptions(dice="witnessed")

    async def script(peer) -> None:
        await peer.welcome()
        joined = await peer.hear()
        await peer.tell(entered(joined.id, room(options=options)))
        contribution = await peer.hear()
        heard.append(contribution)
        await peer.tell(Ok(re=contribution.id))
        chains = (contribution.chain, None)
        terms = DiceTerms("witnessed", PROMISED, (contribution.nonce, None), OTHER, chains)
        started = Started("g1", options, ("Ann", "Ben"), 1, (), terms)
        playing = room(phase="playing", game="g1", options=options)
        await peer.tell(Update(seq=2, event=started, table=playing))
        waiting = replace(playing, dice=Promise(PROMISED, (True, False), 0, 1))
        await peer.tell(Update(seq=3, event=WitnessAsked(0, 1), table=waiting))
        heard.append(await peer.hear())
        await peer.tell(Update(seq=4, event=Chatted("Ben", 1, "well?"), table=waiting))
        await peer.tell(Ok(re=heard[-1].id))
        done.set()
        for _ in range(2):
            chat = await peer.hear()
            assert isinstance(chat, Chat)
            await peer.tell(Ok(re=chat.id))
        await peer.until_gone()

    async with scripted(script) as address, Client(address) as client:
        await client.enter()
        async with asyncio.timeout(SECONDS):
            await done.wait()
        # The question is still on the table, and has been answered.
        await client.session.request(Chat, text="one")
        await client.session.request(Chat, text="two")
    contribution, word = heard
    assert isinstance(word, Witness)
    assert (word.game, word.roll) == ("g1", 1)
    assert hashed(bytes.fromhex(word.link), 1).hex() == contribution.chain


async def test_a_room_that_was_left_is_forgotten(scripted, room) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        joined = await peer.hear()
        log = (NumberedEvent(1, Chatted("Ben", 1, "hello")),)
        await peer.tell(entered(joined.id, room(), log))
        first = await peer.hear()
        await peer.tell(Ok(re=first.id))
        joined = await peer.hear()
        await peer.tell(entered(joined.id, replace(room(OTHER), room="BADOK")))
        second = await peer.hear()
        assert (first.commitment, second.commitment) == (PROMISED, OTHER)
        assert first.nonce != second.nonce
        await peer.tell(Ok(re=second.id))
        chat = await peer.hear()
        await peer.tell(Ok(re=chat.id))
        await peer.until_gone()

    async with scripted(script) as address, Client(address) as client:
        await client.enter()
        await client.enter("BADOK")
        await client.session.request(Chat, text="hello")
        assert client.checked() == []
