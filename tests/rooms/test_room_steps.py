"""The room as a pure state machine: who may do what, and what it leads to."""

from dataclasses import replace
from datetime import timedelta

import pytest
from roomscript import ANN, BEN, CAT, DAN, SAMPLES, Room, refusal, started

from cantstop_protocol import commands, events
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.table import GameOptions
from cantstop_server.rooms import play
from cantstop_server.rooms.dispatch import ROWS
from cantstop_server.rooms.memory import is_repetition
from cantstop_server.rooms.outcome import Outcome
from cantstop_server.rooms.state import Person, RoomState, dump, load
from cantstop_server.rooms.table import summary_of, table_of


def test_the_creator_sits_down_first_and_others_take_free_seats_in_order() -> None:
    room = Room(seats=3)
    room.enter(BEN)
    table = table_of(room.state)
    assert [seat and seat.name for seat in table.seats] == ["Ann", "Ben", None]
    assert table.creator == "Ann"
    assert room.events == [
        events.Created("Ann"),
        events.Joined("Ann", 0),
        events.Joined("Ben", 1),
    ]


def test_a_full_room_and_a_running_game_refuse_players_and_say_what_to_do() -> None:
    room = Room(seats=2)
    room.enter(BEN)
    full = refusal(room.enter, CAT)
    assert full.code is ErrorCode.ROOM_FULL
    assert "watch" in full.message
    room.do(ANN, commands.Start)
    begun = refusal(room.enter, CAT)
    assert begun.code is ErrorCode.ROOM_FULL
    assert "begun" in begun.message
    room.enter(CAT, watch=True)
    assert table_of(room.state).spectators == ("Cat",)


def test_spectators_are_bounded_and_may_sit_down_later() -> None:
    room = Room(seats=2)
    room.enter(BEN, watch=True)
    room.enter(CAT, watch=True)
    assert refusal(room.enter, DAN, watch=True).code is ErrorCode.ROOM_FULL
    room.enter(BEN)
    assert table_of(room.state).spectators == ("Cat",)
    assert room.state.seat_of(BEN.player) == 1


@pytest.mark.parametrize("kind", [k for k, row in ROWS.items() if row.who == "creator"])
def test_only_the_creator_runs_the_room(kind: type[commands.Command]) -> None:
    room = Room(seats=2)
    room.enter(BEN)
    refused = refusal(room.send, BEN, SAMPLES[kind])
    assert refused.code is ErrorCode.NOT_CREATOR
    assert "Ann" in refused.message


@pytest.mark.parametrize("kind", [k for k, row in ROWS.items() if row.when == "between games"])
def test_what_belongs_between_games_is_refused_during_one(kind: type[commands.Command]) -> None:
    room = started()
    before = room.state
    assert refusal(room.send, ANN, SAMPLES[kind]).code is ErrorCode.NOT_ALLOWED
    assert room.state == before


@pytest.mark.parametrize("kind", list(ROWS))
def test_every_command_of_a_stranger_is_refused(kind: type[commands.Command]) -> None:
    room = started()
    before = room.state
    assert refusal(room.send, CAT, SAMPLES[kind]).code is ErrorCode.NOT_IN_ROOM
    assert room.state == before


@pytest.mark.parametrize("kind", [k for k, row in ROWS.items() if row.who == "seated"])
def test_a_spectator_touches_nothing(kind: type[commands.Command]) -> None:
    room = started()
    room.enter(CAT, watch=True)
    assert refusal(room.send, CAT, SAMPLES[kind]).code is ErrorCode.NOT_SEATED


def test_a_target_nobody_might_reach_is_refused_when_the_room_is_made() -> None:
    refused = refusal(Room, seats=4, target=4)
    assert refused.code is ErrorCode.BAD_OPTIONS
    assert "at most 3" in refused.message


