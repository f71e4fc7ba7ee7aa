"""A short visit to a server: which rooms there are, and where a seat is held for us."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass

from cantstop_client.address import Address
from cantstop_client.errors import ClientError
from cantstop_client.identity import choose_name, load_identity
from cantstop_client.paths import data_directory
from cantstop_client.session import Session
from cantstop_client.settings import Settings
from cantstop_client.tls import client_context
from cantstop_client.view import View, receive
from cantstop_protocol.commands import ListRooms
from cantstop_protocol.messages import Rooms
from cantstop_protocol.table import RoomSummary

_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Visit:
    """What was seen. ``trouble`` says why nothing was."""

    address: Address
    server: str = ""
    held: tuple[str, ...] = ()
    rooms: tuple[RoomSummary, ...] = ()
    trouble: str = ""


async def visit(address: Address, settings: Settings) -> Visit:
    """Say who we are, look, and go. Never raises ``ClientError``: trouble is part of the visit."""
    view = View()

    def listen(happening: object) -> None:
        nonlocal view
        view, _ = receive(view, happening)  # type: ignore[arg-type]

    directory = data_directory()
    try:
        identity = load_identity(directory)
        name = choose_name(None, directory, os.environ, str(settings.name.value))
        password = os.environ.get("CANTSTOP_SERVER_PASSWORD", "")
        security = client_context(address, None)
        session = Session(address, name, identity, listen, password=password, security=security)
        async with asyncio.timeout(_SECONDS):
            welcome = await session.open()
            try:
                listed = await session.request(ListRooms)
            finally:
                await session.close()
    except TimeoutError:
        return Visit(address, trouble=f"{address}: no answer in time")
    except ClientError as error:
        return Visit(address, trouble=str(error))
    rooms = listed.rooms if isinstance(listed, Rooms) else ()
    return Visit(address, view.server, welcome.rooms, rooms)


async def visit_all(addresses: Sequence[Address], settings: Settings) -> list[Visit]:
    """All at once, so that one that is gone holds nobody up."""
    return list(await asyncio.gather(*(visit(address, settings) for address in addresses)))
