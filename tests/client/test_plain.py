"""The plain face: what it shows, and what it makes of lines, with a session that is played."""

import asyncio
import io
import os
import threading
from collections.abc import Callable

import pytest
from samples import BEST, RATED, STATS

from cantstop_client import plain
from cantstop_client.errors import ClientError
from cantstop_client.glyphs import ASCII
from cantstop_client.happenings import Ended, Lost, Resumed
from cantstop_client.output import Output
from cantstop_client.plain import PlainFace
from cantstop_client.plain_screen import PlainScreen
from cantstop_client.session import SessionOver
from cantstop_protocol.codes import ErrorCode, ExitCode
from cantstop_protocol.commands import (
    Chat,
    Choose,
    GetLeaders,
    GetStats,
    Leave,
    ListGames,
    ListRooms,
    Roll,
    Stop,
)
from cantstop_protocol.events import (
    Advanced,
    Chatted,
    Finished,
    RematchAccepted,
    Rolled,
    Started,
    Stopped,
    TimeUp,
)
from cantstop_protocol.messages import (
    Entered,
    Error,
    Exit,
    Games,
    Leaders,
    Notice,
    NumberedEvent,
    Ok,
    Rooms,
    Stats,
    Update,
    Welcome,
)
from cantstop_protocol.past import GameSeat, GameSummary
from cantstop_protocol.table import GameOptions, Option, Result

SECONDS = 90


class PlayedSession:
    """Answers each request with what ``answer`` says, Ok unless told otherwise."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue = asyncio.Queue()
        self._over = asyncio.Event()
        self._ended: Ended | None = None
        self.answer: Callable = lambda kind, fields: Ok(re=1)

    async def request(self, kind, /, **fields):
        self.asked.put_nowait((kind, fields))
        answer = self.answer(kind, fields)
        return await answer if asyncio.iscoroutine(answer) else answer

    async def wait_ended(self) -> Ended:
        await self._over.wait()
        return self._ended

    def end(self, ended: Ended) -> None:
        self._ended = ended
        self._over.set()

    async def next(self):
        return await asyncio.wait_for(self.asked.get(), SECONDS)


class Seen(io.StringIO):
    """Collects what is shown; ``shows`` waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = asyncio.Event()

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)

    async def shows(self, text: str) -> None:
        async with asyncio.timeout(SECONDS):
            while text not in self.getvalue():
                self.written.clear()
                await self.written.wait()


class Rig:
    """A face with an input to type into, an output to look at, and a session to be played."""

    def __init__(self, monkeypatch, *, terminal: bool, **screen) -> None:
        reader, writer = os.pipe()
        self._stdin = os.fdopen(reader, encoding="utf-8")
        self._writer = os.fdopen(writer, "wb", buffering=0)
        monkeypatch.setattr(plain, "standard_input", lambda: self._stdin)
        monkeypatch.setattr(plain, "is_terminal", lambda stream: terminal)
        self.seen = Seen()
        self.screen = PlainScreen(Output(self.seen, ASCII, 80), **screen)
        self.face = PlainFace(self.screen)
        self.session = PlayedSession()
        self._seq = 1

    def type(self, *lines: str) -> None:
        self._writer.write("".join(f"{line}\n" for line in lines).encode())

    def end_input(self) -> None:
        self._writer.close()

    def tell(self, event, table, more=False) -> None:
        self._seq += 1
        self.screen.listen(Update(seq=self._seq, event=event, table=table, more=more))

    def enter(self, table, seat=0, events=()) -> None:
        self._seq = max(1, len(events))
        numbered = tuple(NumberedEvent(n, event) for n, event in enumerate(events, 1))
        self.screen.listen(Welcome(re=1, name="Ann", rooms=()))
        self.screen.listen(
            Entered(re=1, seat=seat, seq=self._seq, events=numbered, complete=True, table=table)
        )

    def close(self) -> None:
        self._writer.close()
        for thread in threading.enumerate():
            if thread.name == "standard input":
                thread.join(SECONDS)
        self._stdin.close()

    def start(self) -> asyncio.Task[int]:
        return asyncio.create_task(self.face.run(self.session))

    @property
    def shown(self) -> str:
        return self.seen.getvalue()


