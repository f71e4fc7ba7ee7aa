"""The session against a scripted server: who it says it is, what it asks again, when it ends."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from websockets.asyncio.server import serve

from cantstop_client.address import Address, parse_address
from cantstop_client.errors import ClientError
from cantstop_client.happenings import Ended, Happening, Lost, Resumed
from cantstop_client.identity import Identity
from cantstop_client.retry import ANOTHER_VERSION
from cantstop_client.session import Session, SessionOver
from cantstop_protocol.codes import ByeCode, ErrorCode
from cantstop_protocol.commands import Chat, Choose, Join, Leave, ListRooms, Roll
from cantstop_protocol.events import Chatted
from cantstop_protocol.messages import (
    Bye,
    Entered,
    Error,
    Exit,
    Greeting,
    NumberedEvent,
    Ok,
    Rooms,
    Update,
    Welcome,
)

IDENTITY = Identity(b"s" * 32)


class Client:
    """A session without waits between attempts, and all that it told."""

    def __init__(self, address: Address) -> None:
        self.told: list[Happening] = []
        self.waits: list[float] = []
        self.session = Session(
            address, "Ann", IDENTITY, self.told.append, random=lambda: 1.0, pause=self._pause
        )

    async def _pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)

    async def __aenter__(self) -> "Client":
        await self.session.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    async def enter(self) -> None:
        await self.session.request(Join, room="LEZAT", password="pw")

    def kinds(self, *kinds: type) -> list[Happening]:
        return [happening for happening in self.told if isinstance(happening, kinds)]


@pytest.fixture
def entered(table) -> Callable[..., Entered]:
    def make(re: int, seq: int = 1, events: Any = (), complete: bool = True) -> Entered:
        return Entered(
            re=re, seat=0, seq=seq, events=tuple(events), complete=complete, table=table()
        )

    return make


@pytest.fixture
def update(table) -> Callable[[int], Update]:
    return lambda seq: Update(seq=seq, event=Chatted("Ben", 1, f"line {seq}"), table=table())


async def test_it_says_who_it_is_with_a_token_for_this_server(scripted) -> None:
    heard = []

    async def script(peer) -> None:
        heard.append(await peer.welcome(server="5e5e"))
        await peer.until_gone()

    async with scripted(script) as address, Client(address) as client:
        assert client.told[1] == Welcome(re=1, name="Ann", rooms=())
    (hello,) = heard
    assert hello.name == "Ann"
    assert hello.token == IDENTITY.token("5e5e")
    assert len(hello.instance) >= 8


async def test_each_reply_reaches_the_request_with_its_id(scripted) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        first, second = await peer.hear(), await peer.hear()
        assert 1 < first.id < second.id
        await peer.tell(Error(re=second.id, code=ErrorCode.TOO_FAST, message="slow"))
        await peer.tell(Rooms(re=first.id, rooms=()))
        await peer.until_gone()

    async with scripted(script) as address, Client(address) as client:
        rooms, chat = await asyncio.gather(
            client.session.request(ListRooms), client.session.request(Chat, text="hi")
        )
    assert isinstance(rooms, Rooms)
    assert isinstance(chat, Error)


async def test_who_awaits_a_reply_finds_it_already_told(scripted) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        command = await peer.hear()
        await peer.tell(Ok(re=command.id))
        await peer.until_gone()

    async with scripted(script) as address, Client(address) as client:
        reply = await client.session.request(Chat, text="hi")
        assert client.told[-1] is reply


async def test_a_server_of_another_version_is_named_and_not_asked_again(scripted) -> None:
    async def script(peer) -> None:
        raise AssertionError("no connection of another version is accepted")

    async with scripted(script, subprotocol="cantstop.99") as address:
        with pytest.raises(ClientError, match="another protocol version") as caught:
            await Client(address).session.open()
    assert str(address) in str(caught.value)
    assert ANOTHER_VERSION in str(caught.value)


@pytest.mark.parametrize("code", [ErrorCode.NAME_TAKEN, ErrorCode.BAD_NAME, ErrorCode.SERVER_FULL])
async def test_a_refused_hello_ends_the_first_attempt_with_its_reason(scripted, code) -> None:
    async def script(peer) -> None:
        await peer.tell(Greeting(server="5e", name="den", software="t", bots=()))
        hello = await peer.hear()
        await peer.tell(Error(re=hello.id, code=code, message="say another\x1b[31m"))
        await peer.until_gone()

    async with scripted(script) as address:
        with pytest.raises(ClientError, match=r"say another\[31m"):
            await Client(address).session.open()


async def test_nobody_listening_is_told_with_host_and_port(scripted) -> None:
    async def script(peer) -> None:
        pass

    async with scripted(script) as address:
        pass
    with pytest.raises(ClientError, match=f"cannot reach {address}: ") as caught:
        await Client(address).session.open()
    assert "cantstop host" in str(caught.value)


async def test_something_else_than_a_greeting_is_no_cantstop_server(scripted) -> None:
    async def script(peer) -> None:
        await peer.tell(Ok(re=1))
        await peer.until_gone()

    async with scripted(script) as address:
        with pytest.raises(ClientError, match="cannot read"):
            await Client(address).session.open()


@pytest.mark.parametrize("code", [ByeCode.REPLACED, ByeCode.FLOOD])
async def test_a_final_farewell_is_not_answered_with_a_reconnect(scripted, code) -> None:
    connections = []

    async def script(peer) -> None:
        connections.append(peer)
        await peer.welcome()
        await peer.tell(Bye(code=code, message="go"))

    async with scripted(script) as address, Client(address) as client:
        ended = await client.session.wait_ended()
        assert not ended.clean
        assert client.waits == []
        with pytest.raises(SessionOver) as caught:
            await client.session.request(ListRooms)
        assert str(caught.value) == ended.reason
    assert len(connections) == 1


async def test_a_shutdown_is_a_clean_end(scripted) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        await peer.tell(Bye(code=ByeCode.SHUTDOWN, message="bye"))

    async with scripted(script) as address, Client(address) as client:
        assert await client.session.wait_ended() == Ended("bye", clean=True)
        assert client.kinds(Ended, Lost, Resumed) == [await client.session.wait_ended()]


@pytest.mark.parametrize(
    ("code", "words"), [(ByeCode.SHUTDOWN, "bye"), (ByeCode.REPLACED, "somewhere else")]
)
async def test_a_request_under_way_when_it_ends_is_told_why(scripted, code, words) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        await peer.hear()
        await peer.tell(Bye(code=code, message="bye"))

    async with scripted(script) as address, Client(address) as client:
        with pytest.raises(SessionOver, match=words):
            await client.session.request(ListRooms)


async def test_a_refusal_over_http_is_told_without_asking_for_a_firewall() -> None:
    def full(connection, request):
        return connection.respond(503, "This server is full. Try again later.\n")

    async with serve(lambda _: None, "127.0.0.1", 0, process_request=full) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ClientError) as caught:
            await Client(parse_address(f"127.0.0.1:{port}")).session.open()
    assert str(caught.value) == f"127.0.0.1:{port}: This server is full. Try again later"


async def test_it_returns_to_its_seat_after_the_last_event_it_saw(
    scripted, entered, update
) -> None:
    joins = []

    async def first(peer) -> None:
        await peer.welcome()
        joins.append(join := await peer.hear())
        await peer.tell(entered(join.id, seq=3), update(4), update(5))

    async def second(peer) -> None:
        await peer.welcome()
        joins.append(join := await peer.hear())
        missed = NumberedEvent(6, update(6).event)
        await peer.tell(entered(join.id, seq=6, events=[missed]), update(7))
        await peer.tell(Bye(code=ByeCode.SHUTDOWN, message=""))

    async with scripted(first, second) as address, Client(address) as client:
        await client.enter()
        await client.session.wait_ended()
    before, after = joins
    assert (before.last_seq, after.last_seq) == (0, 5)
    assert (after.room, after.password, after.role) == ("LEZAT", "pw", "player")
    assert after.id > before.id
    marks = [type(told) for told in client.kinds(Lost, Entered, Resumed, Update)]
    assert marks[:4] == [Entered, Update, Update, Lost]
    assert marks[4] is Entered
    assert sorted(kind.__name__ for kind in marks[5:]) == ["Resumed", "Update"]


async def test_a_move_without_an_answer_is_asked_again_with_its_id(
    scripted, entered, update
) -> None:
    heard = []

    async def first(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        await peer.tell(entered(join.id))
        heard.append(await peer.hear())

    async def second(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        assert isinstance(join, Join)
        await peer.tell(entered(join.id))
        heard.append(await peer.hear())
        await peer.tell(Ok(re=heard[-1].id))
        await peer.until_gone()

    async with scripted(first, second) as address, Client(address) as client:
        await client.enter()
        assert isinstance(await client.session.request(Choose, ply=7, option=2), Ok)
    assert heard[0] == heard[1]
    assert isinstance(heard[0], Choose)


async def test_what_is_asked_while_the_connection_is_gone_is_sent_on_the_next(
    scripted, entered
) -> None:
    heard = []

    async def first(peer) -> None:
        await peer.welcome()

    async def second(peer) -> None:
        await peer.welcome()
        heard.append(await peer.hear())
        await peer.tell(Ok(re=heard[-1].id))
        await peer.until_gone()

    async with scripted(first, second) as address:
        client = Client(address)
        lost = asyncio.Event()
        resume = asyncio.Event()

        async def pause(seconds: float) -> None:
            lost.set()
            await resume.wait()

        client.session = Session(address, "Ann", IDENTITY, client.told.append, pause=pause)
        async with client:
            await lost.wait()
            asked = asyncio.create_task(client.session.request(Roll, ply=1))
            await asyncio.sleep(0)
            resume.set()
            assert isinstance(await asked, Ok)
    assert [type(command) for command in heard] == [Roll]


async def test_the_instance_stays_and_ids_rise_over_reconnects(scripted) -> None:
    hellos = []

    async def drop(peer) -> None:
        hellos.append(await peer.welcome())

    async def stay(peer) -> None:
        hellos.append(await peer.welcome())
        await peer.tell(Bye(code=ByeCode.SHUTDOWN, message=""))

    async with scripted(drop, drop, stay) as address, Client(address) as client:
        await client.session.wait_ended()
    assert len({hello.instance for hello in hellos}) == 1
    assert [hello.id for hello in hellos] == sorted({hello.id for hello in hellos})


async def test_waits_grow_with_failures_and_start_anew_after_a_resume(scripted) -> None:
    async def lost(peer) -> None:
        await peer.welcome()

    async def not_even_greeted(peer) -> None:
        pass

    async def end(peer) -> None:
        await peer.welcome()
        await peer.tell(Bye(code=ByeCode.SHUTDOWN, message=""))

    scripts = (lost, not_even_greeted, not_even_greeted, lost, end)
    async with scripted(*scripts) as address, Client(address) as client:
        await client.session.wait_ended()
    assert client.waits == [0.5, 1.0, 2.0, 0.5]
    assert len(client.kinds(Resumed)) == 2


async def test_a_connection_that_fails_before_the_seat_is_back_is_no_resume(
    scripted, entered
) -> None:
    async def first(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        await peer.tell(entered(join.id))

    async def welcome_and_drop(peer) -> None:
        await peer.welcome()
        await peer.hear()

    async def end(peer) -> None:
        await peer.welcome()
        await peer.tell(Bye(code=ByeCode.SHUTDOWN, message=""))
        await peer.until_gone()

    scripts = (first, welcome_and_drop, welcome_and_drop, end)
    async with scripted(*scripts) as address, Client(address) as client:
        await client.enter()
        await client.session.wait_ended()
    assert client.waits == [0.5, 1.0, 2.0]
    assert client.kinds(Resumed) == []


async def test_a_room_that_is_gone_is_told_and_the_connection_stays(scripted, entered) -> None:
    async def first(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        await peer.tell(entered(join.id))

    async def second(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        await peer.tell(Error(re=join.id, code=ErrorCode.NO_SUCH_ROOM, message="it has closed"))
        command = await peer.hear()
        await peer.tell(Rooms(re=command.id, rooms=()))
        await peer.until_gone()

    async with scripted(first, second) as address, Client(address) as client:
        await client.enter()
        assert isinstance(await client.session.request(ListRooms), Rooms)
        (gone,) = client.kinds(Exit)
        assert isinstance(gone, Exit)
        assert (gone.room, gone.message) == ("LEZAT", "it has closed")


async def test_a_name_taken_meanwhile_ends_it_for_good(scripted) -> None:
    async def first(peer) -> None:
        await peer.welcome()

    async def second(peer) -> None:
        await peer.tell(Greeting(server="5e", name="den", software="t", bots=()))
        hello = await peer.hear()
        await peer.tell(Error(re=hello.id, code=ErrorCode.NAME_TAKEN, message="taken"))
        await peer.until_gone()

    async with scripted(first, second) as address, Client(address) as client:
        assert await client.session.wait_ended() == Ended("taken", clean=False)


async def test_after_leaving_a_room_a_reconnect_does_not_return_to_it(scripted, entered) -> None:
    heard = []

    async def first(peer) -> None:
        await peer.welcome()
        join = await peer.hear()
        await peer.tell(entered(join.id))
        leave = await peer.hear()
        await peer.tell(Ok(re=leave.id))

    async def second(peer) -> None:
        await peer.welcome()
        heard.append(await peer.hear())
        await peer.tell(Rooms(re=heard[0].id, rooms=()))
        await peer.until_gone()

    async with scripted(first, second) as address, Client(address) as client:
        await client.enter()
        await client.session.request(Leave)
        await client.session.request(ListRooms)
    assert isinstance(heard[0], ListRooms)


async def test_what_is_too_long_for_a_frame_is_refused_here(scripted) -> None:
    async def script(peer) -> None:
        await peer.welcome()
        await peer.until_gone()

    async with scripted(script) as address, Client(address) as client:
        with pytest.raises(ClientError, match="too long"):
            await client.session.request(Chat, text="\u6f22" * 2000)


async def test_without_a_connection_nothing_can_be_asked() -> None:
    session = Client(parse_address("127.0.0.1:1")).session
    with pytest.raises(SessionOver):
        await session.request(ListRooms)
    with pytest.raises(SessionOver):
        await session.wait_ended()
    await session.close()