def test_fewer_seats_than_people_are_refused_and_nothing_changes() -> None:
    room = Room(seats=3)
    room.enter(BEN)
    assert (
        refusal(room.do, ANN, commands.Configure, options=GameOptions(seats=1)).code
        is ErrorCode.BAD_OPTIONS
    )
    room.do(ANN, commands.Configure, options=GameOptions(seats=2, target=2))
    assert room.state.options == GameOptions(seats=2, target=2)
    assert [seat.name for seat in room.state.seats if seat] == ["Ann", "Ben"]


def test_computer_players_get_names_of_their_own() -> None:
    room = Room(seats=4)
    for kind in ("keller", "keller", "random"):
        room.do(ANN, commands.AddBot, kind=kind)
    assert [seat.name for seat in room.state.seats if seat] == [
        "Ann",
        "keller",
        "keller 2",
        "random",
    ]
    assert refusal(room.do, ANN, commands.AddBot, kind="keller").code is ErrorCode.ROOM_FULL
    room.do(ANN, commands.RemoveBot, seat=1)
    assert refusal(room.do, ANN, commands.RemoveBot, seat=1).code is ErrorCode.NOT_ALLOWED
    assert refusal(room.do, ANN, commands.RemoveBot, seat=0).code is ErrorCode.NOT_ALLOWED
    unknown = refusal(room.do, ANN, commands.AddBot, kind="deepthought")
    assert "keller" in unknown.message


def test_a_game_does_not_start_with_empty_seats() -> None:
    room = Room(seats=3)
    refused = refusal(room.do, ANN, commands.Start)
    assert refused.code is ErrorCode.NOT_ALLOWED
    assert "2 of 3 seats are empty" in refused.message


def test_moves_are_refused_before_the_start_and_out_of_turn() -> None:
    room = Room(seats=2)
    room.enter(BEN)
    assert "not begun" in refusal(room.do, ANN, commands.Roll, ply=0).message
    room.do(ANN, commands.Start)
    assert refusal(room.move, BEN, commands.Roll).code is ErrorCode.NOT_YOUR_TURN
    stopped = refusal(room.move, ANN, commands.Stop)
    assert stopped.code is ErrorCode.NOT_ALLOWED
    assert "roll first" in stopped.message
    room.move(ANN, commands.Roll)
    assert refusal(room.move, ANN, commands.Stop).code is ErrorCode.NOT_ALLOWED
    assert refusal(room.move, ANN, commands.Roll).code is ErrorCode.NOT_ALLOWED
    assert refusal(room.move, ANN, commands.Choose, option=6).code is ErrorCode.NOT_ALLOWED


def test_a_second_stop_never_lands_in_the_next_turn_also_in_solitaire() -> None:
    room = started(people=1)
    for kind, fields in ((commands.Roll, {}), (commands.Choose, {"option": 1})):
        room.move(ANN, kind, **fields)
    assert room.state.position is not None
    ply = room.state.position.ply
    room.do(ANN, commands.Stop, ply=ply)
    assert refusal(room.do, ANN, commands.Stop, ply=ply).code is ErrorCode.STALE
    room.move(ANN, commands.Roll)
    assert refusal(room.do, ANN, commands.Roll, ply=ply + 1).code is ErrorCode.STALE


def test_a_second_roll_after_a_bust_in_solitaire_is_stale() -> None:
    room = started((1, 1, 3, 6), (1, 1, 1, 1), people=1, target=1)
    # Column 2 and 9 hold runners, then column 2 is topped, so that four ones have no option.
    for _ in range(2):
        room.move(ANN, commands.Roll)
        options = room.state.position.options
        if (2, 9) not in options:
            break
        room.move(ANN, commands.Choose, option=options.index((2, 9)) + 1)
    ply = room.state.position.ply - 1
    assert refusal(room.do, ANN, commands.Roll, ply=ply).code is ErrorCode.STALE


