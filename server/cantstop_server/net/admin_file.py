"""The file beside the database by which ``cantstop admin`` finds and convinces the server.

Its first line is the token, its second the server's URL, its third the fingerprint of the
server's certificate if it has one. Only its owner may read it.
"""

import contextlib
import hashlib
import os
import re
import ssl
from pathlib import Path
from typing import Final, NamedTuple

from cantstop_server.errors import ServerError

_CERTIFICATE: Final = re.compile(
    "-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL
)


class AdminAccess(NamedTuple):
    """What the file says: the token, the URL to connect to, and the only certificate to trust.

    ``fingerprint`` is its SHA-256 in hexadecimal digits, empty without TLS.
    """

    token: str
    url: str
    fingerprint: str = ""


def admin_file(database: str) -> Path | None:
    """Where the file is for this database; None for one that is no file of this machine.

    Raises ``ServerError``.
    """
    if database.startswith("sqlite") and "://" in database:
        # SQLAlchemy's form: three slashes and a path, four for an absolute one.
        database = database.partition(":///")[2]
    elif "://" in database:
        return None
    try:
        path = Path(database).expanduser().absolute()
    except RuntimeError as error:
        raise ServerError(f"{database}: there is no such home folder: give a path") from error
    if not path.name:
        return None
    return path.with_name(f"{path.name}.admin")


def fingerprint(certificate: str) -> str:
    """The fingerprint of the first certificate in a file in PEM form; empty if there is none."""
    try:
        found = _CERTIFICATE.search(Path(certificate).expanduser().read_text("latin-1"))
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(found[0])).hexdigest() if found else ""
    except (OSError, RuntimeError, ValueError):
        return ""


def write(path: Path, access: AdminAccess) -> None:
    """Make the file anew; nobody ever sees it half written. Raises ``ServerError``."""
    temporary = path.with_name(f"{path.name}.new")
    try:
        temporary.unlink(missing_ok=True)
        # Made with its mode: there is no moment in which others could open it.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write("".join(f"{line}\n" for line in access if line))
        os.replace(temporary, path)
    except OSError as error:
        raise ServerError(
            f"cannot write {path} for `cantstop admin`: {error.strerror or error}."
            " Make its folder writable, or give an admin_token in the configuration"
        ) from error


def read(path: Path) -> AdminAccess:
    """What the file says. Raises ``ServerError``, and ``FileNotFoundError`` if there is none."""
    try:
        lines = path.read_text("ascii").split()
    except FileNotFoundError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it holds something else"
        raise ServerError(f"cannot read {path}: {reason}") from error
    if len(lines) not in (2, 3):
        raise ServerError(f"{path} is not what a server writes: start the server anew")
    return AdminAccess(*lines)


def remove(path: Path) -> None:
    """Take the file away; harmless if it is gone."""
    with contextlib.suppress(OSError):
        path.unlink()
