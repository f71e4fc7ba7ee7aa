"""When it rings, and what the title says."""

import pytest
from scenes import seat, table, turn

from cantstop_client.fullscreen.attention import mentions, rings, title_of
from cantstop_client.view import News, RoomView, View
from cantstop_protocol.events import Chatted, Started, Stopped
from cantstop_protocol.table import GameOptions


def view(whose: int | None, number: int = 1, creator: str = "Ben", seats: int = 2) -> View:
    people = (seat("Ann"), seat("Ben"))[:seats]
    now = None if whose is None else turn(whose, number=number)
    made = table(*people, turn=now, creator=creator)
    return View(name="Ann", room=RoomView(table=made, seat=0, seq=1))


STOPPED = News(Stopped(1, (0,) * 11, ()), None)
OWN = News(Stopped(0, (0,) * 11, ()), None)
STARTED = News(Started("g", GameOptions(), ("Ann", "Ben"), 0), None)


def said(name: str, text: str) -> News:
    return News(Chatted(name, None, text), None)


@pytest.mark.parametrize(
    ("choice", "before", "after", "news", "ring"),
    [
        ("turn", view(1, 1), view(0, 2), [STOPPED], True),
        ("mention", view(1, 1), view(0, 2), [STOPPED], False),
        ("off", view(1, 1), view(0, 2), [STOPPED], False),
        ("turn", view(0, 2), view(0, 2), [said("Ben", "hm")], False),
        ("turn", view(0, 2), view(1, 3), [OWN], False),
        ("turn", view(0, 2, seats=1), view(0, 3, seats=1), [OWN], False),
        ("turn", view(None), view(0), [STARTED], True),
        ("turn", view(None, creator="Ann"), view(0, creator="Ann"), [STARTED], False),
        ("turn", view(1), view(1), [said("Ben", "your go, ANN!")], True),
        ("mention", view(1), view(1), [said("Ben", "ann?")], True),
        ("off", view(1), view(1), [said("Ben", "ann?")], False),
        ("turn", view(1), view(1), [said("Ann", "I am Ann")], False),
        ("turn", view(1), view(1), [said("Ben", "planning")], False),
        ("turn", view(1), view(0), [], False),
    ],
)
def test_when_it_rings(choice, before, after, news, ring) -> None:
    assert rings(choice, before, after, news) is ring


def test_names_of_any_characters_are_found_as_words() -> None:
    assert mentions("so, (c++)!", "(C++)")
    assert not mentions("anything", "")


def test_the_title_says_whose_turn_it_is() -> None:
    assert title_of(View()) == "Can't Stop"
    assert title_of(view(0)) == "YOUR TURN - Can't Stop"
    assert title_of(view(1)) == "Ben plays - Can't Stop"
    assert title_of(view(None)) == "Room LEZAT - Can't Stop"
