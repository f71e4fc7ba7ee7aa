"""The view is made from messages alone, whatever their order."""

import pytest
from msgspec import structs

from cantstop_client.happenings import Ended, Lost, Resumed
from cantstop_client.view import LOG_EVENTS, View, left, receive
from cantstop_protocol.codes import ExitCode
from cantstop_protocol.events import Chatted, Left
from cantstop_protocol.messages import (
    Entered,
    Exit,
    Greeting,
    NumberedEvent,
    Ok,
    Update,
    Welcome,
)


def said(number: int) -> Chatted:
    return Chatted("Ben", 1, f"line {number}")


@pytest.fixture
def entered(table):
    def make(seq=1, events=(), complete=True, seat=0, **fields):
        numbered = tuple(NumberedEvent(number, said(number)) for number in events)
        return Entered(
            re=1, seat=seat, seq=seq, events=numbered, complete=complete, table=table(**fields)
        )

    return make


@pytest.fixture
def update(table):
    def make(seq, event=None, **fields):
        return Update(seq=seq, event=event or said(seq), table=table(**fields))

    return make


def after(*happenings, view=None):
    view = view or View()
    shown = []
    for happening in happenings:
        view, news = receive(view, happening)
        shown += [item.event for item in news]
    return view, shown


def test_who_and_where_one_is() -> None:
    greeting = Greeting(server="5e", name="den", software="t", bots=("keller", "random"))
    view, _ = after(greeting, Welcome(re=1, name="Ann", rooms=("LEZAT",)))
    assert (view.name, view.server, view.bots, view.rooms) == (
        "Ann",
        "den",
        ("keller", "random"),
        ("LEZAT",),
    )


def test_entering_shows_the_table_and_the_latest_events(entered) -> None:
    view, shown = after(entered(seq=3, events=(2, 3)))
    assert view.room.seq == 3
    assert view.room.seat == 0
    assert shown == [said(2), said(3)]
    assert not view.room.gap


def test_only_the_last_event_of_an_entry_has_the_table_it_led_to(entered) -> None:
    _, news = receive(View(), entered(seq=3, events=(2, 3)))
    assert [item.table is not None for item in news] == [False, True]


def test_updates_follow(entered, update) -> None:
    view, shown = after(entered(seq=1), update(2, title="new"), update(3, title="newer"))
    assert view.room.table.title == "newer"
    assert shown == [said(2), said(3)]
    assert [numbered.seq for numbered in view.room.log] == [2, 3]


def test_what_comes_twice_or_late_changes_nothing(entered, update) -> None:
    before, _ = after(entered(seq=1), update(2), update(3, title="now"))
    view, shown = after(update(3, title="x"), update(2, title="old"), view=before)
    assert view == before
    assert shown == []


def test_a_gap_is_flagged_and_the_table_is_right_all_the_same(entered, update) -> None:
    view, _ = after(entered(seq=1), update(4, title="now"))
    assert view.room.gap
    assert view.room.table.title == "now"


def test_a_return_shows_each_missed_event_once(entered, update) -> None:
    view, shown = after(
        entered(seq=1),
        update(2),
        Lost("broke", 1.0),
        entered(seq=4, events=(2, 3, 4)),
        Resumed(),
        update(4),
    )
    assert shown == [said(2), said(3), said(4)]
    assert view.room.seq == 4
    assert not view.room.gap
    assert [numbered.seq for numbered in view.room.log] == [2, 3, 4]


def test_a_return_after_too_long_has_a_gap(entered) -> None:
    view, _ = after(entered(seq=1), entered(seq=900, events=(899, 900), complete=False))
    assert view.room.gap


def test_a_first_entry_into_an_old_room_has_none(entered) -> None:
    view, _ = after(entered(seq=900, events=(900,), complete=False))
    assert not view.room.gap


def test_an_entry_that_updates_have_overtaken_is_ignored(entered, update) -> None:
    before, _ = after(entered(seq=1), update(2))
    view, shown = after(entered(seq=1, title="old"), view=before)
    assert view == before
    assert shown == []


def test_another_room_starts_with_its_own_numbers(entered, update) -> None:
    view, shown = after(entered(seq=50), entered(seq=2, events=(1, 2), room="OTHER"))
    assert view.room.seq == 2
    assert shown == [said(1), said(2)]
    view, shown = after(update(51), view=view)
    assert view.room.table.room == "OTHER"
    assert shown == []


def test_news_of_a_room_one_has_left_is_ignored(entered, update) -> None:
    view, _ = after(entered(seq=1))
    view, shown = after(update(2), view=left(view))
    assert view.room is None
    assert shown == []


def test_being_put_out_of_a_room(entered) -> None:
    exit = Exit(room="LEZAT", code=ExitCode.ROOM_CLOSED, message="")
    view, _ = after(entered(seq=1), exit)
    assert view.room is None


def test_ones_seat_is_where_ones_name_sits_until_one_has_left(entered, table, seat) -> None:
    ben = Welcome(re=1, name="Ben", rooms=())
    three = table(seat("Ann"), None, seat("Ben"))
    view, _ = after(ben, Entered(re=1, seat=2, seq=1, events=(), complete=True, table=three))
    assert view.room.seat == 2
    closer = table(seat("Ann"), seat("Ben"))
    view, _ = after(Update(seq=2, event=said(2), table=closer), view=view)
    assert view.room.seat == 1, "people move when the number of seats changes"
    gone = table(seat("Ann"), structs.replace(seat("Ben"), left=True))
    view, _ = after(Update(seq=3, event=Left("Ben", 1), table=gone), view=view)
    assert view.room.seat is None


def test_the_connection_is_part_of_the_view(entered) -> None:
    assert after(Lost("x", 1.0))[0].connection == "lost"
    assert after(Lost("x", 1.0), Resumed())[0].connection == "connected"
    assert after(Ended("x", clean=True))[0].connection == "ended"
    assert after(Lost("x", 1.0), Ok(re=3))[0].connection == "lost"


def test_the_log_is_bounded(entered, update) -> None:
    view, _ = after(entered(seq=0), *(update(seq) for seq in range(1, LOG_EVENTS + 50)))
    assert len(view.room.log) == LOG_EVENTS
    assert view.room.log[-1].seq == LOG_EVENTS + 49


def test_a_decision_is_ones_own_unless_a_computer_plays_the_seat(
    entered, table, turn, seat
) -> None:
    view, _ = after(entered(turn=turn(0)))
    assert view.room.is_mine
    assert view.room.decision == ("g1", 1)
    assert not after(entered(turn=turn(1)))[0].room.is_mine
    assert not after(entered(turn=turn(0), seat=None))[0].room.is_mine
    flown = Entered(
        re=1,
        seat=0,
        seq=1,
        events=(),
        complete=True,
        table=table(seat("Ann", autopilot="keller"), None, turn=turn(0)),
    )
    room = after(flown)[0].room
    assert room.is_autopilot
    assert not room.is_mine