def assert_in_order(shown: str, *texts: str) -> None:
    """The last place of each text comes after that of the one before."""
    places = [shown.rindex(text) for text in texts]
    assert places == sorted(places), shown


async def done(running: asyncio.Task[int]) -> int:
    return await asyncio.wait_for(running, SECONDS)


@pytest.fixture
def rig(monkeypatch):
    rigs = []

    def make(**fields) -> Rig:
        rigs.append(Rig(monkeypatch, **fields))
        return rigs[-1]

    yield make
    for made in rigs:
        made.close()


@pytest.fixture
def terminal(rig):
    return rig(terminal=True)


@pytest.fixture
def pipe(rig):
    return rig(terminal=False)


@pytest.fixture
def options(columns):
    return (Option((6, 8), columns({6: 1, 8: 1}), 0, 8), Option((7, 7), columns({7: 2}), 0, 3))


@pytest.fixture
def choosing(table, turn, options):
    return table(turn=turn(0, "choose", ply=2, dice=(3, 3, 4, 4), options=options))


async def test_the_end_of_input_leaves_with_a_clear_line(pipe, table, turn) -> None:
    pipe.enter(table(turn=turn(0)))
    running = pipe.start()
    pipe.end_input()
    assert await done(running) == 0
    assert pipe.shown.endswith("End of input: leaving\n")


async def test_control_d_on_a_terminal_leaves_at_once(terminal) -> None:
    running = terminal.start()
    terminal.end_input()
    assert await done(running) == 0


async def test_a_file_of_moves_is_played_decision_by_decision(
    pipe, table, turn, choosing, columns
) -> None:
    after = table(turn=turn(0, "roll_or_stop", {7: 2}, ply=3))
    others = table(turn=turn(1, ply=4))
    pipe.enter(table(turn=turn(0)))
    pipe.type("r", "2", "s", "hello")
    pipe.end_input()
    running = pipe.start()
    assert await pipe.session.next() == (Roll, {"ply": 1})
    pipe.tell(Rolled(0, (3, 3, 4, 4), ((6, 8), (7, 7))), choosing)
    assert await pipe.session.next() == (Choose, {"ply": 2, "option": 2})
    pipe.tell(Advanced(0, (7, 7), columns({7: 2})), after)
    assert await pipe.session.next() == (Stop, {"ply": 3})
    pipe.tell(Stopped(0, columns({7: 2}), ()), others)
    assert await pipe.session.next() == (Chat, {"text": "hello"})
    assert await done(running) == 0


async def test_a_move_from_a_pipe_waits_for_ones_own_turn(pipe, table, turn) -> None:
    pipe.enter(table(turn=turn(1, ply=1)))
    pipe.type("hi", "r")
    running = pipe.start()
    assert await pipe.session.next() == (Chat, {"text": "hi"})
    pipe.tell(Rolled(1, (1, 1, 1, 1), ((2, 2),)), table(turn=turn(1, "choose", ply=2)))
    assert pipe.session.asked.empty()
    pipe.tell(Chatted("keller", 1, "go"), table(turn=turn(0, ply=3)))
    assert await pipe.session.next() == (Roll, {"ply": 3})
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_moves_from_a_pipe_do_not_wait_for_what_will_not_come(pipe, table, turn) -> None:
    pipe.enter(table(phase="over"))
    pipe.type("r", "1")
    pipe.end_input()
    assert await done(pipe.start()) == 0
    assert "No game is running" in pipe.shown
    assert pipe.session.asked.empty()


async def test_a_pasted_block_makes_one_move_and_no_more(terminal, table, turn, choosing) -> None:
    terminal.enter(table(turn=turn(0)))

    async def roll_and_answer(kind, fields):
        terminal.tell(Rolled(0, (3, 3, 4, 4), ((6, 8), (7, 7))), choosing)
        return Ok(re=1)

    terminal.session.answer = lambda kind, fields: roll_and_answer(kind, fields)
    terminal.type("r", "1", "s", "r", "1")
    running = terminal.start()
    assert await terminal.session.next() == (Roll, {"ply": 1})
    await terminal.seen.shows("Entered before this was shown, so not done: 1")
    terminal.end_input()
    assert await done(running) == 0
    assert terminal.session.asked.empty()
    assert terminal.shown.count("Entered before") == 1


