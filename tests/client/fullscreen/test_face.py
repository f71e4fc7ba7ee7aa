"""The full-screen face without a terminal: what keys and lines make of a session."""

import asyncio
import io
from pathlib import Path

import pytest
from samples import BEST, RATED, STATS
from scenes import seat, table, turn

from cantstop_client.fullscreen.face import AFTER_MOVE, FullScreenFace, Manner
from cantstop_client.fullscreen.fragments import text_of
from cantstop_client.fullscreen.marks import ASCII_MARKS
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.scene import KeyNames
from cantstop_client.glyphs import ASCII
from cantstop_client.output import Output
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import (
    Chat,
    Choose,
    GetLeaders,
    GetStats,
    Hint,
    Leave,
    ListGames,
    ListRooms,
    Roll,
    Stop,
)
from cantstop_protocol.events import Chatted, Finished, Stopped, Unrecognised
from cantstop_protocol.messages import (
    Alternative,
    Entered,
    Error,
    Games,
    Hinted,
    Leaders,
    Ok,
    Rooms,
    Stats,
    Update,
    Welcome,
)
from cantstop_protocol.past import GameSeat, GameSummary
from cantstop_protocol.table import Option, Result

OPTIONS = (
    Option((4,), (0, 0, 1, *[0] * 8), 0, 8),
    Option((9, 9), (*[0] * 7, 2, 0, 0, 0), 0, 6),
)
DECISIONS = {
    "roll": turn(0, "roll"),
    "choose": turn(0, "choose", dice=(1, 3, 4, 5), options=OPTIONS),
    "roll_or_stop": turn(0, "roll_or_stop", {4: 1}),
    "theirs": turn(1, "roll"),
}


class Asked:
    """A session that answers what it is told to, Ok unless told otherwise."""

    latency = 0.01

    def __init__(self) -> None:
        self.asked: list[tuple[type, dict]] = []
        self.answer: object = Ok(re=1)

    async def request(self, kind, /, **fields):
        self.asked.append((kind, fields))
        return self.answer


class Rig:
    def __init__(self, directory: Path, *, unattended: bool = False) -> None:
        self.now = 100.0
        self.session = Asked()
        manner = Manner(Style(ASCII_MARKS))
        self._out = io.StringIO()
        self.face = FullScreenFace(
            Output(self._out, ASCII, 80),
            manner,
            directory,
            unattended=unattended,
            clock=lambda: self.now,
        )
        self.face.listen(Welcome(re=1, name="Ann", rooms=()))

    def at(self, decision: str | None, seq: int = 1, **fields) -> "Rig":
        made = table(
            seat("Ann"),
            seat("Ben"),
            turn=None if decision is None else DECISIONS[decision],
            **fields,
        )
        entered = Entered(re=2, seat=0, seq=seq, events=(), complete=True, table=made)
        self.face.listen(entered)
        return self

    async def asks(self) -> list[tuple[type, dict]]:
        asking = asyncio.create_task(self.face._ask(self.session))
        for _ in range(20):
            await asyncio.sleep(0)
        asking.cancel()
        return self.session.asked

    @property
    def shown(self) -> str:
        """What was printed outside the screen."""
        return self._out.getvalue()

    @property
    def picture(self) -> str:
        lines = self.face.picture(80, 24)
        return "\n".join("".join(part.text for part in line) for line in lines)

    @property
    def said(self) -> str:
        return "\n".join(entry.text for entry in self.face.scene.log)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


@pytest.mark.parametrize(
    ("decision", "key", "asked"),
    [
        ("roll", "r", (Roll, {"ply": 31})),
        ("roll_or_stop", "r", (Roll, {"ply": 31})),
        ("roll_or_stop", "s", (Stop, {"ply": 31})),
        ("choose", "2", (Choose, {"ply": 31, "option": 2})),
    ],
)
async def test_a_key_acts_at_once(rig: Rig, decision, key, asked) -> None:
    assert rig.at(decision).face.press(key)
    assert await rig.asks() == [asked]


@pytest.mark.parametrize(("decision", "key"), [("roll", "s"), ("choose", "r"), ("choose", "5")])
async def test_a_key_that_fits_nothing_says_so_and_is_no_text(rig: Rig, decision, key) -> None:
    before = rig.at(decision).said
    assert rig.face.press(key)
    assert rig.said != before
    assert await rig.asks() == []


async def test_when_it_is_not_ones_turn_a_key_begins_a_text(rig: Rig) -> None:
    assert not rig.at("theirs").face.press("r")
    assert not rig.at(None, phase="waiting").face.press("s")
    assert await rig.asks() == []


async def test_a_key_pressed_twice_has_one_effect(rig: Rig) -> None:
    rig.at("roll_or_stop").face.press("s")
    rig.face.press("s")
    rig.at("theirs", seq=2)
    assert rig.face.press("s"), "the same press, not a text that begins with s"
    rig.now += 2 * AFTER_MOVE
    assert not rig.face.press("s")
    assert await rig.asks() == [(Stop, {"ply": 31})]


