"""One table drives what can be typed."""

import pytest

from cantstop_client.commands import COMMANDS, help_lines, read_line
from cantstop_client.intents import AskHint, AskHistory, AskReplay, Hint, Local, Move, Nothing, Send
from cantstop_client.view import RoomView, View
from cantstop_protocol.commands import (
    AddBot,
    Autopilot,
    Chat,
    Choose,
    Configure,
    Create,
    Join,
    Leave,
    ListRooms,
    RemoveBot,
    Roll,
    Start,
    Stop,
)
from cantstop_protocol.table import GameOptions
from cantstop_protocol.text import cells


@pytest.fixture
def view(table, seat):
    here = table(
        seat("Ann"),
        seat("keller 1", bot="keller"),
        seat("B", bot="random"),
        options=GameOptions(seats=3, target=2, dead_markers="kept"),
    )
    return View(name="Ann", bots=("keller", "random"), room=RoomView(here, 0, 1))


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        ("", Nothing()),
        ("  \t ", Nothing()),
        ("r", Move(Roll)),
        (" ROLL ", Move(Roll)),
        ("s", Move(Stop)),
        ("Stop", Move(Stop)),
        ("1", Move(Choose, 1)),
        ("06", Move(Choose, 6)),
        ("hello you", Send(Chat, {"text": "hello you"})),
        ("r u there?", Send(Chat, {"text": "r u there?"})),
        ("1 2", Send(Chat, {"text": "1 2"})),
        ("\u0663", Send(Chat, {"text": "\u0663"})),
        ("2024", Send(Chat, {"text": "2024"})),
        ("//start", Send(Chat, {"text": "/start"})),
        ("//", Send(Chat, {"text": "/"})),
        ("/rooms", Send(ListRooms)),
        ("/RoomS", Send(ListRooms)),
        ("/create", Send(Create, {"title": "", "options": GameOptions()})),
        (
            "/create Friday night seats=4 target=2 dead=kept password=pw",
            Send(
                Create,
                {
                    "title": "Friday night",
                    "password": "pw",
                    "options": GameOptions(seats=4, target=2, dead_markers="kept"),
                },
            ),
        ),
        ("/join LEZAT", Send(Join, {"room": "LEZAT", "password": ""})),
        ("/join LEZAT pw", Send(Join, {"room": "LEZAT", "password": "pw"})),
        ("/watch LEZAT", Send(Join, {"room": "LEZAT", "password": "", "role": "spectator"})),
        ("/leave", Send(Leave)),
        ("/bot keller", Send(AddBot, {"kind": "keller"})),
        ("/bot keller 3", Send(AddBot, {"kind": "keller"}, times=3)),
        ("/unbot keller 1", Send(RemoveBot, {"seat": 1})),
        ("/unbot KELLER 1", Send(RemoveBot, {"seat": 1})),
        ("/unbot c", Send(RemoveBot, {"seat": 2})),
        ("/unbot b", Send(RemoveBot, {"seat": 2})),
        (
            "/options target=3",
            Send(Configure, {"options": GameOptions(seats=3, target=3, dead_markers="kept")}),
        ),
        ("/start", Send(Start)),
        ("/auto", Send(Autopilot, {"kind": "keller"})),
        ("/auto random", Send(Autopilot, {"kind": "random"})),
        ("/auto OFF", Send(Autopilot, {"kind": None})),
        ("/board", Local("board")),
        ("/odds", Local("odds")),
        ("/who", Local("who")),
        ("/help", Local("help")),
        ("/quit", Local("quit")),
    ],
)
def test_a_line_becomes_what_it_asks_for(view, line, intent) -> None:
    assert read_line(line, view) == intent


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("0", "1 to 6"),
        ("7", "1 to 6"),
        ("999", "1 to 6"),
        ("/", "no command"),
        ("/dance", "/help"),
        ("/create seats=9", "Seats are 1 to 4"),
        ("/create seats=two", "number"),
        ("/create seats=\u0663", "number"),
        ("/create color=red", "no setting"),
        ("/create dead=gone", "removed or kept"),
        (f"/create {'x' * 41}", "40 cells"),
        (f"/create password={'x' * 65}", "64"),
        ("/join", "code"),
        ("/join A B C", "more than"),
        (f"/join {'A' * 17}", "16"),
        ("/watch", "code"),
        ("/bot", "keller, random"),
        ("/bot keller 9", "number of seats"),
        (f"/bot {'x' * 17}", "no such kind"),
        ("/unbot", "Whose"),
        ("/unbot nobody", "Nobody"),
        ("/options", "Say what"),
        ("/options fast", "Say what"),
        ("/options target=0", "target 1 to 5"),
        ("/auto keller now", "more than"),
        ("/start now", "more than"),
        ("x" * 401, "400"),
        ("\u200b\u200b", "nothing to see"),
    ],
)
def test_what_cannot_be_said_is_explained_here(view, line, hint) -> None:
    intent = read_line(line, view)
    assert isinstance(intent, Hint)
    assert hint in intent.text


def test_chat_outside_a_room_says_where_to_go() -> None:
    intent = read_line("hello", View())
    assert isinstance(intent, Hint)
    assert "/create" in intent.text


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_no_arguments_break_a_command(view, row) -> None:
    for line in (f"/{row.name}", f"/{row.name} x", f"/{row.name} = = = =", f"/{row.name} a=b"):
        for here in (view, View()):
            read = read_line(line, here)
            assert isinstance(read, Send | AskHint | AskHistory | AskReplay | Hint | Local)


def test_help_names_every_command_within_eighty_columns() -> None:
    lines = help_lines()
    for row in COMMANDS:
        assert any(row.usage in line for line in lines)
        assert any(row.help in line for line in lines)
    assert all(cells(line) <= 80 for line in lines)
