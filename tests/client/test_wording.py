"""Events in words, the speaker first."""

import pytest

from cantstop_client.glyphs import ASCII, UNICODE
from cantstop_client.view import News
from cantstop_client.wording import chance_in_words, columns_in_words, event_line
from cantstop_protocol import events
from cantstop_protocol.table import GameOptions, Result


@pytest.fixture
def says(table, seat):
    """The line for an event at a table of Ann (7 at 2, 6 at 1) and keller."""
    here = table(seat("Ann", {7: 2, 6: 1}), seat("keller", bot="keller"))

    def line(event, known=True, glyphs=UNICODE):
        return event_line(News(event, here if known else None), here, glyphs)

    return line


def every_event(columns):
    return [
        events.Created("Ann"),
        events.Joined("Ann", 0),
        events.Joined("Cy", None),
        events.Left("Cy", None),
        events.Left("Ann", 0),
        events.Away("Ann", 0),
        events.Back("Ann", 0),
        events.CreatorChanged("Ben"),
        events.Configured("Ann", GameOptions(seats=3, target=2, dead_markers="kept")),
        events.Configured("Ann", GameOptions(seats=1, target=1)),
        events.Configured("Ann", GameOptions(dice="witnessed")),
        events.BotAdded("keller 2", 2, "keller"),
        events.BotRemoved("keller 2", 2),
        events.AutopilotSet("Ann", 0, "keller"),
        events.AutopilotSet("Ann", 0, None),
        events.Chatted("Ann", 0, "good luck"),
        events.Started("g1", GameOptions(), ("Ann", "keller"), 1),
        events.Rolled(0, (3, 4, 5, 6), ((7, 11), (8, 10), (9, 9))),
        events.Busted(0, (1, 1, 2, 3), columns({7: 4, 6: 2})),
        events.Busted(0, (1, 1, 2, 3), columns()),
        events.Busted(0, (1, 1, 2, 3), columns({7: 4}), ((2, 5), (3, 4))),
        events.Advanced(0, (7, 11), columns({7: 3, 11: 1})),
        events.Advanced(0, (9, 9), columns({9: 2})),
        events.Stopped(0, columns({7: 3}), ()),
        events.Stopped(1, columns({7: 13, 2: 3, 9: 1}), (2, 7)),
        events.Resigned(0),
        events.BotFailed(1),
        events.Finished("g1", 0, 23),
        events.Finished("g1", 0, 1),
        events.Finished("g1", None, 9),
        events.Abandoned("g1", 5),
        events.Started("g2", GameOptions(), ("Ann", "keller"), 1, ((0, 9), (1, 17))),
        events.Configured(
            "Ann",
            GameOptions(
                absence="forfeit", decision_seconds=30, bank_seconds=300, increment_seconds=5
            ),
        ),
        events.SeatsSwapped("Ann", (0, 2)),
        events.Kicked("Ben", 1),
        events.LockSet("Ann", True),
        events.LockSet("Ann", False),
        events.SpectatorChatSet("Ann", "muted"),
        events.RematchAccepted("Ann", 0),
        events.TimeWarning(0, 10),
        events.TimeUp(0),
        events.Contributed("Ann", 0),
        events.WitnessAsked(0, 12),
        events.Witnessed(12, 0, "ab" * 32, "cd" * 32),
        events.Witnessed(12, None, None, None),
        events.Revealed("g1", GameOptions(), 0, "", Result("g1", 0, 23, False), "{}"),
        events.Unrecognised("earthquake"),
    ]


@pytest.mark.parametrize(("name", "glyphs"), [("unicode", UNICODE), ("ascii", ASCII)])
def test_every_event_has_its_words(says, columns, golden, name, glyphs) -> None:
    written = {type(event) for event in every_event(columns)}
    assert written == set(events.AnyEvent.__args__)
    lines = [says(event, glyphs=glyphs) for event in every_event(columns)]
    golden(f"events_{name}", lines)
    if glyphs is ASCII:
        assert "\n".join(lines).isascii()


def test_a_bust_of_old_names_the_columns_without_guessing_the_steps(says, columns) -> None:
    bust = events.Busted(0, (1, 1, 2, 3), columns({7: 4, 6: 2}))
    assert says(bust) == "Ann busts with 1 1 2 3: loses 6 (1 step) and 7 (2 steps)"
    assert says(bust, known=False) == "Ann busts with 1 1 2 3: loses 6 and 7"


def test_a_seat_that_is_empty_or_does_not_exist_is_named_by_its_letter(table) -> None:
    here = table(None, None)
    assert event_line(News(events.Resigned(1), here), here) == "Seat B is out of the game"
    assert event_line(News(events.Resigned(7), here), here) == "Seat ? is out of the game"


def test_a_name_of_which_nothing_can_be_shown_has_a_stand_in(says) -> None:
    assert says(events.Chatted("", None, "boo")) == "(no name): boo"


def test_a_double_is_a_column_twice_and_one_step_is_one() -> None:
    assert columns_in_words((9, 9), UNICODE) == "9 \u00d72"
    assert columns_in_words((9, 9), ASCII) == "9 x2"
    assert columns_in_words((9,), UNICODE) == "9"
    assert columns_in_words((7, 11), UNICODE) == "7 + 11"


@pytest.mark.parametrize(
    ("rolls", "words"),
    [
        (0, "0 %"),
        (1, "0.1 % (1/1296)"),
        (176, "13.6 % (11/81)"),
        (104, "8.0 % (13/162)"),
        (728, "56.2 % (91/162)"),
        (1295, "99.9 % (1295/1296)"),
        (1296, "100 %"),
    ],
)
def test_a_chance_is_rounded_and_exact(rolls: int, words: str) -> None:
    assert chance_in_words(rolls) == words