async def test_a_refused_move_can_be_made_again(rig: Rig) -> None:
    rig.session.answer = Error(re=1, code=ErrorCode.STORAGE, message="try again")
    rig.at("roll").face.press("r")
    await rig.asks()
    assert "Not done: try again" in rig.said
    rig.now += 1
    rig.face.press("r")
    assert len(await rig.asks()) == 2


async def test_a_key_behind_a_page_closes_it_and_decides_nothing(rig: Rig) -> None:
    rig.at("roll").face.press("?")
    assert rig.face.scene.page == "help"
    assert rig.face.press("r")
    assert rig.face.scene.page is None
    assert await rig.asks() == []


async def test_enter_on_an_empty_line_commits_nothing(rig: Rig) -> None:
    for decision in ("roll", "choose", "roll_or_stop"):
        rig.at(decision).face.submit("")
        rig.face.submit("   ")
    assert await rig.asks() == []


async def test_lines_are_chat_commands_and_moves(rig: Rig) -> None:
    rig.at("choose")
    for text in ("hello", "//quit", " 2"):
        rig.face.submit(text)
    assert await rig.asks() == [
        (Chat, {"text": "hello"}),
        (Chat, {"text": "/quit"}),
        (Choose, {"ply": 31, "option": 2}),
    ]


async def test_commands_that_need_no_server(rig: Rig) -> None:
    rig.at("roll")
    for text, page in (("/help", "help"), ("/rules", "rules"), ("/odds", "odds"), ("/board", None)):
        rig.face.submit(text)
        assert rig.face.scene.page == page
        rig.face.escape()
    rig.face.submit("/who")
    assert "A Ann (you" in rig.said
    rig.face.submit("/nonsense")
    assert "no command /nonsense" in rig.said
    assert await rig.asks() == []


async def test_leaving_a_room_and_the_list_of_rooms(rig: Rig) -> None:
    rig.at("roll").face.submit("/leave")
    assert (await rig.asks())[0][0] is Leave
    assert rig.face.scene.room is None
    rig.session.answer = Rooms(re=2, rooms=())
    rig.face.submit("/rooms")
    assert (await rig.asks())[-1][0] is ListRooms
    assert "No room is open" in rig.said


async def test_history_opens_as_a_page_and_goes_on(rig: Rig) -> None:
    seats = (GameSeat("Bén", None, 3, False), GameSeat("keller", "keller", 1, False))
    game = GameSummary("k3f9", "finished", seats, 3, "removed", 0, 9, 0, 1, "x")
    rig.session.answer = Games(re=2, games=(game,), more=True)
    rig.at("theirs").face.submit("/history Ben vs=keller")
    assert (await rig.asks())[-1] == (ListGames, {"player": "Ben", "opponent": "keller"})
    picture = "\n".join(text_of(line) for line in rig.face.picture(80, 24))
    assert "B?n won, B?n 3, keller 1" in picture
    assert "More: /history more" in picture
    rig.session.answer = Games(re=3, games=(), more=False)
    rig.face.submit("/history more")
    assert (await rig.asks())[-1][1]["after"] == "x"
    assert "No such game" in "\n".join(text_of(line) for line in rig.face.picture(60, 20))
    rig.face.submit("/history more")
    assert "That was the last page" in rig.said
    rig.session.answer = Error(re=4, code=ErrorCode.TOO_FAST, message="wait a second")
    rig.face.submit("/history")
    await rig.asks()
    assert "Not done: wait a second" in rig.said


async def test_a_record_opens_a_page_that_scrolls_and_closes(rig: Rig) -> None:
    rig.session.answer = Stats(re=2, player=STATS)
    rig.at("theirs").face.submit("/stats Ben of Ulm")
    assert await rig.asks() == [(GetStats, {"name": "Ben of Ulm"})]
    assert "70 of 130 won" in rig.picture
    assert "Busts by runners" not in rig.picture
    for _ in range(5):
        rig.face.scroll(-1)
    assert "Busts by runners" in rig.picture
    rig.face.escape()
    assert "70 of 130 won" not in rig.picture
    rig.session.answer = Leaders(re=3, rated=(RATED,), solitaire=(BEST,))
    rig.face.submit("/leaders")
    assert (await rig.asks())[-1] == (GetLeaders, {})
    assert "Solitaire, 3 columns" in rig.picture


async def test_nobody_of_a_name_is_told_in_the_log(rig: Rig) -> None:
    rig.session.answer = Stats(re=2, player=None)
    rig.at("theirs").face.submit("/stats nobody")
    await rig.asks()
    assert "Nobody of that name" in rig.said
    assert rig.face.scene.page is None


async def test_a_hint_is_asked_for_and_shown_in_the_log(rig: Rig) -> None:
    rig.session.answer = Hinted(
        re=2, ply=31, alternatives=(Alternative("choose", 2, 0.5), Alternative("choose", 1, 0.25))
    )
    rig.at("choose").face.submit("/hint")
    assert await rig.asks() == [(Hint, {"ply": 31})]
    best, other = rig.said.splitlines()[-2:]
    assert "2: 9 and 9" in best
    assert "50.0 % to win" in best
    assert "25.0 % to win" in other


