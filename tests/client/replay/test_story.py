"""Moving in a past game, and what can be typed for it."""

import pytest
from generated_games import generated_games
from hypothesis import given, settings
from hypothesis import strategies as st
from stories import example_story

from cantstop_client.local import story_of
from cantstop_client.replay.orders import ORDERS, Order, Unusable, order_lines, read_order
from cantstop_client.replay.story import SPEEDS, Place
from cantstop_client.replay.telling import heading, where, where_in_short
from cantstop_protocol.events import Abandoned, Finished, Resigned, Started
from cantstop_protocol.text import cells

STORY = example_story()


def test_a_story_begins_with_the_start_and_ends_with_the_result() -> None:
    assert isinstance(STORY.steps[0].event, Started)
    assert isinstance(STORY.steps[-1].event, Finished)
    assert STORY.names == ("Ann", "keller", "Cleo")
    assert STORY.last_turn == 16
    assert heading(STORY) == (
        "Game k3f9abcdef, 2026-06-11 14:00 UTC: Ann, keller, Cleo;"
        " 3 seats, 1 column wins, dead markers stay, casual; 16 turns"
    )


def test_every_kind_of_game_is_a_story() -> None:
    for game in generated_games(11, 60):
        story = story_of(game)
        assert isinstance(story.steps[-1].event, Finished | Abandoned)
        assert story.last_turn == game.turns
        assert list(story.turns) == sorted(story.turns)


def test_a_turn_begins_where_its_player_is_to_roll() -> None:
    for turn in range(1, STORY.last_turn + 1):
        at = STORY.start_of(turn)
        table = STORY.steps[at].table
        assert table.turn is not None
        assert (table.turn.number, table.turn.decision) == (turn, "roll")
        assert at == 0 or STORY.turns[at - 1] == turn - 1


def test_a_step_back_is_the_table_that_was() -> None:
    place = Place(STORY)
    for _ in range(40):
        place = place.moved(1)
    assert place.moved(1).moved(-1) == place
    assert place.moved(-1000).at == 0
    assert place.moved(1000).at == STORY.last


def test_turns_forth_and_back_meet_each_turn_once() -> None:
    place, seen = Place(STORY), [1]
    while place.at < STORY.last:
        place = place.turned(1)
        seen.append(place.turn)
    assert seen == [*range(1, 17), 16]
    back = []
    while place.at > 0:
        place = place.turned(-1)
        back.append((place.turn, place.at))
    assert back == [(turn, STORY.start_of(turn)) for turn in range(16, 0, -1)]


def test_playing_ends_at_the_end_and_begins_anew_from_there() -> None:
    place = Place(STORY, at=STORY.last - 1).played(True)
    assert place.playing
    ended = place.moved(1)
    assert not ended.playing
    again = ended.played(True)
    assert (again.at, again.playing) == (0, True)


def test_speeds_stay_in_their_range() -> None:
    place = Place(STORY)
    assert place.faster(1).speed == 2
    assert place.faster(100).speed == SPEEDS[-1]
    assert place.faster(-100).speed == SPEEDS[0]
    assert place.faster(1).pause == 0.5


PLACE = Place(STORY, at=10)


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("", Order(PLACE.moved(1))),
        ("n", Order(PLACE.moved(1))),
        ("next 3", Order(PLACE.moved(3))),
        ("/next 3", Order(PLACE.moved(3))),
        ("b", Order(PLACE.moved(-1))),
        ("BACK 99", Order(PLACE.put(0))),
        ("7", Order(PLACE.put(STORY.start_of(7)))),
        ("turn 7", Order(PLACE.put(STORY.start_of(7)))),
        ("t +", Order(PLACE.turned(1))),
        ("t -", Order(PLACE.turned(-1))),
        ("start", Order(PLACE.put(0))),
        ("end", Order(PLACE.put(STORY.last))),
        ("play", Order(PLACE.played(True))),
        ("play 4", Order(Place(STORY, 10, True, 4.0))),
        ("speed 0.5", Order(Place(STORY, 10, False, 0.5))),
        ("board", Order(PLACE, "board")),
        ("all", Order(PLACE, "all")),
        ("review", Order(PLACE, "review")),
        ("?", Order(PLACE, "help")),
        ("q", Order(PLACE, "close")),
    ],
)
def test_what_a_line_asks_for(line: str, order: Order) -> None:
    assert read_order(line, PLACE) == order


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("17", "There is no turn 17: the game has 16"),
        ("0", "There is no turn 0"),
        ("turn x", "'x' is no number"),
        ("next -2", "'-2' is no number"),
        ("speed fast", "The speed is 0.25 to 16 steps in a second"),
        ("speed nan", "The speed is"),
        ("speed 1e9", "The speed is"),
        ("play now", "The speed is"),
        ("end now", "Nothing follows end"),
        ("resign", "'resign' is nothing that can be done here"),
    ],
)
def test_what_cannot_be_done_is_said(line: str, reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        read_order(line, PLACE)


@settings(max_examples=200)
@given(st.text(max_size=30), st.integers(0, STORY.last))
def test_no_line_breaks_a_replay(line: str, at: int) -> None:
    try:
        order = read_order(line, Place(STORY, at))
    except Unusable:
        return
    assert 0 <= order.place.at <= STORY.last


def test_the_page_has_every_order_and_fits() -> None:
    lines = order_lines()
    assert all(cells(line) <= 80 for line in lines)
    for row in ORDERS:
        assert any(row.help in line and row.usage in line for line in lines)


def test_where_one_is() -> None:
    assert where(PLACE) == f"Turn 4 of 16, step 10 of {STORY.last}"
    assert where_in_short(PLACE) == f"Turn 4/16, step 10/{STORY.last}"
    assert any(isinstance(step.event, Resigned) for step in STORY.steps)
