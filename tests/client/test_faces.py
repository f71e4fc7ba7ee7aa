"""Which face there is, and what it costs."""

import subprocess
import sys

import pytest

from cantstop_client import faces
from cantstop_client.faces import FaceOptions, make_face, wants_full_screen
from cantstop_client.plain import PlainFace


@pytest.mark.parametrize(
    ("stdin", "stdout", "term", "plain", "full"),
    [
        (True, True, "xterm", False, True),
        (True, True, "", False, True),
        (True, True, "xterm", True, False),
        (True, True, "dumb", False, False),
        (False, True, "xterm", False, False),
        (True, False, "xterm", False, False),
    ],
)
def test_the_full_screen_is_for_terminals(monkeypatch, stdin, stdout, term, plain, full) -> None:
    monkeypatch.setattr(faces, "standard_input", lambda: "stdin")
    monkeypatch.setattr(faces, "is_terminal", lambda stream: stdin if stream == "stdin" else stdout)
    assert wants_full_screen(FaceOptions(plain=plain), {"TERM": term}) is full


def test_without_a_terminal_it_is_plain() -> None:
    assert isinstance(make_face(FaceOptions(plain=True)), PlainFace)


def test_a_plain_face_loads_nothing_of_the_full_screen() -> None:
    program = (
        "import sys\n"
        "from cantstop_client.faces import FaceOptions, make_face\n"
        "make_face(FaceOptions())\n"
        "print(any(name.startswith('prompt_toolkit') or 'fullscreen' in name"
        " for name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert done.stdout == "False\n"
