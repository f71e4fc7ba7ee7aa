"""Hints as the client asks for them and shows them."""

import pytest
from msgspec.structs import replace
from scenes import seat, table

from cantstop_client.commands import read_line
from cantstop_client.intents import AskHint, Hint, Send
from cantstop_client.render import hint_lines
from cantstop_client.view import RoomView, View
from cantstop_client.wording import options_in_words
from cantstop_protocol.messages import Alternative
from cantstop_protocol.table import GameOptions, Option, Turn

NOTHING = (0,) * 11
TURN = Turn(
    seat=0,
    number=1,
    ply=1,
    decision="choose",
    runners=NOTHING,
    dice=(1, 2, 3, 4),
    options=(Option((3, 7), NOTHING, 0, 5), Option((5, 5), NOTHING, 0, 6)),
    busting_rolls=0,
    rule_of_28=0,
)


def test_a_hint_is_asked_for_with_a_command() -> None:
    assert read_line("/hint", View()) == AskHint()
    assert isinstance(read_line("/hint please", View()), Hint)


def test_alternatives_are_shown_the_best_first_with_what_they_are_worth() -> None:
    found = (Alternative("choose", 2, 0.5321), Alternative("choose", 1, 0.5))
    shown = hint_lines(found, TURN, solitaire=False)
    assert [line.split() for line in shown[1:]] == [
        ["2:", "5", "and", "5", "53.2", "%", "to", "win"],
        ["1:", "3", "and", "7", "50.0", "%", "to", "win"],
    ]


def test_in_solitaire_turns_are_shown() -> None:
    shown = hint_lines((Alternative("stop", None, 7.254),), TURN, solitaire=True)
    assert "stop" in shown[-1]
    assert "7.25 turns" in shown[-1]


def test_an_option_that_is_not_there_breaks_nothing() -> None:
    assert "choose" in hint_lines((Alternative("choose", 9, 0.1),), TURN, solitaire=False)[-1]


@pytest.mark.parametrize(("typed", "hints"), [("on", True), ("OFF", False)])
def test_a_room_is_made_with_hints_or_without(typed: str, hints: bool) -> None:
    made = read_line(f"/create hints={typed}", View())
    assert isinstance(made, Send)
    assert made.fields["options"] == GameOptions(hints=hints, rated=not hints)


def options_of(line: str, now: GameOptions | None = None) -> GameOptions:
    view = View()
    if now is not None:
        held = replace(table(seat("Ann"), seat("Ben")), options=now)
        view = View(room=RoomView(held, 0, 1))
    made = read_line(line, view)
    assert isinstance(made, Send), made
    options = made.fields["options"]
    assert isinstance(options, GameOptions)
    return options


def test_hints_make_a_room_casual_and_a_rated_room_has_none() -> None:
    assert options_of("/create") == GameOptions(hints=False, rated=True)
    assert not options_of("/create rated=off").rated
    with_hints = options_of("/options hints=on", GameOptions())
    assert with_hints == GameOptions(hints=True, rated=False)
    assert options_of("/options rated=on", with_hints) == GameOptions(hints=False, rated=True)
    assert not options_of("/options hints=off", with_hints).rated
    both = read_line("/create hints=on rated=on", View())
    assert isinstance(both, Hint)
    assert "A rated game has no hints" in both.text


def test_a_room_says_whether_it_counts() -> None:
    assert options_in_words(GameOptions()).endswith(", rated")
    assert options_in_words(GameOptions(rated=False)).endswith(", casual")
    assert options_in_words(GameOptions(hints=True, rated=False)).endswith(", casual, hints")
    assert "rated" not in options_in_words(GameOptions(seats=1))


def test_hints_are_on_or_off_and_nothing_else() -> None:
    refused = read_line("/create hints=maybe", View())
    assert isinstance(refused, Hint)
    assert "on or off" in refused.text


def test_a_room_with_hints_says_so() -> None:
    assert "hints" in options_in_words(GameOptions(hints=True))
    assert "hints" not in options_in_words(GameOptions())
