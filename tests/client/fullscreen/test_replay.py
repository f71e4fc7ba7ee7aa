"""A replay on the full screen, without a terminal: what keys make of it, and how it looks."""

import asyncio
import os
from pathlib import Path

import pytest
from patience import until
from stories import example_story

from cantstop_client.errors import ClientError
from cantstop_client.fullscreen.fragments import text_of, width_of
from cantstop_client.fullscreen.marks import ASCII_MARKS, UNICODE_MARKS
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.replay import ReplayStage
from cantstop_client.fullscreen.replay_keys import ACTING, KEYS
from cantstop_client.replay.reviewing import NO_REVIEW
from cantstop_client.replay.telling import notes_of

GOLDENS = Path(__file__).parent / "replay_goldens"
SIZES = ((120, 40), (80, 24), (60, 20))
STORY = example_story()
STYLES = {"unicode": Style(UNICODE_MARKS), "ascii": Style(ASCII_MARKS)}


class Rig:
    """A stage, and what it has called."""

    def __init__(self, style: str = "ascii", **more) -> None:
        self.closed = 0
        self.left: list[int] = []
        self.draws = 0
        self.stage = ReplayStage(
            STORY,
            STYLES[style],
            close=self._close,
            leave=self.left.append,
            changed=self._draw,
            **more,
        )

    def _close(self) -> None:
        self.closed += 1

    def _draw(self) -> None:
        self.draws += 1

    def press(self, *keys: str) -> "Rig":
        for key in keys:
            if key in ("up", "down"):
                assert self.stage.highlight(-1 if key == "up" else 1)
            else:
                assert self.stage.press(key), key
        return self

    def lines(self, width: int = 80, height: int = 24) -> list[str]:
        return [text_of(line).rstrip() for line in self.stage.picture(width, height)]

    @property
    def banner(self) -> str:
        return self.lines()[-2]

    def shows(self, text: str) -> bool:
        return any(text in line for line in self.lines())


def review(progress):
    """A review that is quickly done."""
    for done in range(1, 11):
        progress(done, 10)
    count = len(STORY.steps) - 2
    summary = ["The costliest decisions", *(f"line {n}" for n in range(40))]
    return notes_of([f"Ann 51.0 % -> 5{n % 10}.0 %" for n in range(count)], summary)


