"""Clocks and absence, as functions of the state and of seconds."""

import pytest
from roomscript import ANN, BEN, CAT, Room, started

from cantstop_protocol import commands, events
from cantstop_server.rooms import bots
from cantstop_server.rooms.agenda import Delays, Task, agenda
from cantstop_server.rooms.clock import DecisionClock
from cantstop_server.rooms.relief import AUTOPILOT, relieve, seconds_allowed, spend, time_up, warn
from cantstop_server.rooms.state import dump, load
from cantstop_server.rooms.table import table_of

DELAYS = Delays(bot=0.5, absence=30.0, seat=120.0, room=600.0, game=86_400.0)
NOBODY: frozenset[int] = frozenset()
HIGH_LOW = ((6, 6, 6, 6), (1, 1, 1, 1), (3, 4, 3, 4))
"""The draw, which the first seat wins, and then the same roll for ever."""


def timed(**options: int) -> Room:
    return started(*HIGH_LOW, **options)


def due(room: Room, elapsed: float = 0.0, held: frozenset[int] = NOBODY) -> dict[Task, float]:
    arranged = agenda(room.state, DELAYS, held, elapsed, present=bool(room.state.present()))
    return {task: when.delay for task, when in arranged.items()}


def test_without_a_clock_nothing_is_timed() -> None:
    room = started(*HIGH_LOW)
    assert seconds_allowed(room.state) is None
    assert due(room) == {}
    turn = table_of(room.state, None).turn
    assert turn is not None
    assert turn.seconds_left is None


def test_a_decision_has_its_own_time_and_then_the_bank() -> None:
    room = timed(decision_seconds=30, bank_seconds=60)
    assert seconds_allowed(room.state) == 90
    assert due(room) == {Task.TIME_UP: 90, Task.TIME_WARNING: 80}
    assert due(room, elapsed=85) == {Task.TIME_UP: 5}


def test_a_short_time_has_no_warning() -> None:
    assert due(timed(decision_seconds=20)) == {Task.TIME_UP: 20}
    assert Task.TIME_WARNING in due(timed(decision_seconds=21))


def test_time_beyond_the_decisions_own_is_taken_from_the_bank_and_a_turn_gives_some_back() -> None:
    room = timed(decision_seconds=10, bank_seconds=60, increment_seconds=5)
    for seconds, kind, fields, bank in (
        (8.0, commands.Roll, {}, 60.0),
        (25.0, commands.Choose, {"option": 1}, 45.0),
        (11.5, commands.Stop, {}, 43.5 + 5),
    ):
        before = room.state
        room.move(ANN, kind, **fields)
        room.state = spend(before, room.state, seconds, 0)
        assert room.state.seats[0] is not None
        assert room.state.seats[0].bank == bank
    assert room.state.seats[1] is not None
    assert room.state.seats[1].bank == 60
    before = room.state
    room.do(ANN, commands.Chat, text="your turn")
    assert spend(before, room.state, 500.0, 1) == room.state, "chat costs nobody time"


def test_the_bank_never_goes_below_zero() -> None:
    room = timed(bank_seconds=5)
    before = room.state
    room.move(ANN, commands.Roll)
    after = spend(before, room.state, 99.0, 0)
    assert after.seats[0] is not None
    assert after.seats[0].bank == 0


def test_at_zero_the_safe_thing_is_done() -> None:
    room = timed(decision_seconds=10)
    rolled = time_up(room.state, room.world)
    assert [type(e) for e in rolled.events] == [events.TimeUp, events.Rolled]
    room.take(rolled)
    chosen = time_up(room.state, room.world)
    kinds = [type(e) for e in chosen.events]
    assert kinds == [events.TimeUp, events.Advanced, events.AutopilotSet], "twice in a row"
    assert chosen.state.seats[0] is not None
    assert chosen.state.seats[0].autopilot == AUTOPILOT
    assert seconds_allowed(chosen.state) is None, "a computer player needs no clock"


def test_where_a_stop_is_allowed_it_is_the_safe_thing() -> None:
    room = timed(decision_seconds=10)
    room.move(ANN, commands.Roll)
    room.move(ANN, commands.Choose, option=1)
    outcome = time_up(room.state, room.world)
    assert [type(e) for e in outcome.events] == [events.TimeUp, events.Stopped]


def test_a_move_in_time_makes_the_next_overrun_the_first_again() -> None:
    room = timed(decision_seconds=10)
    room.take(time_up(room.state, room.world))
    before = room.state
    room.move(ANN, commands.Choose, option=1)
    room.state = spend(before, room.state, 1.0, 0)
    outcome = time_up(room.state, room.world)
    assert not any(isinstance(e, events.AutopilotSet) for e in outcome.events)


def test_a_warning_says_how_long_is_left() -> None:
    room = timed(decision_seconds=60)
    assert warn(room.state).events == (events.TimeWarning(0, 10),)


def test_an_absent_player_is_relieved_and_takes_over_on_return() -> None:
    room = started(*HIGH_LOW)
    room.vanish(ANN)
    assert due(room) == {Task.RELIEF: 30}
    room.take(relieve(room.state, room.world))
    assert room.events[-1] == events.AutopilotSet("Ann", 0, AUTOPILOT)
    assert due(room) == {Task.BOT_MOVE: 0.5}
    room.enter(ANN)
    assert room.events[-2:] == [events.Back("Ann", 0), events.AutopilotSet("Ann", 0, None)]
    room.move(ANN, commands.Roll)


def test_an_autopilot_that_was_asked_for_stays_on_return() -> None:
    room = started(*HIGH_LOW)
    room.do(ANN, commands.Autopilot, kind="random")
    room.vanish(ANN)
    room.enter(ANN)
    assert room.state.seats[0] is not None
    assert room.state.seats[0].autopilot == "random"


