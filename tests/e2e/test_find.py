"""Tables that find each other: two servers on two loopback addresses, and multicast between."""

import json
from pathlib import Path

from program import Host, exit_code, hosting, run, terminal

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
        tables = found(ann)
        assert tables[names[0]] == [f"{ONE}:{one.port}"]
        assert tables[names[1]] == [f"{TWO}:{two.port}"]

        # Where nobody can be asked, they are listed.
        anywhere = {"CANTSTOP_MDNS_INTERFACES": BOTH, "CANTSTOP_PORT": NOBODY_HERE}
        several = run(ann, "join", **anywhere)
        assert several.returncode == 1
        assert several.stderr.count("\n") == 1
        assert f"cantstop join --server {TWO}:{two.port}" in several.stderr

        with terminal(ann, "join", "--name", "Ann", **anywhere) as screen:
            screen.expect(rf"(\d+)\) {names[1]}")
            number = screen.match[1]
            screen.expect("Number, ")
            screen.sendline(number)
            screen.expect(f"Connected to {names[1]} at {TWO}:{two.port}")
            screen.expect("/create opens a room")
            screen.sendline("/quit")
            assert exit_code(screen) == 0

        assert one.end()[0] == 0
        assert names[0] not in found(ann)

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
        assert f"Not announced on the network: {words}" in out or words in out
