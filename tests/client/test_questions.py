"""Questions about games of the past, as they are typed."""

from datetime import UTC, datetime

import pytest

from cantstop_client.questions import BadFilter, Pages, read_filters, read_words
from cantstop_protocol.messages import Games
from cantstop_protocol.past import GameSummary


def at(*when: int) -> int:
    return int(datetime(*when, tzinfo=UTC).timestamp())  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("typed", "fields"),
    [
        ("", {}),
        ("Ann", {"player": "Ann"}),
        ("Ann Lee", {"player": "Ann Lee"}),
        ("Ann Lee vs=Old Ben seats=2", {"player": "Ann Lee", "opponent": "Old Ben", "seats": 2}),
        ("player=Ann VS=keller", {"player": "Ann", "opponent": "keller"}),
        ("kind=Keller target=3 dead=KEPT", {"kind": "keller", "target": 3, "dead_markers": "kept"}),
        ("Ann result=won", {"player": "Ann", "result": "won"}),
        ("since=2026-03-01", {"since": at(2026, 3, 1)}),
        ("until=2026-03-01", {"until": at(2026, 3, 2)}),
        ("until=2026-03-01T20:30", {"until": at(2026, 3, 1, 20, 30)}),
        ("until=2026-03-01 20:30", {"until": at(2026, 3, 1, 20, 30)}),
        ("since=2026-03-01T20:30+02:00", {"since": at(2026, 3, 1, 18, 30)}),
    ],
)
def test_words_become_fields(typed: str, fields: dict[str, object]) -> None:
    assert read_words(typed.split()) == fields


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("colour=red", "'colour' is no filter: player, vs, kind"),
        ("seats=5", "seats is 1 to 4, not '5'"),
        ("seats=two", "seats is 1 to 4, not 'two'"),
        ("seats=\u0663", "seats is 1 to 4"),
        ("target=0", "target is 1 to 5, not '0'"),
        ("dead=gone", "dead is removed or kept, not 'gone'"),
        ("result=draw", "result is won or lost or finished or abandoned, not 'draw'"),
        ("result=won", "who won\\? that needs a player"),
        ("since=yesterday", "since is a date like 2026-03-01 or a time like .*, not 'yesterday'"),
        ("since=2026-02-30", "since is a date like"),
        ("until=9999-12-31", "until is a date like"),
        ("since=1969-07-20", "since is not before 1970"),
        ("vs=", "vs needs a value"),
        ("kind=" + "x" * 17, "too long or out of range"),
        ("x" * 2049, "too long or out of range"),
    ],
)
def test_what_cannot_be_meant_is_said(typed: str, said: str) -> None:
    with pytest.raises(BadFilter, match=said):
        read_words(typed.split())


def test_options_that_were_not_given_do_not_matter() -> None:
    assert read_filters({"player": None, "seats": None}) == {}


def test_pages_go_on_where_the_last_one_ended() -> None:
    pages = Pages()
    assert pages.following() is None
    assert pages.first({"player": "Ann"}) == {"player": "Ann"}
    game = GameSummary("g", "finished", (), 3, "removed", None, 1, 0.0, 1.0, "here")
    assert pages.took(Games(re=1, games=(game,), more=True)) == ("More: /history more",)
    assert pages.following() == {"player": "Ann", "after": "here"}
    assert pages.took(Games(re=2, games=(game,), more=False)) == ()
    assert pages.following() is None
    pages.took(Games(re=3, games=(game,), more=True))
    assert pages.first({}) == {}
    assert pages.following() is None