async def test_a_move_typed_twice_is_made_once(terminal, table, turn) -> None:
    terminal.enter(table(turn=turn(0)))
    terminal.type("r", "r")
    running = terminal.start()
    assert await terminal.session.next() == (Roll, {"ply": 1})
    await terminal.seen.shows("made already")
    terminal.end_input()
    assert await done(running) == 0
    assert terminal.session.asked.empty()


async def test_a_move_that_was_refused_can_be_made_again(terminal, table, turn) -> None:
    terminal.enter(table(turn=turn(0)))
    refusal = Error(re=1, code=ErrorCode.STORAGE, message="the disk is full")
    terminal.session.answer = lambda kind, fields: refusal
    running = terminal.start()
    terminal.type("r")
    await terminal.seen.shows("Not done: the disk is full")
    terminal.type("r")
    await terminal.session.next()
    assert await terminal.session.next() == (Roll, {"ply": 1})
    terminal.end_input()
    await done(running)


async def test_out_of_turn_a_move_is_answered_gently(terminal, table, turn) -> None:
    terminal.enter(table(turn=turn(1)))
    terminal.type("r", "s", "1")
    running = terminal.start()
    await terminal.seen.shows("It is not your turn: keller plays")
    terminal.end_input()
    assert await done(running) == 0
    assert terminal.session.asked.empty()


async def test_quit_waits_for_no_answer(terminal, table) -> None:
    terminal.enter(table())
    terminal.session.answer = lambda kind, fields: asyncio.Event().wait()
    running = terminal.start()
    terminal.type("hello")
    await terminal.session.next()
    terminal.type("/quit")
    assert await done(running) == 0


async def test_quit_in_a_file_comes_in_its_order(pipe, table) -> None:
    pipe.enter(table())
    pipe.type("hello", "/quit", "never said")
    assert await done(pipe.start()) == 0
    assert await pipe.session.next() == (Chat, {"text": "hello"})
    assert pipe.session.asked.empty()


async def test_a_shutdown_is_one_line_and_a_good_end(terminal, table) -> None:
    terminal.enter(table())
    running = terminal.start()
    ended = Ended("the server is shutting down", clean=True)
    terminal.screen.listen(ended)
    terminal.session.end(ended)
    assert await done(running) == 0
    assert terminal.shown.count("shutting down") == 1


async def test_another_end_is_an_error_for_the_caller_to_show(terminal, table) -> None:
    terminal.enter(table())
    terminal.session.end(Ended("replaced", clean=False))
    with pytest.raises(ClientError, match="replaced"):
        await done(terminal.start())


async def test_an_unattended_game_ends_with_its_result(rig, table, turn) -> None:
    rig = rig(terminal=False, alone=True, unattended=True)
    rig.enter(table(turn=turn(0)))
    rig.end_input()
    running = rig.start()
    over = table(
        phase="over", result=Result(game="g1", winner=0, turns=9, abandoned=False), owners={7: 0}
    )
    rig.tell(Stopped(0, over.seats[0].markers, (7,)), over, more=True)
    rig.tell(Finished("g1", 0, 9), over)
    rig.tell(Chatted("keller", 1, "too late to be shown"), over)
    assert await done(running) == 0
    assert rig.shown.count("Ann wins the game after 9 turns") == 1
    assert rig.shown.endswith("Columns claimed: Ann 1, keller 0\n")


async def test_the_end_is_told_before_what_can_be_done_next(terminal, table) -> None:
    result = Result(game="g1", winner=0, turns=9, abandoned=False)
    over = table(phase="over", result=result, owners={7: 0})
    terminal.enter(table())
    terminal.tell(Stopped(0, over.seats[0].markers, (7,)), over, more=True)
    assert "another game" not in terminal.shown
    assert terminal.shown.endswith("claims 7\n")
    terminal.tell(Finished("g1", 0, 9), over)
    texts = ("claims 7\n", "Ann wins the game", " 7 |", "Columns claimed", "/start begins another")
    assert_in_order(terminal.shown, *texts)
    assert terminal.shown.endswith("/start begins another game, /quit leaves\n")


