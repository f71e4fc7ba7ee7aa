"""What stands beside the board: decisions, options, people, rooms."""

import pytest

from cantstop_client.glyphs import ASCII, UNICODE
from cantstop_client.intents import Move
from cantstop_client.render import (
    decision_lines,
    odds_lines,
    option_lines,
    result_lines,
    room_lines,
    rooms_lines,
    unfit_lines,
    waiting_lines,
    who_lines,
)
from cantstop_client.view import RoomView, View
from cantstop_protocol.commands import Choose, Roll, Stop
from cantstop_protocol.table import GameOptions, Option, Result, RoomSummary
from cantstop_protocol.text import cells


@pytest.fixture
def room(table):
    def make(*seats, seat=0, **fields):
        return RoomView(table=table(*seats, **fields), seat=seat, seq=1)

    return make


@pytest.fixture
def choice(turn, columns):
    """A turn with a choice of three, one a double."""
    options = (
        Option((7, 11), columns({7: 1, 11: 1}), 159, 14),
        Option((9, 9), columns({9: 2}), 0, 9),
        Option((8,), columns({8: 1}), 1296, 4),
    )
    return turn(0, "choose", dice=(3, 4, 5, 6), options=options, number=4)


@pytest.mark.parametrize(("style", "glyphs"), [("unicode", UNICODE), ("ascii", ASCII)])
def test_the_options_say_what_each_leads_to(choice, golden, style, glyphs) -> None:
    golden(f"options_{style}", option_lines(choice, glyphs))


def test_no_line_of_a_decision_is_wider_than_sixty_cells(room, choice, turn) -> None:
    for pending in (choice, turn(0, "roll", number=100), turn(0, "roll_or_stop")):
        for line in decision_lines(room(turn=pending), UNICODE):
            assert cells(line) <= 60


def test_ones_own_decisions_say_what_to_type(room, turn, choice) -> None:
    assert decision_lines(room(turn=turn(0, number=3)), UNICODE) == [
        "Your turn 3: r to roll; bust 0 %, count 0"
    ]
    pending = turn(0, "roll_or_stop", {7: 1}, busting_rolls=176, rule_of_28=14)
    assert decision_lines(room(turn=pending), UNICODE) == [
        "You: r to roll again, s to stop; bust 13.6 % (11/81), count 14"
    ]
    assert decision_lines(room(turn=choice), UNICODE)[-1] == (
        "You: 1 to 3 to choose how to use 3 4 5 6"
    )


def test_others_decisions_show_the_odds_and_ask_nothing(room, turn, choice) -> None:
    pending = turn(1, "roll_or_stop", {7: 1}, busting_rolls=176, rule_of_28=14)
    assert decision_lines(room(turn=pending), UNICODE) == [
        "keller rolls or stops: bust 13.6 % (11/81), count 14"
    ]
    assert decision_lines(room(turn=turn(1)), UNICODE) == []
    assert decision_lines(room(turn=choice, seat=None), UNICODE) == []
    assert decision_lines(room(), UNICODE) == []


def test_odds_in_each_state(room, turn, choice) -> None:
    assert odds_lines(room(), UNICODE) == ["No game is running"]
    assert odds_lines(room(turn=choice), UNICODE)[0] == "Ann, turn 4: 3 4 5 6 can be used as"
    assert "Rule of 28" in odds_lines(room(turn=turn(1)), UNICODE)[1]


def test_who_is_here(room, seat) -> None:
    here = room(
        seat("Ann"),
        seat("Ben", away=True),
        None,
        seat("keller", bot="keller", resigned=True),
        spectators=("Cy", "Dee"),
    )
    assert who_lines(here) == [
        "A Ann (you, has charge of the room)",
        "B Ben (away)",
        "C free seat",
        "D keller (computer player keller, out of the game)",
        "Watching: Cy, Dee",
    ]
    gone = seat("Ben", left=True, resigned=True, away=True)
    assert who_lines(room(seat("Ann"), gone))[1] == "B Ben (left)"