def test_absence_may_be_waited_for_or_forfeit_the_game() -> None:
    waiting = started(*HIGH_LOW, absence="wait")
    waiting.vanish(ANN)
    assert due(waiting) == {}
    forfeit = started(*HIGH_LOW, absence="forfeit")
    forfeit.vanish(ANN)
    outcome = relieve(forfeit.state, forfeit.world)
    assert [type(e) for e in outcome.events] == [events.Resigned, events.Finished]
    assert outcome.archive is not None
    assert outcome.archive.winner == 1


def test_who_is_away_out_of_turn_is_not_waited_for() -> None:
    room = started(*HIGH_LOW)
    room.vanish(BEN)
    assert due(room) == {}


def test_nothing_is_played_for_anybody_while_nobody_is_there() -> None:
    room = started(*HIGH_LOW, decision_seconds=30)
    room.vanish(ANN)
    room.take(relieve(room.state, room.world))
    room.vanish(BEN)
    assert due(room) == {Task.CLOSE: 86_400}
    room.enter(BEN)
    assert due(room) == {Task.BOT_MOVE: 0.5}


def test_computer_players_alone_play_on_without_delay_and_then_the_room_ends() -> None:
    room = Room(*HIGH_LOW, seats=2)
    room.enter(CAT, watch=True)
    room.do(ANN, commands.PassRoom, name="Cat")
    room.do(ANN, commands.Leave)
    for _ in range(2):
        room.do(CAT, commands.AddBot, kind="keller")
    room.do(CAT, commands.Start)
    assert due(room) == {Task.BOT_MOVE: 0.5}
    room.vanish(CAT)
    assert due(room) == {Task.BOT_MOVE: 0.0}


def test_between_games_the_seats_of_people_who_stay_away_are_free_again() -> None:
    room = Room(seats=3)
    room.enter(BEN)
    room.vanish(ANN)
    assert due(room) == {Task.UNSEAT: 120}
    room.vanish(BEN)
    assert due(room) == {Task.CLOSE: 600}


def test_the_clock_runs_from_when_a_decision_is_shown_and_stands_after_a_restart() -> None:
    room = timed(decision_seconds=60)
    now = 100.0
    clock = DecisionClock(lambda: now)
    assert clock.elapsed(room.state) == 0, "not shown yet"
    clock.follow(room.state)
    now = 125.0
    assert clock.elapsed(room.state) == 25
    assert clock.seconds_left(room.state) == 35
    room.do(BEN, commands.Chat, text="take your time")
    clock.follow(room.state)
    assert clock.elapsed(room.state) == 25, "chat starts nothing anew"
    now = 161.0
    assert clock.is_up(room.state)

    room.state = load(dump(room.state))
    clock = DecisionClock(lambda: now)
    clock.hold_away(room.state)
    clock.follow(room.state)
    now = 1000.0
    assert clock.elapsed(room.state) == 0
    assert Task.TIME_UP not in due(room, held=clock.held)
    room.enter(ANN)
    clock.follow(room.state)
    now = 1010.0
    assert clock.elapsed(room.state) == 10


def test_the_clock_stands_still_while_nobody_is_there() -> None:
    room = timed(decision_seconds=60)
    now = 0.0
    clock = DecisionClock(lambda: now)
    clock.follow(room.state)
    now = 5.0
    for person in (ANN, BEN):
        room.vanish(person)
        clock.follow(room.state)
    now = 500.0
    assert not clock.is_up(room.state)
    room.enter(ANN)
    clock.follow(room.state)
    assert clock.elapsed(room.state) == 5, "dropping out gives no time anew"


def test_the_clock_goes_on_when_somebody_is_back_to_wait() -> None:
    room = timed(decision_seconds=60, absence="wait")
    now = 0.0
    clock = DecisionClock(lambda: now)
    clock.follow(room.state)
    now = 5.0
    for person in (ANN, BEN):
        room.vanish(person)
        clock.follow(room.state)
    now = 100.0
    room.enter(BEN)
    clock.follow(room.state)
    now = 110.0
    assert clock.elapsed(room.state) == 15, "the player to move is still away, and waited for"


def test_after_a_restart_an_empty_bank_is_not_up_until_its_player_is_back() -> None:
    room = timed(bank_seconds=5)
    before = room.state
    room.move(ANN, commands.Roll)
    room.state = load(dump(spend(before, room.state, 99.0, 0)))
    clock = DecisionClock(lambda: 0.0)
    clock.hold_away(room.state)
    room.enter(BEN)
    clock.follow(room.state)
    assert not clock.is_up(room.state)
    room.enter(ANN)
    clock.follow(room.state)
    assert clock.is_up(room.state)


def test_somebody_elses_resignation_does_not_make_the_next_overrun_the_first_again() -> None:
    room = started(*HIGH_LOW, people=3, decision_seconds=10)
    room.take(time_up(room.state, room.world))
    before = room.state
    room.do(CAT, commands.Resign)
    room.state = spend(before, room.state, 1.0, 2)
    outcome = time_up(room.state, room.world)
    assert any(isinstance(e, events.AutopilotSet) for e in outcome.events)


def test_an_autopilot_that_cannot_decide_does_not_stop_the_clocked_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def helpless(kind: str) -> None:
        raise RuntimeError("no idea")

    monkeypatch.setattr(bots, "make_player", helpless)
    room = timed(decision_seconds=10)
    room.move(ANN, commands.Roll)
    outcome = time_up(room.state, room.world)
    kinds = [type(e) for e in outcome.events]
    assert kinds == [events.TimeUp, events.BotFailed, events.Advanced]
