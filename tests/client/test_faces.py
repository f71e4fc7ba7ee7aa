"""Which face there is, and what it costs."""

import subprocess
import sys
from pathlib import Path

import pytest

from cantstop_client import app, cli, faces
from cantstop_client.faces import FaceOptions, make_face, wants_full_screen
from cantstop_client.fullscreen.face import FullScreenFace
from cantstop_client.jsonl import JsonFace
from cantstop_client.plain import PlainFace
from cantstop_client.settings import KEYS


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


def test_programs_get_json_lines_wherever_they_run(monkeypatch, data_directory: Path) -> None:
    monkeypatch.setattr(faces, "is_terminal", lambda stream: True)
    assert isinstance(make_face(FaceOptions()), FullScreenFace)
    assert isinstance(make_face(FaceOptions(json=True)), JsonFace)


def test_keys_of_ones_own_reach_the_full_screen(monkeypatch, data_directory: Path) -> None:
    monkeypatch.setattr(faces, "is_terminal", lambda stream: True)
    face = make_face(FaceOptions(keys=KEYS | {"roll": "w"}))
    assert isinstance(face, FullScreenFace)
    assert face.acting_keys()[:3] == ("w", "s", "?")


@pytest.mark.parametrize(
    ("arguments", "palette", "bell"),
    [
        ([], "light", "off"),
        (["--palette", "dark"], "dark", "off"),
        (["--bell", "mention"], "light", "mention"),
    ],
)
def test_the_settings_are_the_defaults_of_the_face(
    monkeypatch, data_directory: Path, tmp_path: Path, arguments, palette, bell
) -> None:
    given: list[FaceOptions] = []

    async def play(options: app.PlayOptions) -> int:
        given.append(options.face)
        return 0

    monkeypatch.setattr(app, "play", play)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        'palette = "light"\nbell = "off"\n[keys]\nroll = "w"\n', "utf-8"
    )
    assert cli.run(["play", "--mouse", *arguments]) == 0
    keys = KEYS | {"roll": "w"}
    assert given == [FaceOptions(palette=palette, bell=bell, keys=keys, mouse=True)]


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
