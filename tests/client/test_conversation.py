"""The protocol's client side without a connection."""

import pytest

from cantstop_client.conversation import Conversation, Membership
from cantstop_protocol.codes import ErrorCode, ExitCode
from cantstop_protocol.commands import Chat, Create, Join, Leave
from cantstop_protocol.events import Chatted
from cantstop_protocol.messages import Entered, Error, Exit, Greeting, Ok, Update


@pytest.fixture
def talk():
    return Conversation("Ann", lambda server: f"token for {server}".ljust(40, "."), "instance")


@pytest.fixture
def entered(table):
    return lambda re, seq=3: Entered(
        re=re, seat=0, seq=seq, events=(), complete=True, table=table()
    )


def test_hello_carries_the_token_for_the_server_that_greeted(talk) -> None:
    hello = talk.hello(Greeting(server="5e", name="", software="", bots=()))
    assert hello.token.startswith("token for 5e")
    assert (hello.name, hello.instance) == ("Ann", "instance")


def test_ids_rise_and_what_is_unanswered_keeps_its_order(talk) -> None:
    first, second, third = (talk.ask(Chat, text=text) for text in "abc")
    assert first.id < second.id < third.id
    talk.receive(Ok(re=second.id))
    talk.receive(Error(re=None, code=ErrorCode.MALFORMED, message=""))
    assert talk.unanswered() == (first, third)
    talk.forget(first)
    assert talk.unanswered() == (third,)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Join, {"room": "LEZAT", "password": "pw", "role": "spectator"}),
        (Create, {"title": "x", "password": "pw", "role": "spectator"}),
    ],
)
def test_the_way_back_is_known_after_entering(talk, entered, kind, fields) -> None:
    command = talk.ask(kind, **fields)
    assert talk.rejoin() is None
    talk.receive(entered(command.id))
    assert talk.membership == Membership("LEZAT", "pw", "spectator", 3)
    rejoin = talk.rejoin()
    assert (rejoin.room, rejoin.password, rejoin.role, rejoin.last_seq) == (
        "LEZAT",
        "pw",
        "spectator",
        3,
    )
    assert rejoin.id > command.id
    assert talk.unanswered() == ()


def test_the_last_event_only_moves_forward(talk, entered, table) -> None:
    talk.receive(entered(talk.ask(Join, room="LEZAT").id))
    for seq in (5, 4):
        talk.receive(Update(seq=seq, event=Chatted("Ben", 1, ""), table=table()))
    assert talk.rejoin().last_seq == 5
    talk.receive(entered(talk.rejoin().id, seq=9))
    assert talk.rejoin().last_seq == 9


def test_there_is_no_way_back_after_leaving_or_being_put_out(talk, entered) -> None:
    talk.receive(entered(talk.ask(Join, room="LEZAT").id))
    leave = talk.ask(Leave)
    talk.receive(Error(re=leave.id, code=ErrorCode.STORAGE, message=""))
    assert talk.rejoin() is not None
    talk.receive(Ok(re=talk.ask(Leave).id))
    assert talk.rejoin() is None
    talk.receive(entered(talk.ask(Join, room="LEZAT").id))
    talk.receive(Exit(room="LEZAT", code=ExitCode.ROOM_CLOSED, message=""))
    assert talk.rejoin() is None