async def test_the_last_rematch_begins_the_game_before_its_board_and_prompt(
    terminal, table, turn
) -> None:
    over = table(phase="over", result=Result(game="g1", winner=0, turns=9, abandoned=False))
    terminal.enter(over)
    begun = table(turn=turn(0), game="g2")
    terminal.tell(RematchAccepted("keller", 1), begun, more=True)
    terminal.tell(Started("g2", GameOptions(), ("Ann", "keller"), 0), begun)
    assert_in_order(
        terminal.shown, "another game: /rematch", "the game begins", " 7 |", "r to roll"
    )


async def test_what_is_done_when_time_is_up_is_told_before_what_comes_next(
    terminal, table, turn, columns
) -> None:
    terminal.enter(table(turn=turn(1, "roll_or_stop", {7: 2})))
    after = table(turn=turn(0, ply=2))
    terminal.tell(TimeUp(1), after, more=True)
    terminal.tell(Stopped(1, columns({7: 2}), ()), after)
    assert_in_order(terminal.shown, "out of time", "stops and keeps 7", "Your turn 1: r to roll")


async def test_a_step_that_broke_off_leaves_nothing_behind(terminal, table, turn) -> None:
    terminal.enter(table(turn=turn(0)))
    over = table(phase="over", result=Result(game="g1", winner=0, turns=9, abandoned=False))
    terminal.tell(Finished("g1", 0, 9), over, more=True)
    terminal.enter(over)
    terminal.tell(Chatted("keller", 1, "hi"), over)
    assert "Columns claimed" not in terminal.shown


async def test_the_board_is_shown_after_each_change_and_not_for_chat(
    terminal, table, turn, choosing, columns
) -> None:
    def boards() -> int:
        return terminal.shown.count(" 7 |")

    terminal.enter(table(phase="waiting"))
    assert boards() == 0
    terminal.tell(Started("g1", GameOptions(), ("Ann", "keller"), 0), table(turn=turn(0)))
    assert boards() == 1
    terminal.tell(Chatted("keller", 1, "hi"), table(turn=turn(0)))
    terminal.tell(Rolled(0, (3, 3, 4, 4), ((6, 8),)), choosing)
    assert boards() == 1
    moved = table(turn=turn(0, "roll_or_stop", {7: 2}, ply=3))
    terminal.tell(Advanced(0, (7, 7), columns({7: 2})), moved)
    assert boards() == 2
    assert terminal.shown.count("1) 6 + 8") == 1
    assert "2) 7 x2" in terminal.shown


async def test_a_long_past_is_not_told_from_the_beginning(terminal, table) -> None:
    events = [Chatted("Ben", 1, f"line {number}") for number in range(50)]
    terminal.enter(table(), events=events)
    assert "line 49" in terminal.shown
    assert "line 30" not in terminal.shown


async def test_trouble_with_the_connection_says_that_what_is_seen_may_be_old(terminal) -> None:
    terminal.screen.listen(Lost("no answer in time", 1.25))
    terminal.screen.listen(Resumed())
    assert terminal.shown == (
        "Connection lost: no answer in time. What you see may be old. Trying again in 1.2 s\n"
        "Connected again\n"
    )


async def test_after_a_reconnect_board_and_question_are_shown_again(terminal, table, turn) -> None:
    mine = table(turn=turn(0))
    terminal.enter(mine)
    before = terminal.shown
    terminal.screen.listen(Lost("no answer in time", 1.25))
    again = Entered(re=2, seat=0, seq=1, events=(), complete=True, table=mine)
    terminal.screen.listen(again)
    terminal.screen.listen(Resumed())
    after = terminal.shown.removeprefix(before)
    assert_in_order(after, "Connection lost", "Connected again", " 7 |", "r to roll")
    assert after.count(" 7 |") == after.count("r to roll") == 1
    terminal.tell(Chatted("keller", 1, "hi"), mine)
    assert terminal.shown.endswith("keller: hi\n")


