"""A past game asked for part by part."""

import pytest
from stories import example_story

from cantstop_client.errors import ClientError
from cantstop_client.replay.fetch import fetch_story
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.messages import Error, GameRecord, Ok

STORY = example_story()


class Server:
    """Answers with parts of so many steps; ``odd`` replaces an answer by its number."""

    def __init__(self, part: int = 30, odd=None) -> None:
        self.asked: list[dict] = []
        self._part = part
        self._odd = odd or {}

    async def request(self, kind, /, **fields):
        self.asked.append(fields)
        if len(self.asked) in self._odd:
            return self._odd[len(self.asked)]
        first = fields["first"]
        return GameRecord(
            re=1,
            game=STORY.game,
            started=STORY.started,
            ended=STORY.started,
            turn_ends=(),
            total=len(STORY.steps),
            first=first,
            steps=STORY.steps[first : first + self._part],
        )


async def test_all_parts_are_asked_for_and_put_together() -> None:
    server = Server()
    assert await fetch_story(server, "k3f") == STORY
    assert server.asked == [
        {"game": "k3f", "first": 0},
        {"game": STORY.game, "first": 30},
        {"game": STORY.game, "first": 60},
    ]


async def test_a_server_that_says_too_fast_is_asked_again_a_little_later() -> None:
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    busy = Error(re=1, code=ErrorCode.TOO_FAST, message="wait a second")
    server = Server(odd={2: busy, 3: busy})
    assert await fetch_story(server, "", pause) == STORY
    assert waits == [1.0, 1.0]
    always = Server(odd=dict.fromkeys(range(1, 100), busy))
    with pytest.raises(ClientError, match="try again later"):
        await fetch_story(always, "", pause)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Error(re=1, code=ErrorCode.NO_SUCH_GAME, message="no game has ended"), "no game has"),
        (Ok(re=1), "does not give the game"),
    ],
)
async def test_what_cannot_be_had_is_said(answer, reason: str) -> None:
    with pytest.raises(ClientError, match=f"No replay: .*{reason}"):
        await fetch_story(Server(odd={1: answer}), "")


async def test_a_server_that_stops_half_way_is_no_endless_loop() -> None:
    with pytest.raises(ClientError, match="did not come whole"):
        await fetch_story(Server(part=0), "")
