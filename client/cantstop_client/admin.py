"""``cantstop admin``: one command to a running server, and its report."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, cast

from msgspec import to_builtins

from cantstop_client.address import Address, parse_address
from cantstop_client.errors import ClientError
from cantstop_client.gate import clean
from cantstop_client.render import rooms_lines
from cantstop_client.retry import FAILURES, Farewell, judge
from cantstop_client.session import OPEN_TIMEOUT, open_socket
from cantstop_client.tls import client_context, fingerprint, unchecked_context
from cantstop_protocol.codec import decode_message, encode
from cantstop_protocol.commands import Admin, AdminAction
from cantstop_protocol.limits import MAX_NAME_CELLS, MAX_TOKEN_CHARACTERS
from cantstop_protocol.messages import AdminReport, Bye, Error, Greeting, Presence, ServerStatus
from cantstop_protocol.text import cells

_ID: Final = 1


@dataclass(frozen=True, slots=True)
class Access:
    """Where the server is, and what convinces it.

    ``fingerprint``, if there is one, is that of the only certificate to be trusted.
    """

    address: Address
    token: str
    tls_ca: str | None = None
    fingerprint: str = ""


def access(
    server: str | None, token: str | None, tls_ca: str | None, found: tuple[str, str, str] | None
) -> Access:
    """From the options, and from what the server left beside its database if it did.

    ``found`` is that: token, URL, fingerprint of the certificate. Raises ``ClientError`` if no
    token is known.
    """
    if token is None and found is None:
        raise ClientError(
            "no admin token: run this where the server runs, with the same --database, "
            "or give --token or CANTSTOP_ADMIN_TOKEN"
        )
    token = token or (found[0] if found else "")
    if len(token) > MAX_TOKEN_CHARACTERS:
        raise ClientError(f"--token has at most {MAX_TOKEN_CHARACTERS} characters")
    if server is None and found is not None:
        return Access(parse_address(found[1]), token, tls_ca, found[2])
    return Access(parse_address(server or "127.0.0.1"), token, tls_ca)


async def ask(to: Access, action: AdminAction, **fields: str) -> AdminReport:
    """Do it on the server and give its report. Raises ``ClientError``."""
    command = Admin(id=_ID, token=to.token, action=action, **fields)
    try:
        async with asyncio.timeout(OPEN_TIMEOUT):
            reply = await _exchange(to, command)
    except FAILURES as error:
        raise ClientError(f"{to.address}: {judge(error).reason}") from error
    if isinstance(reply, Error):
        raise ClientError(f"{to.address}: {reply.message}")
    return reply


def report_lines(action: AdminAction, report: AdminReport) -> list[str]:
    """The report for people."""
    match action:
        case "rooms":
            return rooms_lines(report.rooms)
        case "players":
            return _players_lines(report.players)
        case "broadcast":
            return [f"Told {_number(report.told, 'person', 'people')}"]
        case "kick" | "close":
            return ["Done"]
        case "drain":
            games = report.status.games
            wait = f"{_number(games, 'game')} still to end" if games else "no game runs"
            return [f"No game begins any more; {wait}, then the server ends"]
        case "status":
            return _status_lines(report.status)


def report_values(action: AdminAction, report: AdminReport) -> Any:
    """The report as plain values: a list for lists, else the server's status."""
    match action:
        case "rooms":
            return to_builtins(report.rooms)
        case "players":
            return to_builtins(report.players)
        case "broadcast":
            return {"told": report.told}
        case _:
            return to_builtins(report.status)


async def _exchange(to: Access, command: Admin) -> AdminReport | Error:
    context = unchecked_context() if to.fingerprint else client_context(to.address, to.tls_ca)
    socket = await open_socket(to.address, context)
    try:
        if to.fingerprint and fingerprint(socket) != to.fingerprint:
            raise ClientError(f"{to.address}: not the server that left its token is there now")
        greeting = decode_message(await socket.recv())
        if isinstance(greeting, Greeting):
            await socket.send(encode(command))
        while True:
            message = clean(decode_message(await socket.recv()))
            if isinstance(message, Bye):
                raise Farewell(message.code, message.message)
            if getattr(message, "re", None) == _ID:
                return cast("AdminReport | Error", message)
    finally:
        await socket.close()


def _status_lines(status: ServerStatus) -> list[str]:
    lines = [
        f"{status.name} ({status.software}), up for {_duration(status.uptime)}",
        f"{_number(status.connections, 'connection')}, "
        f"{_number(status.players, 'person', 'people')}, "
        f"{_number(status.rooms, 'room')}, {_number(status.games, 'running game')}",
    ]
    if not status.database:
        lines.append("The database takes nothing down: see the server's log")
    if status.draining:
        lines.append("It ends when the last game is over")
    return lines


def _players_lines(players: Iterable[Presence]) -> list[str]:
    lines = [
        f"{p.name}{' ' * (MAX_NAME_CELLS - cells(p.name))}  {p.room or '-':<5}  {p.address}"
        for p in players
    ]
    return lines or ["Nobody is here"]


def _duration(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}"


def _number(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
