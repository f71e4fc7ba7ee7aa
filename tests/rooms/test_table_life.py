"""Rematch, resignation, the creator's powers, spectators' chat, and who begins."""

import pytest
from roomscript import ANN, BEN, CAT, DAN, Room, refusal, started
from wire import scripted_world

from cantstop_protocol import commands, events
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.messages import Aside
from cantstop_server.rooms import play
from cantstop_server.rooms.state import dump, load
from cantstop_server.rooms.table import table_of


def test_the_highest_sum_of_four_dice_begins_and_equals_roll_again() -> None:
    world = scripted_world([(6, 6, 6, 6), (1, 1, 1, 1), (6, 6, 6, 6), (1, 1, 1, 2), (5, 5, 5, 5)])
    assert play.draw_first(3, world.roll_dice) == (2, ((0, 24), (1, 4), (2, 24), (0, 5), (2, 20)))


def test_dice_that_never_differ_let_the_lowest_seat_begin() -> None:
    first, draw = play.draw_first(2, lambda: (1, 2, 3, 4))
    assert first == 0
    assert len(draw) == 20


def test_alone_nobody_draws() -> None:
    assert play.draw_first(1, lambda: (1, 2, 3, 4)) == (0, ())


def test_the_draw_is_shown_and_the_next_first_seat_goes_round() -> None:
    room = started((6, 6, 6, 6), (1, 1, 1, 1), (3, 3, 4, 4))
    begun = next(e for e in room.events if isinstance(e, events.Started))
    assert begun.draw == ((0, 24), (1, 4))
    assert begun.first == 0
    room.do(BEN, commands.Resign)
    room.do(ANN, commands.Rematch)
    room.do(BEN, commands.Rematch)
    again = room.events[-1]
    assert isinstance(again, events.Started)
    assert (again.first, again.draw) == (1, ())


def test_a_rematch_starts_when_all_who_are_present_agree() -> None:
    room = started(people=3)
    assert refusal(room.do, ANN, commands.Rematch).code is ErrorCode.NOT_ALLOWED
    for person in (ANN, BEN):
        room.do(person, commands.Resign)
    assert table_of(room.state).phase == "over"
    room.vanish(CAT)
    room.do(ANN, commands.Rematch)
    assert [seat.rematch for seat in table_of(room.state).seats if seat] == [True, False, False]
    room.do(ANN, commands.Rematch)
    assert table_of(room.state).phase == "over"
    room.do(BEN, commands.Rematch)
    assert table_of(room.state).phase == "playing"
    assert not any(seat.rematch for seat in table_of(room.state).seats if seat)


def test_agreeing_again_starts_the_rematch_after_who_had_not_agreed_is_away() -> None:
    room = started(people=2)
    room.do(BEN, commands.Resign)
    room.do(BEN, commands.Rematch)
    room.vanish(ANN)
    before = len(room.events)
    room.do(BEN, commands.Rematch)
    assert [type(e) for e in room.events[before:]] == [events.Started]


def test_a_watching_creator_gets_into_the_own_locked_room_after_a_restart() -> None:
    room = Room(seats=2)
    room.enter(CAT, watch=True)
    room.do(ANN, commands.PassRoom, name="Cat")
    room.do(CAT, commands.Lock, locked=True)
    room.state = load(dump(room.state))
    room.enter(CAT, watch=True)
    assert table_of(room.state).creator == "Cat"


def test_a_rematch_waits_for_a_seat_to_be_filled() -> None:
    room = started()
    room.do(BEN, commands.Leave)
    assert "seats are empty" in refusal(room.do, ANN, commands.Rematch).message
    room.enter(CAT)
    assert table_of(room.state).phase == "waiting"


def test_who_resigns_stays_in_the_room_and_may_leave_later() -> None:
    room = started(people=3)
    room.do(CAT, commands.Resign)
    assert refusal(room.do, CAT, commands.Resign).code is ErrorCode.NOT_ALLOWED
    room.do(CAT, commands.Chat, text="well played")
    room.do(CAT, commands.Leave)
    assert table_of(room.state).phase == "playing"
    assert room.events[-1] == events.Left("Cat", 2)


