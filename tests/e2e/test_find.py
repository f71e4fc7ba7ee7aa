"""Tables that find each other: two servers on two loopback addresses, and multicast between."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pexpect
from program import Host, exit_code, hosting, run, terminal

T = TypeVar("T")

ONE, TWO = "127.0.0.1", "127.0.0.2"
BOTH = f"{ONE},{TWO}"
NOBODY_HERE = "1"
"""A port at which nobody hosts, whoever else does on this machine just now."""


def home_of(directory: Path, name: str) -> Path:
    home = directory / name
    home.mkdir()
    return home


def announced(host: Host) -> None:
    """Wait until the host says that it can be found."""
    assert host.process.stdout is not None
    for line in host.process.stdout:
        if line.startswith("Announced"):
            assert line == "Announced on the network: cantstop find lists it\n"
            return
    raise AssertionError("the host has ended")


def found(home: Path) -> dict[str, list[str]]:
    listed = run(home, "find", "--seconds", "3", "--json", CANTSTOP_MDNS_INTERFACES=BOTH)
    assert (listed.returncode, listed.stderr) == (0, "")
    tables = json.loads(listed.stdout)
    assert all(table["protocol"].startswith("cantstop.") for table in tables)
    return {table["name"]: table["addresses"] for table in tables}


def attempt(act: Callable[[], T], good: Callable[[T], bool]) -> T:
    """Act until it is good, a few times at most: on a machine that is busy enough, three seconds
    can pass without anybody's turn."""
    for _ in range(4):
        if good(result := act()):
            return result
    return act()


def asked_and_joined(home: Path, name: str, host: Host, more: dict[str, str]) -> bool:
    """Join the table of this name when asked which; False if there was no question."""
    with terminal(home, "join", "--name", "Ann", **more) as screen:
        if screen.expect([rf"(\d+)\) {name}", "Connected to", pexpect.EOF]):
            return False
        number = screen.match[1]
        screen.expect("Number, ")
        screen.sendline(number)
        screen.expect(f"Connected to {name} at {TWO}:{host.port}")
        screen.expect("/create opens a room")
        screen.sendline("/quit")
        return exit_code(screen) == 0


def test_two_servers_on_two_interfaces_are_found_and_joined(tmp_path: Path) -> None:
    one_home, two_home, own_home, ann = (
        home_of(tmp_path, name) for name in ("one", "two", "own", "ann")
    )
    # Names that no other test on this machine uses at the same time.
    names = [f"{tmp_path.name[-16:]} {number}" for number in ("1", "2")]
    with (
        hosting(
            *(one_home, "--bind", ONE, "--name", names[0]), CANTSTOP_MDNS_INTERFACES=ONE
        ) as one,
        hosting(
            *(two_home, "--bind", TWO, "--name", names[1]), CANTSTOP_MDNS_INTERFACES=TWO
        ) as two,
        hosting(own_home) as own,
    ):
        announced(one)
        announced(two)
        tables = attempt(lambda: found(ann), lambda tables: {*names} <= {*tables})
        assert tables[names[0]] == [f"{ONE}:{one.port}"]
        assert tables[names[1]] == [f"{TWO}:{two.port}"]

        # Where nobody can be asked, they are listed.
        anywhere = {"CANTSTOP_MDNS_INTERFACES": BOTH, "CANTSTOP_PORT": NOBODY_HERE}
        several = attempt(
            lambda: run(ann, "join", **anywhere),
            lambda ended: all(name in ended.stderr for name in names),
        )
        assert several.returncode == 1
        assert several.stderr.count("\n") == 1
        assert f"cantstop join --server {TWO}:{two.port}" in several.stderr

        assert attempt(lambda: asked_and_joined(ann, names[1], two, anywhere), bool)

        assert one.end()[0] == 0
        assert names[0] not in attempt(
            lambda: found(ann), lambda tables: names[0] not in tables and names[1] in tables
        )

        # This machine goes before the network.
        here = {"CANTSTOP_MDNS_INTERFACES": TWO, "CANTSTOP_PORT": str(own.port)}
        joined = run(ann, "join", "--name", "Ann", **here)
        assert f"at 127.0.0.1:{own.port}" in joined.stdout


def test_a_host_that_is_not_to_be_found_says_so(tmp_path: Path) -> None:
    for arguments, words in (
        (("--no-announce",), "as you wish"),
        ((), "for this machine alone"),
    ):
        with hosting(tmp_path, *arguments) as host:
            code, out, errors = host.end()
        assert (code, errors) == (0, "")
        assert "Not announced on the network" in out
        assert words in out
