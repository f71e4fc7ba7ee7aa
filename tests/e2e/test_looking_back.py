"""``cantstop history`` and ``cantstop db`` as people run them."""

import asyncio
import csv
import json
import shlex
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from first_release import make_first_release
from many_games import make_games
from program import exit_code, hosting, run, terminal

from cantstop_protocol.text import cells


@pytest.fixture
def database(tmp_path: Path) -> str:
    file = str(tmp_path / "cantstop.db")
    make_games(file, 50)
    return file


def ids(text: str) -> list[str]:
    return [game["id"] for game in json.loads(text)]


def test_pages_are_followed_as_they_say(tmp_path: Path, database: str) -> None:
    everything = ids(run(tmp_path, "history", "--limit", "1000", "--json").stdout)
    assert len(everything) == 50
    seen: list[str] = []
    command = ["cantstop", "history", "--database", database, "--limit", "21"]
    while command:
        page = run(tmp_path, *command[1:])
        assert page.returncode == 0, page.stderr
        *lines, last = page.stdout.splitlines()
        more = last.startswith("More: ")
        command = shlex.split(last.removeprefix("More: ")) if more else []
        seen += [line.split()[0] for line in [*lines, last] if line.startswith("made")]
    assert seen == everything


def test_filters_json_and_csv(tmp_path: Path, database: str) -> None:
    won = run(tmp_path, "history", "--player", "P1", "--result", "won", "--json")
    for game in json.loads(won.stdout):
        assert game["winner"] == "p1"
    kept = run(tmp_path, "history", "--dead-markers", "kept", "--seats", "2", "--csv")
    rows = list(csv.DictReader(kept.stdout.splitlines()))
    assert rows
    assert {(row["dead_markers"], row["seats"], row["name_3"]) for row in rows} == {
        ("kept", "2", "")
    }
    day = run(tmp_path, "history", "--since", "2026-01-01", "--until", "2025-12-31", "--json")
    assert day.stdout == "[]\n"
    assert "No game is like that" in run(tmp_path, "history", "--player", "nobody").stdout
    for limit in ("0", "-1"):
        none = run(tmp_path, "history", "--limit", limit)
        assert (none.returncode, none.stdout) == (0, f"A --limit of {limit} shows no game\n")
    after = json.loads(won.stdout)[-1]["cursor"]
    following = run(tmp_path, "history", "--player", "p1", "--result", "won", "--after", after)
    assert following.stdout == "No game comes after that\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--after", "nonsense"), "this is no cursor: take the one that came with the page before"),
        (("--seats", "7"), "seats is 1 to 4, not '7'"),
        (("--result", "lost"), "who lost? that needs a player, too"),
        (("--since", "soon"), "since is a date like 2026-03-01"),
        (("--json", "--csv"), "--json and --csv exclude each other"),
    ],
)
def test_slips_are_told(tmp_path: Path, database: str, arguments: tuple[str], said: str) -> None:
    refused = run(tmp_path, "history", *arguments)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert said in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_table_fits_the_terminal(tmp_path: Path, database: str, columns: int) -> None:
    shown = run(tmp_path, "history", COLUMNS=str(columns)).stdout.splitlines()
    assert len(shown) > 20
    assert all(cells(line) <= columns for line in shown[:-1])


def test_history_is_asked_for_in_a_room(tmp_path: Path, database: str) -> None:
    with (
        hosting(tmp_path, "--database", database) as host,
        terminal(tmp_path, "join", "--server", host.address, "--name", "Ann") as screen,
    ):
        screen.expect("/create")
        screen.sendline("/create seats=2")
        screen.expect("Ann sits down|Room ")
        screen.sendline("/history p1")
        screen.expect("who won, and the columns of each")
        screen.sendline("/history")
        screen.expect("More: /history more")
        screen.sendline("/history more")
        screen.expect("made00000039")
        screen.sendline("/history result=won")
        screen.expect("who won\\? that needs a player")
        screen.sendline("/quit")
        assert exit_code(screen) == 0


def test_programs_ask_for_history_in_json_lines(tmp_path: Path, database: str) -> None:
    questions = [{"player": "p1", "limit": 2}, {"after": "x"}]
    asked = "".join(json.dumps({"type": "list_games"} | asked) + "\n" for asked in questions)
    with hosting(tmp_path, "--database", database) as host:
        joined = run(tmp_path, "join", "--json", "--server", host.address, stdin=asked)
    messages = [json.loads(line) for line in joined.stdout.splitlines()]
    (games,) = [message for message in messages if message["type"] == "games"]
    assert (len(games["games"]), games["more"]) == (2, True)
    assert all("p1" in [seat["name"] for seat in game["seats"]] for game in games["games"])
    (error,) = [message for message in messages if message["type"] == "error"]
    assert error["code"] == "bad_question"


def test_a_game_of_a_killed_server_is_unfinished(tmp_path: Path) -> None:
    database = str(tmp_path / "cantstop.db")
    with (
        hosting(tmp_path, "--database", database) as host,
        terminal(tmp_path, "join", "--server", host.address, "--name", "Ann") as screen,
    ):
        screen.expect("/create")
        screen.sendline("/create seats=1")
        screen.expect("/start begins")
        screen.sendline("/start")
        screen.expect("Your turn 1")
        host.end(signal.SIGKILL)
        (game,) = json.loads(run(tmp_path, "history", "--json").stdout)
        assert (game["status"], game["ended_at"], game["cursor"]) == ("unfinished", None, None)
        assert "unfinished, Ann 0" in run(tmp_path, "history").stdout


