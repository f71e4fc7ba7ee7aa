"""The secret that stays on this machine, the tokens made of it, and the name."""

import os
import stat
import sys
from pathlib import Path

import pytest

from cantstop_client import identity
from cantstop_client.errors import ClientError
from cantstop_client.identity import Identity, choose_name, load_identity, remember_name
from cantstop_client.paths import data_directory as data_directory_path


def test_the_identity_is_made_once_and_kept(data_directory: Path) -> None:
    first = load_identity(data_directory_path())
    assert load_identity(data_directory) == first
    assert len(first.secret) == 32


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_nobody_else_may_read_it(data_directory: Path) -> None:
    load_identity(data_directory)
    assert stat.S_IMODE((data_directory / "identity").stat().st_mode) == 0o600
    assert stat.S_IMODE(data_directory.stat().st_mode) == 0o700


def test_nothing_half_written_is_left_beside_it(data_directory: Path) -> None:
    load_identity(data_directory)
    remember_name("Ann", data_directory)
    assert sorted(path.name for path in data_directory.iterdir()) == ["identity", "name"]


def test_who_is_slower_takes_the_identity_of_who_was_faster(
    data_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    winner = "ab" * 32

    def link_too_late(source: Path, target: Path) -> None:
        target.write_text(winner + "\n")
        raise FileExistsError

    monkeypatch.setattr(os, "link", link_too_late)
    assert load_identity(data_directory) == Identity(bytes.fromhex(winner))


def test_a_file_system_without_links_will_do(
    data_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(source: Path, target: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", no_links)
    assert load_identity(data_directory) == load_identity(data_directory)


def test_each_server_gets_a_token_of_its_own() -> None:
    one = Identity(b"x" * 32)
    assert one.token("a") != one.token("b")
    assert one.token("a") == Identity(b"x" * 32).token("a")
    assert one.token("a") != Identity(b"y" * 32).token("a")
    assert len(one.token("a")) == 64


def test_the_secret_is_in_no_representation() -> None:
    assert "78" not in repr(Identity(b"x" * 32))


@pytest.mark.parametrize("content", ["", "nonsense", "ab" * 31, "AB" * 32, "\u00e9" * 64])
def test_a_damaged_identity_is_named_and_left_alone(data_directory: Path, content: str) -> None:
    data_directory.mkdir()
    path = data_directory / "identity"
    path.write_text(content, "utf-8")
    with pytest.raises(ClientError, match="does not hold an identity"):
        load_identity(data_directory)
    assert path.read_text("utf-8") == content


def test_a_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ClientError, match="CANTSTOP_DATA_DIR"):
        load_identity(tmp_path / "file" / "data")


def test_the_name_comes_from_the_nearest_wish(
    data_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity.getpass, "getuser", lambda: "system")
    assert choose_name(None, data_directory, {}) == "system"
    load_identity(data_directory)
    remember_name("Last", data_directory)
    assert choose_name(None, data_directory, {}) == "Last"
    assert choose_name(None, data_directory, {"CANTSTOP_NAME": "Env"}) == "Env"
    assert choose_name(" Said ", data_directory, {"CANTSTOP_NAME": "Env"}) == "Said"


@pytest.mark.parametrize("found", ["", "x" * 40, "a\x1bb"])
def test_a_system_name_that_cannot_be_used_is_passed_over(
    data_directory: Path, monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    monkeypatch.setattr(identity.getpass, "getuser", lambda: found)
    assert choose_name(None, data_directory, {}) == "Player"


def test_no_system_name_at_all_is_no_error(
    data_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr(identity.getpass, "getuser", nobody)
    assert choose_name(None, data_directory, {}) == "Player"


@pytest.mark.parametrize("wish", ["", "x" * 21, "a\u202eb"])
def test_a_name_that_was_asked_for_and_cannot_be_is_an_error(
    data_directory: Path, wish: str
) -> None:
    with pytest.raises(ClientError, match="--name"):
        choose_name(wish, data_directory, {})


def test_a_bad_name_of_the_environment_is_blamed_on_it(data_directory: Path) -> None:
    with pytest.raises(ClientError, match="CANTSTOP_NAME"):
        choose_name(None, data_directory, {"CANTSTOP_NAME": "/x"})
