"""Running a server for others: configuration, logs, password, certificate, ``cantstop admin``."""

import json
import signal
from pathlib import Path

import pytest
from plain_http import get
from program import SECONDS, hosting, run, terminal

TLS = Path(__file__).parents[1] / "data" / "tls"
CERT, KEY = str(TLS / "localhost.crt"), str(TLS / "localhost.key")


def config_file(directory: Path, text: str) -> str:
    path = directory / "cantstop.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prot = 1", ["prot", "port"]),
        ("[limits]\nrooms = 'many'", ["limits.rooms", "whole number", "many"]),
        ("bot_delay = 100", ["bot_delay", "from 0 to 60"]),
        ("tls_cert = '/nowhere/cert.pem'\ntls_key = '/nowhere/key.pem'", ["tls_cert", "/nowhere"]),
        ("port =", ["TOML"]),
        ("name = '\x1b[2J'", ["TOML"]),
    ],
)
def test_a_configuration_that_cannot_be_is_one_line_and_nothing_is_started(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    home = tmp_path / "home"
    done = run(home, "host", "--config", config_file(tmp_path, text))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr
    assert "\x1b" not in done.stderr
    assert not list(home.glob("*.db"))


def test_a_configuration_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    for name, word in (("missing.toml", "No such file"), ("latin.toml", "UTF-8"), ("", "config")):
        done = run(tmp_path / "home", "host", "--config", str(tmp_path / name))
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert word in done.stderr


def test_the_file_is_obeyed_and_the_log_is_lines_of_json(tmp_path: Path) -> None:
    file = config_file(tmp_path, "log_level = 'info'\nlog_format = 'json'\nname = 'Friday'")
    with hosting(tmp_path, "--config", file) as host:
        status = run(tmp_path, "admin", "status", "--json")
        assert status.returncode == 0, status.stderr
        assert json.loads(status.stdout)["name"] == "Friday"
        code, _, errors = host.end(signal.SIGTERM)
    assert code == 0
    lines = [json.loads(line) for line in errors.splitlines()]
    assert (lines[0]["event"], lines[-1]["event"]) == ("started", "stopped")
    assert all(line["level"] == "info" for line in lines)


def test_a_server_password_is_asked_for_in_words(tmp_path: Path) -> None:
    with hosting(tmp_path, "--password", "sesame") as host:
        arguments = ("join", "--server", host.address, "--name", "Ann")
        for more in ((), ("--server-password", "wrong")):
            refused = run(tmp_path, *arguments, *more)
            assert refused.returncode == 1
            assert refused.stderr.count("\n") == 1
            assert "--server-password" in refused.stderr
        assert run(tmp_path, *arguments, "--server-password", "sesame").returncode == 0
        assert run(tmp_path, *arguments, CANTSTOP_SERVER_PASSWORD="sesame").returncode == 0
        assert host.end()[2] == ""


def test_a_server_with_a_certificate_of_its_own_is_joined_by_who_trusts_it(tmp_path: Path) -> None:
    with hosting(tmp_path, "--tls-cert", CERT, "--tls-key", KEY) as host:
        secure = ("join", "--server", f"wss://localhost:{host.port}", "--name", "Ann")
        joined = run(tmp_path, *secure, "--tls-ca", CERT)
        assert (joined.returncode, joined.stderr) == (0, "")
        refused = run(tmp_path, *secure)
        assert refused.returncode == 1
        assert "--tls-ca" in refused.stderr
        plain = run(tmp_path, "join", "--server", host.address, "--name", "Ann")
        assert plain.returncode == 1
        assert "wss://" in plain.stderr
        for ca, word in ((KEY, "PEM"), (str(tmp_path / "none.pem"), "No such file")):
            refused = run(tmp_path, *secure, "--tls-ca", ca)
            assert refused.returncode == 1
            assert refused.stderr.count("\n") == 1
            assert word in refused.stderr
        status = run(tmp_path, "admin", "status", "--tls-ca", CERT)
        assert status.returncode == 0, status.stderr
        assert host.end()[2] == ""


def test_the_host_need_not_name_the_certificate_of_the_server_beside_it(tmp_path: Path) -> None:
    # The certificate is not for this address, and nobody has signed it.
    secure = ("--bind", "127.0.0.2", "--tls-cert", CERT, "--tls-key", KEY)
    with hosting(tmp_path, *secure) as host:
        status = run(tmp_path, "admin", "status")
        assert (status.returncode, status.stderr) == (0, "")
        address = f"wss://127.0.0.2:{host.port}"
        elsewhere = run(tmp_path, "admin", "status", "--server", address)
        assert "certificate" in elsewhere.stderr
        assert host.end()[2] == ""


def test_the_host_looks_after_the_server_and_drains_it(tmp_path: Path) -> None:
    home = tmp_path / "ann"
    with (
        hosting(tmp_path) as host,
        terminal(home, "join", "--server", host.address, "--name", "Ann") as ann,
    ):
        ann.expect("/create opens a room")
        ann.sendline("/create Friday seats=1 target=1")
        ann.expect(r"Room ([A-Z]{5})")
        code = str(ann.match[1])
        ann.sendline("/start")
        ann.expect("Your turn")

        def admin(*arguments: str) -> str:
            done = run(tmp_path, "admin", *arguments)
            assert (done.returncode, done.stderr) == (0, ""), done
            return done.stdout

        assert code in admin("rooms")
        assert "Ann" in admin("players")
        assert [p["name"] for p in json.loads(admin("players", "--json"))] == ["Ann"]
        assert json.loads(admin("rooms", "--json"))[0]["room"] == code
        assert "1 running game" in admin("status")
        assert admin("broadcast", "soup is ready") == "Told 1 person\n"
        ann.expect("from the host: soup is ready")
        assert "1 game still to end" in admin("drain")
        ann.expect("last game is over")
        unknown = run(tmp_path, "admin", "kick", "Nobody")
        assert unknown.returncode == 1
        assert "Nobody" in unknown.stderr
        assert admin("close", code) == "Done\n"
        ann.expect("closed the room")
        assert host.process.wait(timeout=SECONDS) == 0
    gone = run(tmp_path, "admin", "status")
    assert gone.returncode == 1
    assert "no admin token" in gone.stderr
    assert gone.stderr.count("\n") == 1


def test_a_token_of_ones_own_works_from_anywhere_and_a_wrong_one_nowhere(tmp_path: Path) -> None:
    token = "a token of my own choice"
    file = config_file(tmp_path, f'admin_token = "{token}"')
    with hosting(tmp_path, "--config", file) as host:
        elsewhere = tmp_path / "elsewhere"
        arguments = ("admin", "status", "--server", host.address)
        assert run(elsewhere, *arguments, "--token", token).returncode == 0
        assert run(elsewhere, *arguments, CANTSTOP_ADMIN_TOKEN=token).returncode == 0
        wrong = run(elsewhere, *arguments, "--token", "wrong")
        assert wrong.returncode == 1
        assert "token" in wrong.stderr
        assert "wrong token" in host.end()[2]


async def test_health_is_answered_on_the_same_port(tmp_path: Path) -> None:
    with hosting(tmp_path) as host:
        assert (await get(host.port, "/healthz")).body == "ok\n"
        assert "cantstop_connections 0.0" in (await get(host.port, "/metrics")).body
