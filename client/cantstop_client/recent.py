"""The servers one was on lately, newest first: where a seat may still be held."""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Final

from cantstop_client.address import Address, parse_address
from cantstop_client.errors import ClientError

MOST: Final = 8


def recent_servers(directory: Path) -> list[Address]:
    """Those that were remembered; what is no address is passed over."""
    try:
        lines = (directory / "servers").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines[:MOST]:
        with contextlib.suppress(ClientError):
            found.append(parse_address(line))
    return found


def remember_server(address: Address, directory: Path) -> None:
    """Put it in front. Not worth an error when that fails."""
    before = recent_servers(directory)
    if before[:1] == [address]:
        return
    listed = [address, *(other for other in before if other != address)][:MOST]
    with contextlib.suppress(OSError):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=directory, prefix=".servers-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(f"{other.url}\n" for other in listed)
        os.replace(name, directory / "servers")