MOMENTS = {
    "start": (),
    "choice": ("right",),
    "bust": ("down",) * 8,
    "end": ("end",),
    "help": ("?",),
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("size", SIZES, ids=["120x40", "80x24", "60x20"])
def test_a_replay_is_as_it_should_look(moment, style, size) -> None:
    """Write the pictures anew with CANTSTOP_WRITE_GOLDENS=1."""
    width, height = size
    text = "\n".join(Rig(style).press(*MOMENTS[moment]).lines(width, height)) + "\n"
    path = GOLDENS / f"{moment}_{width}x{height}_{style}.txt"
    if os.environ.get("CANTSTOP_WRITE_GOLDENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text
    assert style == "unicode" or text.isascii()


def test_every_step_has_a_picture_that_fits_every_size() -> None:
    rig = Rig("unicode")
    for _ in range(STORY.last + 1):
        for width, height in ((200, 60), (116, 34), (80, 24), (79, 23), (60, 20), (20, 5)):
            lines = rig.stage.picture(width, height)
            assert len(lines) == height
            assert all(width_of(line) <= width for line in lines)
        rig.press("right")


def test_steps_turns_and_ends_have_keys() -> None:
    rig = Rig()
    assert rig.banner.startswith("Turn 1 of 16, step 0 of 82, paused")
    assert rig.press("right", "n").banner.startswith("Turn 1 of 16, step 2")
    assert rig.shows("Ann takes 3 + 5")
    assert rig.press("left").banner.startswith("Turn 1 of 16, step 1")
    assert not rig.shows("Ann takes 3 + 5")
    assert rig.press("down", "down").banner.startswith("Turn 3 of 16")
    assert rig.press("up").banner.startswith("Turn 2 of 16")
    assert rig.press("end").banner.startswith("Turn 16 of 16, step 82 of 82")
    assert rig.shows("Cleo wins the game after 16 turns")
    assert rig.press("home").banner.startswith("Turn 1 of 16, step 0")


def test_a_number_goes_to_its_turn_and_other_lines_are_orders() -> None:
    rig = Rig()
    rig.stage.submit("14")
    assert rig.banner.startswith("Turn 14 of 16")
    rig.stage.submit("99")
    assert rig.shows("There is no turn 99: the game has 16")
    rig.stage.submit("/back 2")
    assert rig.banner.startswith("Turn 13 of 16")
    assert not rig.shows("There is no turn 99")
    rig.stage.submit("q")
    assert rig.closed == 1


def test_the_dice_and_the_bust_are_those_of_the_step() -> None:
    rig = Rig()
    rig.stage.submit("9")
    assert rig.shows("Cleo busts with 2 1 1 1")
    assert any("x" in line for line in rig.lines()[1:16])
    rig.press("left", "left")
    assert not any("x" in line.split("    ")[0] for line in rig.lines()[2:15])
    rig.press("home")
    assert rig.shows("[ ] [ ] [ ] [ ]")


async def test_it_plays_at_its_speed_and_stops_at_the_end() -> None:
    rig = Rig(at=STORY.last - 3)
    rig.press("+", "+", "+", "+", " ")
    assert "playing, 16 a second" in rig.banner
    await until(lambda: "step 82 of 82, paused" in rig.banner)
    rig.press(" ")
    assert "step 0 of 82, playing" in rig.banner
    rig.press(" ", "-")
    assert "step 0 of 82, paused" in rig.banner
    rig.stage.end()


async def test_any_move_ends_the_playing() -> None:
    rig = Rig()
    rig.press(" ", "right")
    assert "step 1 of 82, paused" in rig.banner
    rig.press(" ", "down")
    assert "paused" in rig.banner
    rig.stage.end()


def test_keys_of_live_play_do_nothing_here() -> None:
    rig = Rig()
    before = rig.lines()
    for key in ("s", "1", "6", "x"):
        assert not rig.stage.press(key)
    rig.stage.click(1)
    assert rig.lines() == before
    assert rig.stage.complete("/re") == []


def test_pages_close_and_then_the_replay_does() -> None:
    rig = Rig().press("?")
    for keys, name, _ in KEYS:
        assert rig.shows(name)
        assert set(keys) <= {*ACTING, "up", "down"}
    rig.stage.escape()
    assert not rig.shows("The next turn")
    assert rig.closed == 0
    rig.press("?", "q")
    assert rig.closed == 0
    rig.press("q")
    assert rig.closed == 1
    rig.stage.leave(130)
    assert rig.left == [130]


def test_the_log_can_be_scrolled() -> None:
    rig = Rig().press("end")
    rig.stage.scroll(1)
    assert rig.shows("below: PageDown")
    rig.stage.escape()
    assert not rig.shows("below: PageDown")
    assert rig.closed == 0


async def test_a_review_shows_how_far_it_is_and_stands_with_each_step() -> None:
    rig = Rig(work=review)
    rig.press("r")
    assert "Reviewing: 0 %, r gives it up" in rig.banner
    await until(lambda: rig.shows("Reviewed: each step has its note"))
    rig.press("n", "n", "n")
    assert rig.shows("  Ann 51.0 % -> 52.0 %")
    rig.press("r")
    assert rig.shows("The costliest decisions")
    rig.stage.scroll(-1)
    assert rig.shows("line 25")
    assert not rig.shows("The costliest decisions")
    rig.press("r")
    assert rig.shows("Ann 51.0 % -> 52.0 %")
    rig.stage.submit("review")
    assert rig.shows("The costliest decisions")


async def test_the_summary_comes_when_a_reviewed_game_has_been_played_to_its_end() -> None:
    rig = Rig(work=review, at=STORY.last - 2)
    rig.press("r")
    await until(lambda: rig.shows("Reviewed"))
    rig.press("+", "+", "+", "+", " ")
    await until(lambda: rig.shows("The costliest decisions"))


async def test_a_review_is_given_up_by_the_same_key() -> None:
    started = asyncio.Event()
    loop = asyncio.get_running_loop()
    steps = iter(range(1, 10**9))

    def endless(progress):
        loop.call_soon_threadsafe(started.set)
        for done in steps:
            progress(done % 90 + 1, 100)

    rig = Rig(work=endless)
    rig.press("r")
    await asyncio.wait_for(started.wait(), 60)
    rig.press("r")
    assert rig.shows("The review is given up")
    assert "Reviewing" not in rig.banner


async def test_a_review_that_fails_or_cannot_be_is_a_line() -> None:
    def fails(progress):
        raise ClientError("there is no network for it")

    rig = Rig(work=fails)
    rig.press("r")
    await until(lambda: rig.shows("there is no network for it"))
    assert Rig().press("r").shows(NO_REVIEW)


@pytest.mark.parametrize("width", [120, 80, 60])
def test_what_goes_on_at_the_table_is_announced(width) -> None:
    rig = Rig(live=lambda: (">>> YOUR TURN at the table: Esc returns <<<", True))
    picture = rig.stage.picture(width, 24 if width < 120 else 40)
    assert text_of(picture[-2]).startswith(">>> YOUR TURN at the table: Esc returns <<<")
    assert picture[-2][0].role == "turn"
