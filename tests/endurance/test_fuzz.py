"""Any frames at all, from many connections, beside games in progress."""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from census import back_to, census, resident
from chronicle import check_archive
from crowd import Crowd
from longrun import length, seeded
from noise import broken_stream, noise
from patience import until
from websockets.exceptions import ConnectionClosed
from wire import WireClient, connected, serving

from cantstop_protocol import commands, messages
from cantstop_protocol.codec import Malformed, decode_command
from cantstop_protocol.codes import ByeCode, ErrorCode
from cantstop_protocol.table import GameOptions
from cantstop_server.config import Limits

CORPUS = Path(__file__).parents[1] / "data" / "corpus" / "frames.txt"
"""Frames that once were a fault, or that somebody might make one of."""

FUZZERS = 8
BATCH = 40
TABLES = ((2, 1), (2, 0), (1, 1), (3, 0))
SHORT_GRACES = {"seat_grace": 0.2, "room_grace": 0.2, "game_grace": 0.2}
PATIENT = Limits(
    command_rate=1e6,
    command_burst=1_000_000,
    chat_rate=1e6,
    chat_burst=1_000_000,
    refusal_rate=1e6,
    refusal_burst=1_000_000,
    connections_per_address=500,
    **SHORT_GRACES,
)
MEGABYTES = 24
"""How much more memory may be taken in the end than after the first tenth."""

ANSWERS = (
    messages.Ok,
    messages.Error,
    messages.Entered,
    messages.GameRecord,
    messages.Games,
    messages.Rooms,
    messages.Stats,
    messages.Leaders,
    messages.Welcome,
)


class Fuzzer:
    """One after the other, connections that send noise and count the answers."""

    def __init__(self, number: int, port: int, codes: Sequence[str], random: Random) -> None:
        self.sent = 0
        self.answers: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self._number = number
        self._port = port
        self._codes = codes
        self._random = random

    async def run(self, frames: int) -> None:
        while self.sent < frames:
            try:
                async with connected(self._port) as client:
                    await self._take_place(client)
                    for _ in range(self._random.randint(1, 12)):
                        await self._batch(client, min(BATCH, frames - self.sent))
                    if self._random.random() < 0.3:
                        client.websocket.transport.write(broken_stream(self._random))
                        self.ends["broken stream"] += 1
                    if self._random.random() < 0.5:
                        await client.drop()
            except ConnectionClosed as closed:
                self.ends[str(closed.rcvd and closed.rcvd.reason)] += 1

    async def _take_place(self, client: WireClient) -> None:
        """A stranger, somebody in no room, a spectator of others' games, or one with a room."""
        role = self._random.choice(("stranger", "nowhere", "spectator", "creator"))
        if role == "stranger":
            return
        name = f"Fuzz {self._number}-{self._random.randrange(4)}"
        await client.hello(name)
        if role == "spectator":
            await client.join(self._random.choice(self._codes), role="spectator")
        elif role == "creator":
            options = GameOptions(seats=2, target=1)
            await client.do(commands.Create, options=options)
            await client.do(commands.AddBot, kind="random")

    async def _batch(self, client: WireClient, size: int) -> None:
        batch = [noise(self._random, self._codes) for _ in range(size)]
        try:
            for frame in batch:
                self.sent += 1
                await client.websocket.send(frame)
            left = size
            while left:
                message = await client.receive()
                if isinstance(message, ANSWERS):
                    left -= 1
                    code = message.code if isinstance(message, messages.Error) else None
                    self.answers[code or type(message).__name__] += 1
                    assert code is not ErrorCode.INTERNAL, message
                elif isinstance(message, messages.Bye):
                    assert message.code is ByeCode.REPLACED, message
        except (AssertionError, TimeoutError):
            print("one of these, see tests/data/corpus:")
            for frame in batch:
                print(frame.encode().hex() if isinstance(frame, str) else frame.hex())
            raise


