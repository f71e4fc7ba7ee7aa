"""Lines from whatever standard input is."""

import asyncio
import io
import os

import pytest

from cantstop_client.lines import LONGEST_LINE, Line, LineSource, split_lines
from cantstop_client.streams import is_terminal


class Chunks:
    """A raw stream that gives one chunk for each read, and then its end."""

    def __init__(self, *chunks: bytes) -> None:
        self.chunks = list(chunks)

    def read(self, size: int) -> bytes:
        return self.chunks.pop(0) if self.chunks else b""

    def fileno(self) -> int:
        raise OSError


def texts(*chunks: bytes, encoding: str = "utf-8") -> list[str]:
    return [line.text for line in split_lines(Chunks(*chunks), encoding)]


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([], []),
        ([b"r\n1\n"], ["r", "1"]),
        ([b"r\r\n1\r", b"\ns"], ["r", "1", "s"]),
        ([b"he", b"ll", b"o\n"], ["hello"]),
        ([b"no end"], ["no end"]),
        ([b"\n\n"], ["", ""]),
        ([b"caf\xc3", b"\xa9\n"], ["caf\u00e9"]),
        ([b"\xff\xfe\n"], ["\ufffd\ufffd"]),
    ],
)
def test_lines_are_split_wherever_the_reads_end(chunks, lines) -> None:
    assert texts(*chunks) == lines


def test_a_line_without_an_end_is_cut() -> None:
    lines = texts(*[b"x" * 4096] * 9)
    assert max(map(len, lines)) <= LONGEST_LINE + 4096
    assert sum(map(len, lines)) == 9 * 4096


def test_a_stream_that_breaks_has_ended() -> None:
    class Broken(Chunks):
        def read(self, size: int) -> bytes:
            raise OSError(5, "Input/output error")

    assert list(split_lines(Broken(), "utf-8")) == []


def test_lines_that_were_waiting_together_share_a_block() -> None:
    reader, writer = os.pipe()
    with open(reader, "rb", buffering=0) as raw, open(writer, "wb", buffering=0) as end:
        end.write(b"r\n1\n")
        lines = split_lines(raw, "utf-8")
        first, second = next(lines), next(lines)
        assert first.block == second.block
        end.write(b"s\n")
        end.close()
        third = next(lines)
        assert third.text == "s"


@pytest.mark.parametrize("content", ["", "r\n1\n"])
async def test_the_loop_gets_each_line_and_the_end_once(content: str, tmp_path) -> None:
    path = tmp_path / "input"
    path.write_text(content)
    got: asyncio.Queue[Line | None] = asyncio.Queue()
    with path.open() as stream:
        source = LineSource(stream, got.put_nowait)
        source.start()
        lines = []
        while (line := await asyncio.wait_for(got.get(), 20)) is not None:
            lines.append(line.text)
            source.taken()
    assert lines == content.split()


@pytest.mark.parametrize("stream", [None, io.StringIO("")])
async def test_no_input_at_all_ends_at_once(stream) -> None:
    got: asyncio.Queue[Line | None] = asyncio.Queue()
    LineSource(stream, got.put_nowait).start()
    assert await asyncio.wait_for(got.get(), 20) is None


async def test_an_endless_input_waits_for_room() -> None:
    class Endless(io.StringIO):
        given = 0
        stopped = False

        def __iter__(self):
            return self

        def __next__(self) -> str:
            if self.stopped:
                raise StopIteration
            self.given += 1
            return "r\n"

    stream = Endless()
    delivered = asyncio.Event()
    count = 0

    def deliver(line: Line | None) -> None:
        nonlocal count
        count += 1
        if count >= 64:
            delivered.set()

    source = LineSource(stream, deliver)
    source.start()
    await asyncio.wait_for(delivered.wait(), 20)
    assert count == 64
    assert stream.given <= 65
    stream.stopped = True
    source.taken()


def test_what_is_a_terminal() -> None:
    closed = io.StringIO()
    closed.close()
    assert not is_terminal(None)
    assert not is_terminal(closed)
    assert not is_terminal(io.StringIO())
