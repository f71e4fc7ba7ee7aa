"""Standard output as the last gate, and what it is taken to be able to show."""

import io

import pytest

from cantstop_client.errors import OutputClosed
from cantstop_client.glyphs import ASCII, UNICODE
from cantstop_client.output import Output, choose_glyphs, standard_output
from cantstop_client.retry import FAILURES
from cantstop_protocol.text import cells


@pytest.mark.parametrize(
    ("encoding", "environment", "glyphs"),
    [
        ("utf-8", {}, UNICODE),
        ("UTF8", {"LANG": "de_DE.UTF-8"}, UNICODE),
        ("utf-8", {"LC_CTYPE": "C.UTF-8"}, UNICODE),
        ("utf-8", {"LC_ALL": "C"}, ASCII),
        ("utf-8", {"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, ASCII),
        ("utf-8", {"LANG": "POSIX"}, ASCII),
        ("utf-8", {"LC_ALL": "de_DE.UTF-8", "LANG": "C"}, UNICODE),
        ("ascii", {}, ASCII),
        ("latin-1", {}, ASCII),
        ("cp1252", {}, ASCII),
        (None, {}, ASCII),
    ],
)
def test_what_the_output_can_show(encoding, environment, glyphs) -> None:
    assert choose_glyphs(encoding, environment) is glyphs


def test_whatever_is_written_passes_the_gate() -> None:
    stream = io.StringIO()
    Output(stream, UNICODE).lines(["a\x1b[31mb", " 7 |.  .|", "two\nlines"])
    assert stream.getvalue() == "a[31mb\n 7 |.  .|\ntwo lines\n"


def test_long_lines_are_broken_between_words_if_asked_for() -> None:
    long = "Ben: " + "word " * 8 + "\u5b57" * 4
    wrapping, plain = io.StringIO(), io.StringIO()
    Output(wrapping, UNICODE, 20, wrap=True).lines(["short", long])
    Output(plain, UNICODE, 20).lines(["short", long])
    assert plain.getvalue() == f"short\n{long}\n"
    lines = wrapping.getvalue().splitlines()
    assert lines[:3] == ["short", "Ben: word word word", "  word word word"]
    assert max(map(cells, lines)) <= 20
    assert " ".join(" ".join(lines[1:]).split()) == long


def test_what_reads_a_pipe_gets_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("COLUMNS", "20")
    standard_output(wrap=True).line("word " * 9)
    assert stream.getvalue().count("\n") == 1


def test_nobody_reading_is_not_taken_for_trouble_with_the_connection() -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with pytest.raises(OutputClosed) as caught:
        Output(Closed(), UNICODE).line("x")
    assert not isinstance(caught.value, OSError)


@pytest.mark.parametrize("error", [OSError(28, "no space"), ValueError("closed")], ids=repr)
def test_an_output_that_takes_no_more_is_no_fault_of_ours(error: Exception) -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise error

    with pytest.raises(OutputClosed) as caught:
        Output(Full(), UNICODE).line("x")
    assert not isinstance(caught.value, FAILURES)
