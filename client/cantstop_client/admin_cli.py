"""The commands of ``cantstop admin``. Each loads what it needs when it runs."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

if TYPE_CHECKING:
    from cantstop_protocol.commands import AdminAction

TOKEN_VARIABLE = "CANTSTOP_ADMIN_TOKEN"

admin_app = App(name="admin", help="Look after a server that is running.")


@Parameter(name="*")
@dataclass(frozen=True)
class Where:
    """Which server, and how to prove that one is its host.

    Parameters
    ----------
    server
        Its address; by default what it has left beside its database, else this machine.
    database
        The server's database, beside which its token is while it runs; also CANTSTOP_DATABASE.
    token
        The server's admin_token, if it was given one; also CANTSTOP_ADMIN_TOKEN.
    tls_ca
        A file with the certificate to trust, for a --server with one of its own making.
    json
        Print JSON.
    """

    server: str | None = None
    database: str | None = None
    token: str | None = None
    tls_ca: str | None = None
    json: Annotated[bool, Parameter(negative=())] = False


_HERE = Where()


@admin_app.command
def status(*, where: Where = _HERE) -> int:
    """How the server is."""
    return _run(where, "status")


@admin_app.command
def rooms(*, where: Where = _HERE) -> int:
    """The rooms."""
    return _run(where, "rooms")


@admin_app.command
def players(*, where: Where = _HERE) -> int:
    """Who is connected."""
    return _run(where, "players")


@admin_app.command
def kick(name: str, /, *, room: str | None = None, where: Where = _HERE) -> int:
    """Put somebody off the server, or out of one room for good.

    Parameters
    ----------
    name
        The person's name.
    room
        The room's code; the person stays connected, and does not come into this room again.
    """
    return _run(where, "kick", name=name, room=room or "")


@admin_app.command
def close(room: str, /, *, where: Where = _HERE) -> int:
    """End a room; a running game counts for nobody.

    Parameters
    ----------
    room
        The room's code.
    """
    return _run(where, "close", room=room)


@admin_app.command
def broadcast(text: str, /, *, where: Where = _HERE) -> int:
    """Tell everyone something.

    Parameters
    ----------
    text
        One line.
    """
    return _run(where, "broadcast", text=text)


@admin_app.command
def drain(*, where: Where = _HERE) -> int:
    """Let no game begin any more; the server ends with the last one."""
    return _run(where, "drain")


def _run(where: Where, action: "AdminAction", **fields: str) -> int:
    import asyncio
    import json

    from cantstop_client import admin, local
    from cantstop_client.output import standard_output
    from cantstop_client.paths import default_database

    token = where.token or os.environ.get(TOKEN_VARIABLE) or None
    found = None
    if token is None or where.server is None:
        database = where.database or os.environ.get("CANTSTOP_DATABASE")
        found = local.admin_access(database or str(default_database()))
    access = admin.access(where.server, token, where.tls_ca, found)
    report = asyncio.run(admin.ask(access, action, **fields))
    output = standard_output()
    if where.json:
        output.line(json.dumps(admin.report_values(action, report)))
    else:
        output.lines(admin.report_lines(action, report))
    return 0
