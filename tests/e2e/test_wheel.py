"""The wheel, installed in an empty environment far from the sources, is the whole product."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("protocol", "server", "client", "migrations")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(target)]
    subprocess.run([*command, str(ROOT)], check=True, timeout=300)
    (built,) = target.glob("cantstop-*.whl")
    return built


def test_the_wheel_holds_the_four_packages_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    info = {top for top in tops if top.endswith(".dist-info")}
    assert tops - info == {f"cantstop_{package}" for package in PACKAGES}
    for package in PACKAGES:
        assert f"cantstop_{package}/py.typed" in names
        sources = {
            path.relative_to(ROOT / package).as_posix()
            for path in (ROOT / package / f"cantstop_{package}").rglob("*.py")
        }
        assert sources <= set(names)


def test_an_installed_wheel_plays_a_game_and_shows_it(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "environment"
    venv.create(home, with_pip=True)
    scripts = home / ("Scripts" if sys.platform == "win32" else "bin")
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment = kept | {"CANTSTOP_DATA_DIR": str(tmp_path / "data")}

    def run(*command: str) -> str:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    constraints = str(ROOT / "constraints.txt")
    run(str(scripts / "python"), "-m", "pip", "install", "-q", "-c", constraints, str(wheel))
    assert " wins the game" in run(str(scripts / "cantstop"), "play", "--auto")
    (game,) = json.loads(run(str(scripts / "cantstop"), "history", "--json"))
    assert game["status"] == "finished"
