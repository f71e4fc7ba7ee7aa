"""The server in this process: whom it lets in."""

from pathlib import Path

import pytest

from cantstop_client.errors import ClientError
from cantstop_client.identity import Identity
from cantstop_client.local import private_server
from cantstop_client.session import Session


async def test_ones_own_server_lets_in_nobody_else_of_this_machine(tmp_path: Path) -> None:
    async with private_server(str(tmp_path / "games.db"), 0.0) as (address, password):
        for wrong in ("", password[:-1], password + "x"):
            stranger = Session(address, "Eve", Identity(b"e" * 32), lambda _: None, password=wrong)
            with pytest.raises(ClientError, match="password"):
                await stranger.open()
        own = Session(address, "Ann", Identity(b"a" * 32), lambda _: None, password=password)
        assert (await own.open()).name == "Ann"
        await own.close()