def test_a_sound_database_is_checked(tmp_path: Path, database: str) -> None:
    checked = run(tmp_path, "db", "check")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout == f"{database}: 50 games replayed, nothing is wrong\n"
    assert json.loads(run(tmp_path, "db", "check", "--json").stdout)["faults"] == []


def test_what_is_wrong_is_told(tmp_path: Path, database: str) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE games SET turns = turns + 1 WHERE id = 'made00000007'")
    checked = run(tmp_path, "db", "check")
    assert checked.returncode == 1
    assert "game made00000007: it is said to have" in checked.stdout
    assert "50 games replayed, 1 fault found" in checked.stdout


WRITE = """
import asyncio, sys
from cantstop_server.storage.journal import RoomWrite
from cantstop_server.storage.store import Store

async def main():
    store = await Store.open(sys.argv[1], exclusive=True)
    number = 0
    while True:
        number += 1
        told = asyncio.get_running_loop().create_future()
        events = tuple((seq, b"x" * 500) for seq in range(20))
        store.journal.append(
            RoomWrite("host", f"R{number}", b"%d" % number, events, 0, None, told.set_result))
        assert await told is None
        print(number, flush=True)

asyncio.run(main())
"""


def test_a_copy_is_consistent_while_a_server_writes(tmp_path: Path, database: str) -> None:
    command = [sys.executable, "-c", WRITE, database]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(20):
            before = int(writer.stdout.readline())
        copied = run(tmp_path, "db", "backup", str(tmp_path / "copy.db"))
        writer.kill()
    assert copied.returncode == 0, copied.stderr
    assert "is copied to" in copied.stdout
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        states = connection.execute("SELECT state, room FROM live_rooms").fetchall()
        events = connection.execute("SELECT count(*) FROM room_events").fetchone()[0]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert len(states) >= before
    assert {int(state) for state, _ in states} == set(range(1, len(states) + 1))
    assert events == 20 * len(states)
    checked = run(tmp_path, "db", "check", "--database", str(tmp_path / "copy.db"))
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_copy_takes_no_files_place(tmp_path: Path, database: str) -> None:
    copy = tmp_path / "copy.db"
    copy.write_text("mine")
    refused = run(tmp_path, "db", "backup", str(copy))
    assert refused.returncode == 1
    assert "is there already: name another file" in refused.stderr
    assert copy.read_text() == "mine"
    nowhere = run(tmp_path, "db", "backup", str(tmp_path / "no" / "folder" / "copy.db"))
    assert nowhere.returncode == 1
    assert "cannot be" in nowhere.stderr


def test_space_is_given_back_but_not_under_a_server(tmp_path: Path, database: str) -> None:
    with hosting(tmp_path, "--database", database):
        refused = run(tmp_path, "db", "vacuum")
        assert refused.returncode == 1
        assert "another cantstop server uses" in refused.stderr
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM room_events")
        connection.execute("CREATE TABLE large AS SELECT zeroblob(3000000)")
        connection.execute("DROP TABLE large")
    size = Path(database).stat().st_size
    tidied = run(tmp_path, "db", "vacuum")
    assert tidied.returncode == 0, tidied.stderr
    assert "is tidied up" in tidied.stdout
    assert Path(database).stat().st_size < size - 2_000_000
    assert run(tmp_path, "db", "check").returncode == 0


def test_an_old_database_is_upgraded_with_a_copy_and_a_word(tmp_path: Path) -> None:
    database = tmp_path / "cantstop.db"
    asyncio.run(make_first_release(str(database)))
    listed = run(tmp_path, "history", "--json")
    assert len(json.loads(listed.stdout)) == 7
    copy = tmp_path / "cantstop.before-0003.db"
    assert listed.stderr == (
        f"The database {database} is upgraded from 0001 to 0003; as it was it is kept in {copy}\n"
    )
    assert copy.is_file()
    assert run(tmp_path, "history").stderr == ""
    upgraded = run(tmp_path, "db", "upgrade", "--database", str(copy), "--no-backup")
    assert (upgraded.returncode, "is upgraded from 0001" in upgraded.stderr) == (0, True)
    again = run(tmp_path, "db", "upgrade", "--database", str(copy))
    assert again.stdout == f"{copy} is up to date\n"
    assert len(list(tmp_path.glob("*.before-*.db"))) == 1


def test_a_server_says_that_it_upgraded(tmp_path: Path) -> None:
    database = tmp_path / "cantstop.db"
    asyncio.run(make_first_release(str(database)))
    with hosting(tmp_path, "--database", str(database)) as host:
        _, _, errors = host.end()
    assert "the database was upgraded" in errors
    assert "cantstop.before-0003.db" in errors


@pytest.mark.parametrize("command", ["check", "vacuum", "upgrade", "backup"])
def test_care_needs_a_database(tmp_path: Path, command: str) -> None:
    more = ("copy.db",) if command == "backup" else ()
    refused = run(tmp_path, "db", command, *more)
    assert refused.returncode == 1
    assert "there is no database" in refused.stderr
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE bookmarks (url)")
    before = other.read_bytes()
    refused = run(tmp_path, "db", command, *more, "--database", str(other))
    assert refused.returncode == 1
    assert "is a database of another program" in refused.stderr
    assert other.read_bytes() == before