async def test_notices_and_exits_are_shown(terminal, table) -> None:
    terminal.enter(table())
    terminal.screen.listen(Notice(message="the disk is full"))
    terminal.screen.listen(Exit(room="LEZAT", code=ExitCode.ROOM_FAULT, message="a fault"))
    assert "Server: the disk is full\n" in terminal.shown
    assert "You are out of room LEZAT: a fault\n" in terminal.shown
    assert terminal.screen.view.room is None


async def test_records_and_leaders_are_shown(pipe, table, turn) -> None:
    answers = {
        GetStats: Stats(re=1, player=STATS),
        GetLeaders: Leaders(re=1, rated=(RATED,), solitaire=(BEST,)),
    }
    pipe.enter(table(turn=turn(1)))
    pipe.session.answer = lambda kind, fields: answers[kind]
    pipe.type("/stats", "/stats Ben of Ulm", "/leaders", f"/stats {'x' * 81}", "/leaders now")
    pipe.end_input()
    assert await done(pipe.start()) == 0
    assert await pipe.session.next() == (GetStats, {"name": ""})
    assert await pipe.session.next() == (GetStats, {"name": "Ben of Ulm"})
    assert await pipe.session.next() == (GetLeaders, {})
    assert pipe.shown.count("Ann: 70 of 130 won (54 %), 60 lost") == 2
    assert "   8  Ann                   7 games" in pipe.shown
    assert "A name has at most" in pipe.shown
    assert "It goes: /leaders" in pipe.shown


async def test_what_is_asked_for_is_shown(pipe, table, turn) -> None:
    pipe.enter(table(turn=turn(1)))
    pipe.session.answer = lambda kind, fields: (
        Rooms(re=1, rooms=()) if kind is ListRooms else Ok(re=1)
    )
    pipe.type("/who", "/odds", "/board", "/help", "/dance", "/rooms", "", "/leave", "/who")
    pipe.end_input()
    assert await done(pipe.start()) == 0
    for text in ("A Ann (you", "Rule of 28", " 7 |", "/create", "no command /dance"):
        assert text in pipe.shown
    assert "No room is open" in pipe.shown
    assert await pipe.session.next() == (ListRooms, {})
    assert await pipe.session.next() == (Leave, {})
    assert pipe.shown.endswith(
        "You are in no room: /rooms lists them, /join CODE enters\nEnd of input: leaving\n"
    )


async def test_pages_of_history_follow_each_other(pipe) -> None:
    seats = (GameSeat("Ben", None, 3, False),)
    game = GameSummary("k3f9", "finished", seats, 3, "removed", 0, 9, 0, 1, "x")
    pages = iter([True, False])
    pipe.session.answer = lambda kind, fields: Games(re=1, games=(game,), more=next(pages))
    pipe.type("/history more", "/history Ben seats=1", "/history more", "/history more")
    pipe.type("/history seats=9")
    pipe.end_input()
    assert await done(pipe.start()) == 0
    assert await pipe.session.next() == (ListGames, {"player": "Ben", "seats": 1})
    assert await pipe.session.next() == (ListGames, {"player": "Ben", "seats": 1, "after": "x"})
    assert pipe.shown.count("Ben won, Ben 3") == 2
    assert pipe.shown.count("More: /history more") == 1
    assert pipe.shown.count("That was the last page: /history begins anew") == 2
    assert "seats is 1 to 4, not '9'. It goes: /history [NAME]" in pipe.shown


async def test_the_end_of_the_session_is_told_once_by_who_waits_for_it(pipe, table) -> None:
    pipe.enter(table())
    ended = Ended("replaced", clean=False)

    def over(kind, fields):
        pipe.session.end(ended)
        raise SessionOver(ended.reason)

    pipe.session.answer = over
    pipe.type("hello")
    pipe.end_input()
    with pytest.raises(ClientError, match="replaced"):
        await done(pipe.start())
    assert "replaced" not in pipe.shown
    assert "End of input" not in pipe.shown
