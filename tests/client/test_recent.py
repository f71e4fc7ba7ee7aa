"""The servers one was on lately."""

from pathlib import Path

from cantstop_client.address import parse_address
from cantstop_client.recent import MOST, recent_servers, remember_server


def test_the_newest_is_first_and_each_is_there_once(tmp_path: Path) -> None:
    one, two = parse_address("10.0.0.1"), parse_address("wss://den.example/x?y=1")
    directory = tmp_path / "data"
    assert recent_servers(directory) == []
    for address in (one, two, one, one):
        remember_server(address, directory)
    assert recent_servers(directory) == [one, two]
    assert [file.name for file in directory.iterdir()] == ["servers"]


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    addresses = [parse_address(f"10.0.0.{number}") for number in range(1, MOST + 4)]
    for address in addresses:
        remember_server(address, tmp_path)
    assert recent_servers(tmp_path) == addresses[: -MOST - 1 : -1]


def test_a_damaged_list_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "servers").write_bytes(b"\xff \xfe\n10.0.0.1\nws://\n")
    assert recent_servers(tmp_path) == [parse_address("10.0.0.1")]
    (tmp_path / "file").write_text("")
    remember_server(parse_address("10.0.0.1"), tmp_path / "file")