def test_the_room_and_the_list_of_rooms() -> None:
    busy = RoomSummary(
        room="LEZAT",
        title="Friday",
        phase="waiting",
        options=GameOptions(seats=3),
        private=True,
        names=("Ann", "keller"),
        free_seats=1,
        spectators=0,
    )
    assert rooms_lines([busy]) == [
        "LEZAT Friday: Ann, keller; waiting, 1 free seat; 3 seats, 3 columns win, rated, password"
    ]
    assert rooms_lines([]) == ["No room is open: /create makes one"]


def test_a_room_is_introduced(room) -> None:
    assert room_lines(room(title="Friday", private=True)) == [
        "Room LEZAT (Friday): 2 seats, 3 columns win, rated, with a password"
    ]


def test_before_a_game_the_one_in_charge_is_told_what_to_do(room, seat) -> None:
    def waiting(*seats, name="Ann", phase="waiting", bots=("keller",)):
        view = View(name=name, bots=bots, room=room(*seats, phase=phase))
        return waiting_lines(view)

    assert waiting(seat("Ann"), None) == [
        "1 free seat: /bot KIND (keller) seats a computer player, `cantstop join LEZAT` a friend"
    ]
    levels = ("keller", "expert", "expert-1", "expert-2", "expert-3", "random")
    assert waiting(seat("Ann"), None, bots=levels)[0].startswith(
        "1 free seat: /bot KIND (keller, expert, expert-1 to expert-3, random) seats"
    )
    assert waiting(seat("Ann"), seat("Ben")) == ["/start begins the game, /quit leaves"]
    assert waiting(seat("Ann"), seat("Ben"), phase="over") == [
        "/start begins another game, /quit leaves"
    ]
    assert waiting(seat("Ann"), seat("Ben", left=True, resigned=True), phase="over")[0].startswith(
        "1 free seat: "
    )
    assert waiting(seat("Ann"), seat("Ben"), name="Ben") == ["Waiting for Ann to start the game"]
    assert waiting(seat("Ann"), phase="playing") == []
    assert waiting_lines(View()) == []


def test_the_result_counts_columns(room, table, seat) -> None:
    over = table(
        seat("Ann"),
        seat("Ben"),
        owners={7: 0, 8: 0, 9: 1},
        phase="over",
        result=Result(game="g1", winner=0, turns=9, abandoned=False),
    )
    assert result_lines(over) == ["Columns claimed: Ann 2, Ben 1"]
    assert result_lines(table()) == []


@pytest.mark.parametrize(
    ("kind", "decision", "hint"),
    [
        (Roll, "roll", None),
        (Roll, "roll_or_stop", None),
        (Roll, "choose", "First choose"),
        (Stop, "roll_or_stop", None),
        (Stop, "roll", "after the first roll"),
        (Stop, "choose", "First choose"),
        (Choose, "choose", None),
        (Choose, "roll", "nothing to choose"),
        (Choose, "roll_or_stop", "nothing to choose"),
    ],
)
def test_a_move_that_does_not_fit_the_decision_is_explained(
    room, turn, choice, kind, decision, hint
) -> None:
    pending = choice if decision == "choose" else turn(0, decision)
    lines = unfit_lines(View(room=room(turn=pending)), Move(kind, 3 if kind is Choose else None))
    assert (hint is None and not lines) or (hint is not None and hint in lines[0])


def test_a_move_out_of_place_is_explained(room, turn, choice, seat) -> None:
    def why(here, move=None):
        return unfit_lines(View(name="Ann", room=here), move or Move(Roll))[0]

    assert "in no room" in why(None)
    assert "No game is running" in why(room(phase="over"))
    assert why(room(turn=turn(0), seat=None)) == "You only watch here"
    assert why(room(turn=turn(1))) == "It is not your turn: keller plays"
    assert "/auto off" in why(room(seat("Ann", autopilot="keller"), turn=turn(0)))
    assert "choose from 1 to 3" in why(room(turn=choice), Move(Choose, 4))