def test_a_repeated_command_is_known_for_one() -> None:
    room = started()
    room.do(ANN, commands.Chat, text="hello")
    assert is_repetition(room.state, ANN, "instance", room.id)
    assert not is_repetition(room.state, ANN, "another run", room.id)
    assert not is_repetition(room.state, BEN, "instance", room.id)
    again = load(dump(room.state))
    assert is_repetition(again, ANN, "instance", room.id)


def test_what_a_room_remembers_of_commands_is_bounded_for_each_person() -> None:
    room = started()
    room.do(BEN, commands.Chat, text="first")
    early = room.id
    for _ in range(40):
        room.do(ANN, commands.Chat, text="again")
    assert is_repetition(room.state, BEN, "instance", early)
    assert [len(known.ids) for known in room.state.accepted] == [1, 16]


def test_what_a_room_remembers_of_visitors_is_bounded() -> None:
    room = started()
    for number in range(100, 200):
        visitor = Person(number, f"Visitor {number}")
        room.enter(visitor, watch=True)
        room.do(visitor, commands.Chat, text="hello")
        room.do(visitor, commands.Leave)
    assert len(room.state.accepted) <= 34
    room.do(ANN, commands.Chat, text="hello")
    assert is_repetition(room.state, ANN, "instance", room.id)


def test_a_dropped_player_is_away_and_keeps_seat_and_dice() -> None:
    room = started()
    room.move(ANN, commands.Roll)
    pending = room.state.position
    room.vanish(ANN)
    assert table_of(room.state).seats[0].away
    assert room.state.present() == (BEN.player,)
    room.vanish(ANN)
    room.enter(ANN)
    assert room.state.position == pending
    assert room.events[-2:] == [events.Away("Ann", 0), events.Back("Ann", 0)]


def test_leaving_in_mid_game_resigns_and_passes_the_room_on() -> None:
    room = started(people=3)
    room.move(ANN, commands.Roll)
    room.do(ANN, commands.Leave)
    assert room.events[-3:] == [
        events.Resigned(0),
        events.Left("Ann", 0),
        events.CreatorChanged("Ben"),
    ]
    turn = table_of(room.state).turn
    assert turn is not None
    assert (turn.seat, turn.decision, turn.dice) == (1, "roll", None)
    assert table_of(room.state).seats[0].resigned


def test_leaving_out_of_turn_leaves_dice_and_runners_alone() -> None:
    room = started(people=3)
    room.move(ANN, commands.Roll)
    room.move(ANN, commands.Choose, option=1)
    room.move(ANN, commands.Roll)
    before = table_of(room.state).turn
    room.do(CAT, commands.Leave)
    after = table_of(room.state).turn
    assert before is not None
    assert after is not None
    assert (after.seat, after.dice, after.runners, after.options) == (
        before.seat,
        before.dice,
        before.runners,
        before.options,
    )


def test_the_last_one_left_wins_and_the_game_counts() -> None:
    room = started()
    outcome = room.do(BEN, commands.Leave)
    assert outcome.archive is not None
    assert (outcome.archive.status, outcome.archive.winner) == ("finished", 0)
    assert [seat.resigned for seat in outcome.archive.seats] == [False, True]
    assert table_of(room.state).phase == "over"


def test_an_archived_game_knows_when_its_turns_ended_and_never_goes_back_in_time() -> None:
    room = started((6, 6, 6, 6))
    seconds = iter((7.04, 5.0, 20.0))
    assert room.state.game is not None
    start = room.state.game.started_at

    def end_turn(person: Person) -> Outcome:
        at = start + timedelta(seconds=next(seconds))
        room.world = replace(room.world, now=lambda: at)
        room.move(person, commands.Roll)
        room.move(person, commands.Choose, option=1)
        return room.move(person, commands.Stop)

    end_turn(ANN)
    end_turn(BEN)
    end_turn(ANN)
    archived = play.abandon(room.state, room.world.now()).archive
    assert archived is not None
    assert archived.turn_ends == (7.0, 7.0, 20.0)


