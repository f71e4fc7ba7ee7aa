"""Which server ``join`` means: named, configured, on this machine, or heard on the network."""

import asyncio
import os
from collections.abc import Sequence
from typing import Final

from cantstop_client.address import Address, parse_address
from cantstop_client.ask import Asker
from cantstop_client.discovery import FIND_SECONDS, Found, answers, find, reachable, table_line
from cantstop_client.errors import ClientError
from cantstop_client.leaving import unless_left
from cantstop_client.settings import Settings
from cantstop_protocol.limits import DEFAULT_PORT

PORT_VARIABLE: Final = "CANTSTOP_PORT"


def here() -> Address:
    """Where a server on this machine is, if one runs: at the port that ``host`` takes, too."""
    port = os.environ.get(PORT_VARIABLE, "")
    return parse_address(f"127.0.0.1:{DEFAULT_PORT if port in ('', '0') else port}")


def server_to_join(settings: Settings, asker: Asker | None) -> Address:
    """The server's address. ``asker`` None is where nobody can be asked.

    Raises ``ClientError`` if there is none, or several and nobody to choose.
    """
    named = str(settings.server.value)
    if named:
        return settings.address(named)
    own = here()
    if asyncio.run(unless_left(answers(own))):
        return own
    if asker is not None:
        asker.output.line("No table on this machine: listening on the network")
    tables = asyncio.run(unless_left(find(FIND_SECONDS)))
    return asyncio.run(unless_left(reachable(pick(tables, asker))))


def pick(tables: Sequence[Found], asker: Asker | None) -> Found:
    """The one table to join among those that speak our protocol. Raises ``ClientError``."""
    fitting = [table for table in tables if table.fits]
    if not fitting:
        other = [table_line(table) for table in tables]
        heard = f" What was heard: {'; '.join(other)}." if other else ""
        raise ClientError(
            "no table was found on this machine or on the network." + heard + " Name a server "
            "with --server, or open one: cantstop host"
        )
    if len(fitting) == 1:
        return fitting[0]
    if asker is None:
        listed = "; ".join(table_line(table) for table in fitting)
        raise ClientError(f"there are several tables: {listed}")
    lines = [table_line(table) for table in fitting]
    return fitting[asker.choose("Several tables are on the network:", lines)]