async def test_noise_gets_answers_and_disturbs_no_game(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    frames = length(3_000, 100_000)
    random = seeded()
    database = tmp_path / "games.db"
    caplog.set_level(logging.WARNING)
    done = asyncio.Event()
    async with serving(database, limits=PATIENT) as server:
        before = census(server)
        crowd = Crowd(server.port, random, more=lambda: not done.is_set())
        playing = asyncio.create_task(crowd.play(TABLES))
        await until(lambda: len(crowd.codes) == len(TABLES))
        fuzzers = [Fuzzer(n, server.port, crowd.codes, random) for n in range(FUZZERS)]
        memory = []
        for part in (0.1, 1.0):
            runs = (fuzzer.run(round(frames * part / FUZZERS)) for fuzzer in fuzzers)
            await asyncio.gather(*runs)
            memory.append(resident())
        done.set()
        await playing
        await crowd.close()
        after = await back_to(server, before)
    answers: Counter[str] = sum((fuzzer.answers for fuzzer in fuzzers), Counter())
    ends: Counter[str] = sum((fuzzer.ends for fuzzer in fuzzers), Counter())
    sent = sum(fuzzer.sent for fuzzer in fuzzers)
    games = len(crowd.chronicle.ended)
    print(f"{sent} frames beside {games} games, {memory[0]:.0f} MB, then {memory[1]:.0f} MB")
    print(dict(answers), dict(ends))
    assert after == before
    assert sent >= frames
    assert answers["Ok"] > frames / 500, "some of it made sense"
    assert crowd.lost == 0
    assert memory[1] < memory[0] + MEGABYTES
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    await check_archive(database, crowd.chronicle, alone=False)


async def test_noise_beyond_the_limits_is_sent_away(tmp_path: Path) -> None:
    random = seeded()
    limits = Limits(refusal_rate=0.0, refusal_burst=30)
    async with serving(tmp_path / "games.db", limits=limits) as server:
        before = census(server)
        async with connected(server.port, "Fuzz") as client:
            for _ in range(200):
                await client.websocket.send(noise(random, ["BADOK"]))
            while not isinstance(message := await client.receive(), messages.Bye):
                pass
            assert message.code in (ByeCode.FLOOD, ByeCode.REPLACED)
        assert await back_to(server, before) == before


def corpus() -> list[tuple[str, bytes]]:
    """The frames by name. In the file ``91*1023+c0`` is 1,023 bytes of 0x91 and one of 0xc0."""
    lines = CORPUS.read_text("ascii").splitlines()
    pairs = (line.rsplit(": ", 1) for line in lines if line and not line.startswith("#"))
    return [(name, b"".join(map(_run, frame.split("+")))) for name, frame in pairs]


def _run(text: str) -> bytes:
    unit, _, times = text.partition("*")
    return bytes.fromhex(unit) * int(times or 1)


@pytest.mark.parametrize(("name", "frame"), corpus())
def test_a_frame_of_the_corpus_is_a_command_or_malformed(name: str, frame: bytes) -> None:
    with suppress(Malformed):
        assert isinstance(decode_command(frame), commands.Command)


async def test_every_frame_of_the_corpus_gets_one_answer_in_every_place(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(tmp_path / "games.db", limits=PATIENT) as server:
        for place in ("stranger", "nowhere", "seated"):
            for number, (name, frame) in enumerate(corpus()):
                async with connected(server.port) as client:
                    if place != "stranger":
                        await client.hello(f"{place} {number}")
                    if place == "seated":
                        await client.create(seats=1)
                        await client.expect_ok(commands.Start(id=client.next_id()))
                    await client.websocket.send(frame)
                    while not isinstance(answer := await client.receive(), ANSWERS):
                        pass
                    code = getattr(answer, "code", None)
                    assert code is not ErrorCode.INTERNAL, name
                    rooms = await client.do(commands.ListRooms)
                    assert isinstance(rooms, messages.Rooms | messages.Error), name
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