def test_the_creator_puts_somebody_out_for_good() -> None:
    room = started(people=3)
    outcome = room.do(ANN, commands.Kick, name=" BEN ".strip().lower())
    assert outcome.put_out == BEN.player
    assert list(outcome.events) == [events.Resigned(1), events.Kicked("Ben", 1)]
    assert refusal(room.enter, BEN, watch=True).code is ErrorCode.NOT_ADMITTED
    again = load(dump(room.state))
    assert again.banned == (BEN.player,)
    assert refusal(room.do, ANN, commands.Kick, name="Ann").code is ErrorCode.NOT_ALLOWED
    assert refusal(room.do, ANN, commands.Kick, name="Zoe").code is ErrorCode.NOT_ALLOWED


def test_kicking_the_last_opponent_ends_the_game_and_archives_it_once() -> None:
    room = started()
    outcome = room.do(ANN, commands.Kick, name="Ben")
    assert outcome.archive is not None
    assert outcome.archive.winner == 0
    assert table_of(room.state).phase == "over"


def test_a_locked_room_lets_members_return_and_nobody_else_in() -> None:
    room = Room(seats=3)
    room.enter(BEN)
    room.do(ANN, commands.Lock, locked=True)
    assert table_of(room.state).locked
    for watch in (False, True):
        assert refusal(room.enter, CAT, watch=watch).code is ErrorCode.NOT_ADMITTED
    room.vanish(BEN)
    room.enter(BEN)
    room.do(ANN, commands.Lock, locked=False)
    room.enter(CAT)
    assert [e for e in room.events if isinstance(e, events.LockSet)] == [
        events.LockSet("Ann", True),
        events.LockSet("Ann", False),
    ]


def test_the_room_is_passed_on_to_a_member() -> None:
    room = Room(seats=2)
    room.enter(BEN)
    room.do(ANN, commands.PassRoom, name="Ben")
    assert table_of(room.state).creator == "Ben"
    assert refusal(room.do, ANN, commands.Start).code is ErrorCode.NOT_CREATOR
    assert refusal(room.do, BEN, commands.PassRoom, name="Cat").code is ErrorCode.NOT_ALLOWED


def test_seats_change_places_before_the_start() -> None:
    room = Room(seats=3)
    room.enter(BEN)
    room.do(ANN, commands.SwapSeats, seats=(0, 2))
    assert [seat and seat.name for seat in table_of(room.state).seats] == [None, "Ben", "Ann"]
    assert room.state.seat_of(ANN.player) == 2
    assert refusal(room.do, ANN, commands.SwapSeats, seats=(0, 3)).code is ErrorCode.NOT_ALLOWED


def test_a_computer_player_is_swapped_for_another_kind_or_put_on_a_seat_of_choice() -> None:
    room = Room(seats=3)
    room.do(ANN, commands.AddBot, kind="keller", seat=2)
    outcome = room.do(ANN, commands.AddBot, kind="random", seat=2)
    assert list(outcome.events) == [
        events.BotRemoved("keller", 2),
        events.BotAdded("random", 2, "random"),
    ]
    for seat in (0, 3):
        refused = refusal(room.do, ANN, commands.AddBot, kind="keller", seat=seat)
        assert refused.code is ErrorCode.NOT_ALLOWED
    assert [seat and seat.name for seat in table_of(room.state).seats] == ["Ann", None, "random"]


@pytest.mark.parametrize("mode", ["apart", "merged", "muted"])
def test_spectators_chat_goes_where_the_creator_says(mode: str) -> None:
    room = started()
    room.enter(CAT, watch=True)
    if mode != "apart":
        room.do(ANN, commands.SetSpectatorChat, mode=mode)
    before = len(room.events)
    if mode == "muted":
        assert refusal(room.do, CAT, commands.Chat, text="stop!").code is ErrorCode.NOT_ALLOWED
        return
    outcome = room.do(CAT, commands.Chat, text="stop!")
    if mode == "apart":
        assert outcome.aside == Aside(name="Cat", text="stop!")
        assert room.events[before:] == []
    else:
        assert room.events[before:] == [events.Chatted("Cat", None, "stop!")]
    room.do(ANN, commands.Chat, text="hush")
    assert room.events[-1] == events.Chatted("Ann", 0, "hush")


def test_a_creator_who_leaves_passes_everything_on() -> None:
    room = started(people=4, target=3)
    for person, heir in ((ANN, BEN), (BEN, CAT), (CAT, DAN)):
        room.do(person, commands.Leave)
        assert table_of(room.state).creator == heir.name
    assert table_of(room.state).phase == "over"
    room.do(DAN, commands.Lock, locked=True)
