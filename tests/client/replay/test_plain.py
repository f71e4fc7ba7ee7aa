"""A replay line by line."""

import asyncio
import io
import re
import threading

import pytest
from stories import example_story

from cantstop_client.errors import ClientError, OutputClosed
from cantstop_client.glyphs import ASCII
from cantstop_client.output import Output
from cantstop_client.replay.plain import PlainReplay
from cantstop_client.replay.reviewing import NO_REVIEW
from cantstop_client.replay.telling import notes_of

STORY = example_story()
SECONDS = 60


class Stream(io.StringIO):
    """A text that says when something was added to it."""

    def __init__(self) -> None:
        super().__init__()
        self.grown = asyncio.Event()

    def write(self, text: str) -> int:
        self.grown.set()
        return super().write(text)


class Closing(Stream):
    """Takes text until ``last`` is in it; after that nobody reads it any more."""

    def __init__(self, last: str) -> None:
        super().__init__()
        self._last = last

    def write(self, text: str) -> int:
        if self._last in self.getvalue():
            raise BrokenPipeError
        return super().write(text)


class Told:
    """A replay, and what it has told since one last looked."""

    def __init__(self, work=None, *, waits: bool = False) -> None:
        self._stream = Stream()
        self.replay = PlainReplay(STORY, Output(self._stream, ASCII, 80), work, waits=waits)

    def new(self) -> list[str]:
        text = self._stream.getvalue()
        self._stream.seek(0)
        self._stream.truncate()
        return text.splitlines()

    async def until(self, text: str) -> None:
        """Wait until this has been told."""
        async with asyncio.timeout(SECONDS):
            while not any(text in line for line in self.new()):
                self._stream.grown.clear()
                await self._stream.grown.wait()

    async def says(self, line: str) -> list[str]:
        assert await self.replay.take(line) is False
        return self.new()


def is_board(lines: list[str]) -> bool:
    return any(line.startswith(" 7 |") for line in lines)


@pytest.fixture
def told() -> Told:
    told = Told()
    told.replay.begin()
    return told


async def test_it_begins_with_what_it_is_and_the_board(told) -> None:
    lines = told.new()
    assert lines[0].startswith("Game k3f9abcdef, 2026-06-11 14:00 UTC: Ann, keller, Cleo;")
    assert "the game begins" in lines[1]
    assert lines[2] == "Turn 1 of 16: Ann is to roll"
    assert is_board(lines)


async def test_a_step_is_a_line_and_the_board_if_it_has_changed(told) -> None:
    told.new()
    rolled = await told.says("n")
    assert rolled[0] == "Ann rolls 1 2 3 2"
    assert not is_board(rolled)
    taken = await told.says("")
    assert taken[0] == "Ann takes 3 + 5: 3 at 1 of 5 and 5 at 1 of 9"
    assert is_board(taken)
    back = await told.says("b")
    assert back[0].startswith("Turn 1 of 16, step 1 of ")
    assert back[1] == "Ann rolls 1 2 3 2"
    assert is_board(back)


async def test_far_turns_are_jumped_to_and_near_ones_told(told) -> None:
    told.new()
    near = await told.says("3")
    assert [line for line in near if "stops" in line] == [
        "Ann stops and keeps 3 at 1 of 5 and 5 at 1 of 9",
        "keller stops and keeps 5 at 1 of 9 and 8 at 1 of 11",
    ]
    assert near.count("Turn 3 of 16: Cleo is to roll") == 1
    far = await told.says("14")
    assert far[0].startswith("Turn 14 of 16, step")
    assert sum("stops" in line for line in far) == 1


async def test_all_and_play_tell_the_rest_where_nobody_waits() -> None:
    for line in ("all", "play", "play 0.25"):
        told = Told()
        told.replay.begin()
        lines = await told.says(line)
        assert is_board(lines[-15:])
        assert any(line.startswith("Cleo wins the game after 16 turns") for line in lines)
        assert "Columns claimed: Ann 0, keller 0, Cleo 1" in lines
        assert await told.says("n") == ["This is the end"]


async def test_playing_goes_on_by_itself_until_a_line_comes() -> None:
    told = Told(waits=True)
    told.replay.begin()
    await told.says("speed 16")
    await told.says("play")
    await told.until("Cleo rolls 5 2 6 6")
    (paused,) = await told.says("p")
    found = re.fullmatch(r"Turn 3 of 16, step (\d+) of 82: paused", paused)
    assert found
    back = await told.says("b")
    assert back[0] == f"Turn 3 of 16, step {int(found[1]) - 1} of 82:"
    told.replay.close()


async def test_the_board_in_words_and_the_orders(told) -> None:
    told.new()
    assert "Nobody in columns 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12" in await told.says("board")
    assert any("Go on a step" in line for line in await told.says("help"))
    assert await told.says("dance") == [
        "'dance' is nothing that can be done here: help lists what is"
    ]
    assert await told.says("review") == [NO_REVIEW]
    assert await told.says("b") == ["This is the beginning"]
    assert await told.replay.take("q") is True


def review(progress):
    """A review that is quickly done."""
    for done in range(1, 101):
        progress(done, 100)
    count = len(STORY.steps) - 2
    return notes_of([f"note {number}" for number in range(1, count + 1)], ["the whole"])


async def test_a_review_is_waited_for_where_nobody_looks_on_and_then_stands_with_each_step() -> (
    None
):
    told = Told(review)
    told.replay.begin()
    lines = await told.says("review")
    assert [line for line in lines if line.startswith("Reviewing: ") and "%" in line] == [
        "Reviewing: 25 %",
        "Reviewing: 50 %",
        "Reviewing: 75 %",
        "Reviewing: 100 %",
    ]
    assert lines[-2:] == ["the whole", "Each step has a note from the review now"]
    assert (await told.says("n"))[:2] == ["Ann rolls 1 2 3 2", "  note 1"]
    assert await told.says("review") == ["the whole"]


async def test_a_review_that_fails_says_so() -> None:
    def fails(progress):
        raise ClientError("it cannot be reviewed")

    told = Told(fails)
    told.replay.begin()
    assert (await told.says("review"))[-1] == "it cannot be reviewed"


@pytest.mark.parametrize(
    ("line", "last"), [("review", "Reviewing: 50 %"), ("play", "Cleo rolls 5 2 6 6")]
)
@pytest.mark.parametrize("waits", [False, True])
async def test_who_stops_reading_ends_a_review_and_playing(line, last, waits) -> None:
    closed: asyncio.Queue[OutputClosed] = asyncio.Queue()
    output = Output(Closing(last), ASCII, 80)
    replay = PlainReplay(STORY, output, review, waits=waits, closed=closed.put_nowait)
    replay.begin()
    await replay.take("speed 16")
    async with asyncio.timeout(SECONDS):
        try:
            await replay.take(line)
            await closed.get()
        except OutputClosed:
            assert (line, waits) == ("play", False)
    assert closed.empty()


async def test_a_review_can_be_given_up() -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def slow(progress):
        begun.set()
        go_on.wait(60)
        try:
            for done in range(1, 101):
                progress(done, 100)
        finally:
            ended.set()

    told = Told(slow, waits=True)
    told.replay.begin()
    await told.says("review")
    await asyncio.to_thread(begun.wait, 60)
    assert await told.says("review") == ["The review is given up"]
    go_on.set()
    await asyncio.to_thread(ended.wait, 60)
    assert await told.says("n") == ["Ann rolls 1 2 3 2"]
