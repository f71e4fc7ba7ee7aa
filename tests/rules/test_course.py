"""The course of a game: notation, replay, and refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import SETUPS, random_game

from cantstop_server.rules.course import (
    Action,
    Choose,
    Resign,
    Roll,
    Stop,
    final_state,
    notation,
    parse_course,
    replay,
    turns,
)
from cantstop_server.rules.errors import BadCourse
from cantstop_server.rules.game import (
    Advanced,
    Busted,
    Phase,
    Resigned,
    Rolled,
    Stopped,
    new_game,
)
from cantstop_server.rules.setup import Setup, make_setup

die = st.integers(1, 6)
actions = st.one_of(
    st.builds(Roll, st.tuples(die, die, die, die)),
    st.builds(Choose, st.integers(0, 5)),
    st.builds(Stop),
    st.builds(Resign, st.integers(0, 3)),
)


@given(st.lists(actions))
def test_any_actions_come_back_from_their_notation(course: list[Action]) -> None:
    assert list(parse_course("".join(notation(action) for action in course))) == course


def test_the_notation_is_as_documented() -> None:
    course: list[Action] = [
        Roll((3, 4, 5, 6)),
        Choose(1),
        Roll((1, 1, 2, 6)),
        Choose(0),
        Stop(),
        Resign(1),
    ]
    assert "".join(notation(action) for action in course) == "3456b1126a.-2"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(SETUPS))
def test_the_replay_of_a_course_gives_the_same_events_and_positions(
    seed: int, setup: Setup
) -> None:
    played = list(random_game(seed, setup, resigning=0.005))
    course = "".join(notation(ply.action) for ply in played)
    assert list(replay(setup, course)) == [(ply.after, ply.event) for ply in played]
    assert final_state(setup, course) == played[-1].after


def test_a_bust_needs_no_sign_of_its_own() -> None:
    events = [event for _, event in replay(make_setup(2), "1133a2222a66663456a.")]
    kinds = [Rolled, Advanced, Rolled, Advanced, Busted, Rolled, Advanced, Stopped]
    assert [type(event) for event in events] == kinds
    assert [event.seat for event in events] == [0] * 5 + [1] * 3


def test_an_empty_course_leads_to_the_start() -> None:
    assert final_state(make_setup(3), "") == new_game(make_setup(3))


@pytest.mark.parametrize(
    ("course", "message"),
    [
        ("123", "no action at '123'"),
        ("3456a!", "no action at '!'"),
        ("3457", "no action at '3457'"),
        ("3456g", "no action at 'g'"),
        ("3456A", "no action at 'A'"),
        ("-5", "no action at '-5'"),
        ("-0", "no action at '-0'"),
        ("-", "no action at '-'"),
        ("3456a.\n", r"no action at '\\n'"),
        ("3456 a", "no action at ' a'"),
        ("\u0661234", "no action at '\u0661234'"),
    ],
)
def test_a_course_that_cannot_be_read_is_refused_with_what_was_found(
    course: str, message: str
) -> None:
    with pytest.raises(BadCourse, match=message):
        list(parse_course(course))
    with pytest.raises(BadCourse):
        list(turns(make_setup(2), course))


@pytest.mark.parametrize(
    ("course", "message"),
    [
        (".", r"action 1, '\.': .*before you have moved"),
        ("a", "action 1, 'a': .*no dice on the table"),
        ("34563456", "action 2, '3456': .*choose one of the options first"),
        ("3456.", r"action 2, '\.': .*choose one of the options first"),
        ("3456d", "action 2, 'd': there is no option 4: choose 1 to 3"),
        ("3456aa", "action 3, 'a': .*no dice on the table"),
        ("3456a..", r"action 4, '\.': .*before you have moved"),
        ("-3", "action 1, '-3': seat 3 is not in the game"),
        ("-1-1", "action 2, '-1': the game is over"),
        ("-13456", "action 2, '3456': the game is over"),
    ],
)
def test_a_course_that_the_rules_do_not_allow_is_refused_at_its_first_fault(
    course: str, message: str
) -> None:
    with pytest.raises(BadCourse, match=message):
        final_state(make_setup(2), course)
    with pytest.raises(BadCourse):
        list(turns(make_setup(2), course))


def test_a_replay_gives_what_comes_before_the_fault() -> None:
    steps = replay(make_setup(2), "3456a!")
    assert [next(steps)[0].phase, next(steps)[0].phase] == [Phase.CHOOSE, Phase.ROLL_OR_STOP]
    with pytest.raises(BadCourse):
        next(steps)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(SETUPS), st.sampled_from((0.0, 0.005, 0.05)))
def test_turns_are_what_a_replay_shows_action_by_action(
    seed: int, setup: Setup, resigning: float
) -> None:
    expected, rolls = [], []
    played = list(random_game(seed, setup, resigning=resigning))
    for before, action, event, _ in played:
        spot = (before.runners, before.reach)
        if isinstance(action, Roll):
            rolls.append(spot)
        if isinstance(event, Stopped | Busted):
            expected.append((before.markers[event.seat], rolls, spot, event))
        if isinstance(event, Stopped | Busted) or event == Resigned(before.seat, None):
            rolls = []
    assert list(turns(setup, "".join(notation(ply.action) for ply in played))) == expected


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(SETUPS), st.data())
def test_turns_refuse_the_courses_that_a_replay_refuses(
    seed: int, setup: Setup, data: st.DataObject
) -> None:
    tokens = [notation(ply.action) for ply in random_game(seed, setup, resigning=0.02)][:60]
    at = data.draw(st.integers(0, len(tokens)))
    tokens[at : at + data.draw(st.integers(0, 1))] = data.draw(
        st.lists(st.sampled_from([".", "a", "b", "f", "-1", "-2", "3456", "1111", "7", "é"]))
    )
    course = "".join(tokens)
    try:
        final_state(setup, course)
    except BadCourse:
        with pytest.raises(BadCourse):
            list(turns(setup, course))
    else:
        list(turns(setup, course))
