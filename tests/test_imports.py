"""The arrows between the packages: who may import whom, read from the source of every file."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {
    name: ROOT / outer / name
    for outer, name in (
        ("protocol", "cantstop_protocol"),
        ("server", "cantstop_server"),
        ("client", "cantstop_client"),
        ("migrations", "cantstop_migrations"),
    )
}
OUTER_FOLDERS = {"protocol", "server", "client", "migrations"}
THE_PLACE_THAT_LOADS_THE_SERVER = PACKAGES["cantstop_client"] / "local.py"


def imported(path: Path) -> Iterator[str]:
    """The full dotted name of everything a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def files(*packages: str) -> list[Path]:
    return [path for package in packages for path in sorted(PACKAGES[package].rglob("*.py"))]


def within(name: str, *packages: str) -> bool:
    """Whether an imported name is one of these packages or lies in one of them."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def offenders(paths: list[Path], *forbidden: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in paths
        for name in imported(path)
        if within(name, *forbidden)
    ]


def test_every_package_is_looked_at() -> None:
    assert all(files(package) for package in ("cantstop_protocol", "cantstop_server"))


def test_the_rules_import_only_the_standard_library() -> None:
    rules = PACKAGES["cantstop_server"] / "rules"
    for path in rules.rglob("*.py"):
        for name in imported(path):
            standard = name.partition(".")[0] in sys.stdlib_module_names
            assert standard or within(name, "cantstop_server.rules"), f"{path.name} imports {name}"


def test_the_rules_read_no_clock_no_chance_and_no_file() -> None:
    rules = sorted((PACKAGES["cantstop_server"] / "rules").rglob("*.py"))
    forbidden = ("random", "secrets", "time", "datetime", "os", "pathlib", "io", "asyncio")
    assert offenders(rules, *forbidden) == []


def test_players_import_nothing_of_the_server_but_the_rules() -> None:
    for path in (PACKAGES["cantstop_server"] / "players").rglob("*.py"):
        for name in imported(path):
            ours = name.startswith("cantstop_")
            allowed = within(name, "cantstop_server.rules", "cantstop_server.players")
            assert not ours or allowed, f"{path.name} imports {name}"


def test_the_protocol_imports_nothing_of_ours() -> None:
    ours = set(PACKAGES) - {"cantstop_protocol"}
    assert offenders(files("cantstop_protocol"), *ours) == []


def test_the_server_never_imports_the_client() -> None:
    assert offenders(files("cantstop_server"), "cantstop_client") == []


def test_the_client_imports_the_server_in_one_place_alone() -> None:
    elsewhere = [
        path for path in files("cantstop_client") if path != THE_PLACE_THAT_LOADS_THE_SERVER
    ]
    assert offenders(elsewhere, "cantstop_server", "cantstop_migrations") == []


def test_one_module_alone_knows_the_terminal_library() -> None:
    everywhere = files(*PACKAGES)
    knowing = {
        path.relative_to(ROOT).as_posix()
        for path in everywhere
        if any(within(name, "prompt_toolkit") for name in imported(path))
    }
    assert knowing == {"client/cantstop_client/fullscreen/toolkit.py"}


def test_the_migrations_import_neither_client_nor_protocol() -> None:
    assert offenders(files("cantstop_migrations"), "cantstop_client", "cantstop_protocol") == []


@pytest.mark.parametrize("folder", [*PACKAGES.values(), ROOT / "tests"], ids=lambda path: path.name)
def test_nothing_is_imported_by_its_outer_path(folder: Path) -> None:
    assert offenders(sorted(folder.rglob("*.py")), *OUTER_FOLDERS) == []


def test_the_outer_folders_are_no_packages() -> None:
    assert [name for name in OUTER_FOLDERS if (ROOT / name / "__init__.py").exists()] == []


def test_one_module_alone_knows_the_terminals_library() -> None:
    client = PACKAGES["cantstop_client"]
    knowing = [path for path in files(*PACKAGES) if offenders([path], "prompt_toolkit")]
    assert knowing == [client / "fullscreen" / "toolkit.py"]
