"""Secure connections: certificates that are good, bad, strange, or not there."""

import shutil
import ssl
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidMessage
from websockets.typing import Subprotocol
from wire import connected, serving

from cantstop_protocol.codec import decode_message
from cantstop_protocol.limits import SUBPROTOCOL
from cantstop_protocol.messages import Greeting
from cantstop_server.config import ServerConfig
from cantstop_server.errors import ServerError
from cantstop_server.net import admin_file
from cantstop_server.net.server import Server
from cantstop_server.net.tls import server_context

FILES = Path(__file__).parents[1] / "data" / "tls"
CERT, KEY = str(FILES / "localhost.crt"), str(FILES / "localhost.key")


async def greeting_from(port: int, context: ssl.SSLContext) -> Greeting:
    async with connect(
        f"wss://localhost:{port}", ssl=context, subprotocols=[Subprotocol(SUBPROTOCOL)]
    ) as websocket:
        greeting = decode_message(await websocket.recv())
    assert isinstance(greeting, Greeting)
    return greeting


async def test_who_trusts_the_certificate_is_served(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db", tls_cert=CERT, tls_key=KEY) as server:
        assert server.addresses == [f"wss://127.0.0.1:{server.port}"]
        greeting = await greeting_from(server.port, ssl.create_default_context(cafile=CERT))
        assert greeting.name == "test table"
        path = admin_file.admin_file(str(tmp_path / "games.db"))
        assert path is not None
        assert admin_file.read(path).url == f"wss://127.0.0.1:{server.port}/"


async def test_who_does_not_trust_it_or_comes_without_is_not(tmp_path: Path) -> None:
    async with serving(tmp_path / "games.db", tls_cert=CERT, tls_key=KEY) as server:
        with pytest.raises(ssl.SSLCertVerificationError):
            await greeting_from(server.port, ssl.create_default_context())
        with pytest.raises(InvalidMessage):
            async with connected(server.port):
                pass
        await greeting_from(server.port, ssl.create_default_context(cafile=CERT))


def test_nothing_older_than_tls_1_2_is_spoken() -> None:
    assert server_context(CERT, KEY).minimum_version is ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize(
    ("cert", "key", "words"),
    [
        ("missing.crt", "localhost.key", ["tls_cert", "missing.crt", "No such file"]),
        ("localhost.crt", "missing.key", ["tls_key", "missing.key", "No such file"]),
        (".", "localhost.key", ["tls_cert", "directory"]),
        ("localhost.crt", "other.key", ["tls_key", "other.key", "not the key"]),
        ("localhost.crt", "protected.key", ["tls_key", "protected.key", "passphrase"]),
        ("README.md", "localhost.key", ["README.md", "PEM"]),
        ("localhost.crt", "README.md", ["README.md", "PEM"]),
        ("localhost.key", "localhost.crt", ["PEM"]),
    ],
)
async def test_what_is_wrong_with_the_files_is_said_and_nothing_is_started(
    tmp_path: Path, cert: str, key: str, words: list[str]
) -> None:
    database = tmp_path / "games.db"
    config = ServerConfig(
        database=str(database), port=0, tls_cert=str(FILES / cert), tls_key=str(FILES / key)
    )
    with pytest.raises(ServerError) as refused:
        async with Server(config):
            pass
    for word in words:
        assert word in str(refused.value)
    assert not database.exists()


def test_a_path_may_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("localhost.crt", "localhost.key"):
        shutil.copy(FILES / name, tmp_path / name)
    server_context("~/localhost.crt", "~/localhost.key")