async def test_a_hint_that_fails_leaves_the_decision_and_one_that_is_late_is_told(rig: Rig) -> None:
    rig.at("theirs").face.submit("/hint")
    assert "A hint is for your own turn" in rig.said
    rig.session.answer = Error(re=2, code=ErrorCode.NOT_ALLOWED, message="no hints here")
    rig.at("roll", seq=2).face.submit("/hint")
    assert rig.face.press("r")
    rig.face.submit("/hint")
    assert [kind for kind, _ in await rig.asks()] == [Hint, Roll, Hint]
    assert "no hints here" in rig.said
    rig.session.answer = Hinted(re=3, ply=30, alternatives=())
    rig.face.submit("/hint")
    await rig.asks()
    assert "The hint came too late" in rig.said


def test_nothing_of_a_step_is_shown_before_all_of_it(rig: Rig) -> None:
    rung: list[str] = []

    class Bells:
        def redraw(self) -> None: ...
        def set_title(self, title: str) -> None: ...
        def ring(self) -> None:
            rung.append(rig.said)

    rig.at("theirs")
    rig.face._terminal = Bells()  # type: ignore[assignment]
    made = table(seat("Ann"), seat("Ben"), turn=DECISIONS["roll"])
    stopped = Stopped(1, (0,) * 11, ())
    before = rig.said
    rig.face.listen(Update(seq=2, event=stopped, table=made, more=True))
    assert rig.said == before
    assert not rig.face.press("r")
    rig.face.listen(Update(seq=3, event=Chatted("Ben", 1, "yours"), table=made))
    assert "Ben stops" in rig.said
    assert [said.endswith("Ben: yours") for said in rung] == [True]


def test_an_event_of_a_later_version_is_a_line_like_others(rig: Rig) -> None:
    rig.at("theirs")
    made = table(seat("Ann"), seat("Ben"), turn=DECISIONS["roll"])
    before = len(rig.face.scene.log)
    rig.face.listen(Update(seq=2, event=Unrecognised("danced"), table=made))
    assert len(rig.face.scene.log) == before + 1


def test_arrows_move_the_preview_round_and_only_then(rig: Rig) -> None:
    rig.at("choose")
    assert rig.face.scene.chosen == 0
    assert rig.face.highlight(1)
    assert rig.face.scene.chosen == 1
    assert rig.face.highlight(1)
    assert rig.face.scene.chosen == 0
    assert not rig.at("roll", seq=2).face.highlight(1)


def test_a_half_typed_line_survives_news_and_a_search(rig: Rig) -> None:
    rig.at("roll").face.typed("half")
    made = table(seat("Ann"), seat("Ben"), turn=DECISIONS["roll"])
    rig.face.listen(Update(seq=2, event=Chatted("Ben", 1, "hello"), table=made))
    assert rig.face.scene.typed == "half"
    rig.face.search()
    assert rig.face.scene.find == ""
    rig.face.typed("hello")
    assert rig.face.scene.find == "hello"
    rig.face.escape()
    assert rig.face.scene.find is None


def test_scrolling_a_page_ends_at_its_end(rig: Rig) -> None:
    rig.at("roll").face.submit("/odds")
    rig.face.picture(80, 24)
    for _ in range(50):
        rig.face.scroll(-1)
    bottom = rig.face.scene.page_scroll
    rig.face.scroll(1)
    assert 0 < rig.face.scene.page_scroll < bottom


def test_an_unattended_game_leaves_its_result_behind(tmp_path: Path) -> None:
    rig = Rig(tmp_path, unattended=True).at("theirs")
    over = table(
        seat("Ann"),
        seat("Ben"),
        phase="over",
        result=Result(game="g1", winner=1, turns=9, abandoned=False),
    )
    rig.face.listen(Update(seq=2, event=Finished("g1", 1, 9), table=over))
    rig.face.listen(Update(seq=3, event=Chatted("Ben", 1, "late"), table=over))
    assert asyncio.run(rig.face.run(rig.session)) == 0
    assert rig.shown == "Ben wins the game after 9 turns\nColumns claimed: Ann 0, Ben 0\n"


async def test_a_person_may_have_other_keys(tmp_path: Path) -> None:
    names = KeyNames(roll="w", stop="f2", help="h")
    manner = Manner(Style(ASCII_MARKS), keys=names)
    face = FullScreenFace(Output(io.StringIO(), ASCII, 80), manner, tmp_path)
    assert face.acting_keys()[:3] == ("w", "f2", "h")
    rig = Rig(tmp_path)
    rig.face = face
    face.listen(Welcome(re=1, name="Ann", rooms=()))
    rig.at("roll_or_stop")
    banner = "".join(part.text for part in face.picture(80, 24)[-2])
    assert "w rolls again, f2 stops" in banner
    assert face.press("f2")
    assert await rig.asks() == [(Stop, {"ply": 31})]
    face.press("h")
    assert face.scene.page == "help"
    page = "\n".join("".join(part.text for part in line) for line in face.picture(120, 40))
    assert " w " in page