def test_an_abandoned_game_is_marked_so() -> None:
    room = started()
    outcome = play.abandon(room.state, room.world.now())
    assert outcome.archive is not None
    assert (outcome.archive.status, outcome.archive.winner) == ("abandoned", None)
    assert table_of(outcome.state).result.abandoned
    assert not load(dump(outcome.state)).playing


def win_column_seven(room: Room, person: Person) -> Outcome:
    outcome = room.move(person, commands.Roll)
    while True:
        position = room.state.position
        assert position is not None
        if position.runners[7] == 13:
            return room.move(person, commands.Stop)
        if position.options:
            outcome = room.move(
                person, commands.Choose, option=1 + [7 in o for o in position.options].index(True)
            )
        else:
            outcome = room.move(person, commands.Roll)
        assert outcome.archive is None


def test_a_game_ends_once_with_one_message_and_the_next_begins_in_the_same_room() -> None:
    room = started((3, 4, 3, 4), target=1)
    outcome = win_column_seven(room, ANN)
    assert [type(event) for event in outcome.events] == [events.Stopped, events.Finished]
    assert outcome.archive is not None
    assert outcome.archive.winner == 0
    assert outcome.archive.seats[0].columns == 1
    assert refusal(room.move, BEN, commands.Roll).message == "the game is over"
    assert table_of(room.state).seats[0].markers[5] == 13
    room.do(ANN, commands.Start)
    turn = table_of(room.state).turn
    assert turn is not None
    assert turn.seat == 1, "the first seat goes round"


def test_the_autopilot_plays_for_a_person_until_the_seat_is_taken_back() -> None:
    room = started()
    room.do(ANN, commands.Autopilot, kind="keller")
    assert "plays for you" in refusal(room.move, ANN, commands.Roll).message
    room.do(ANN, commands.Autopilot, kind=None)
    room.move(ANN, commands.Roll)
    assert refusal(room.do, ANN, commands.Autopilot, kind="hal").code is ErrorCode.NOT_ALLOWED


def test_a_restart_keeps_everything_but_connections() -> None:
    room = started(people=3)
    room.enter(DAN, watch=True)
    room.move(ANN, commands.Roll)
    again = load(dump(room.state))
    assert again.position == room.state.position
    assert all(seat.away for seat in again.seats if seat)
    assert again.spectators == ()
    assert again.seq == room.state.seq


def test_the_table_shows_what_each_option_leads_to() -> None:
    room = started((1, 2, 3, 4))
    room.move(ANN, commands.Roll)
    turn = table_of(room.state).turn
    assert turn is not None
    assert [option.columns for option in turn.options] == [(3, 7), (4, 6), (5, 5)]
    fives = turn.options[2]
    assert fives.runners[5 - 2] == 2
    assert fives.rule_of_28 == 9
    assert fives.busting_rolls == 0


def test_text_that_is_nothing_or_too_much_is_refused() -> None:
    room = started()
    assert refusal(room.do, ANN, commands.Chat, text=" \u200b ").code is ErrorCode.BAD_TEXT
    assert refusal(room.do, ANN, commands.Chat, text="x" * 401).code is ErrorCode.BAD_TEXT
    room.do(ANN, commands.Chat, text="two\nlines \x1b[31mred")
    assert room.events[-1] == events.Chatted("Ann", 0, "two lines [31mred")


def test_seats_of_those_who_left_are_free_for_the_next_game() -> None:
    room = started()
    room.do(BEN, commands.Leave)
    assert summary_of(room.state).free_seats == 1
    room.enter(CAT)
    assert [seat.name for seat in room.state.seats if seat] == ["Ann", "Cat"]
    assert table_of(room.state).phase == "waiting"


def test_the_room_ends_up_without_a_creator_only_when_nobody_is_left() -> None:
    room = Room(seats=2)
    room.do(ANN, commands.Leave)
    state: RoomState = room.state
    assert state.people() == ()
    assert state.creator is None
