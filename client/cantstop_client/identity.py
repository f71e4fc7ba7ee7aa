"""Who one is: a master secret that never leaves this machine, and the name last used.

Each server gets its own token, derived from the secret and the id that the server states. So one
server's token is of no use at another, but a server that states another's id is told the token
for that one: join only servers that you trust. Over ``wss://`` the certificate proves to whom one
speaks.
"""

import contextlib
import getpass
import hashlib
import hmac
import os
import re
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cantstop_client.errors import ClientError
from cantstop_protocol.text import BadText, clean_name

NAME_VARIABLE: Final = "CANTSTOP_NAME"
FALLBACK_NAME: Final = "Player"
_SECRET_BYTES: Final = 32
_SECRET: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Identity:
    """The master secret. It is shown in no representation and no log."""

    secret: bytes

    def __repr__(self) -> str:
        return "Identity(...)"

    def token(self, server: str) -> str:
        """The token for the server with this id: 64 hexadecimal digits."""
        return hmac.new(self.secret, server.encode(), hashlib.sha256).hexdigest()


def load_identity(directory: Path) -> Identity:
    """The identity kept in the directory; made on first use. Raises ``ClientError``."""
    path = directory / "identity"
    with _trouble("your identity", path):
        if not path.exists():
            _keep_new(path, secrets.token_hex(_SECRET_BYTES))
        text = path.read_text("ascii", errors="replace").strip()
    if not _SECRET.fullmatch(text):
        raise ClientError(
            f"{path} does not hold an identity: it should be one line of 64 hexadecimal digits. "
            "Restore it, or remove it to begin as somebody new"
        )
    return Identity(bytes.fromhex(text))


def choose_name(
    wanted: str | None, directory: Path, environment: Mapping[str, str], configured: str = ""
) -> str:
    """The name to play under: asked for, from the environment, configured, last used, or the
    system's.

    Raises ``ClientError`` for a name that somebody chose and that cannot be used.
    """
    for chosen, source in ((wanted, "--name"), (environment.get(NAME_VARIABLE), NAME_VARIABLE)):
        if chosen is not None and (chosen or source == "--name"):
            try:
                return clean_name(chosen)
            except BadText as error:
                raise ClientError(f"{source}: {error}") from error
    for guess in (configured, *_guesses(directory)):
        try:
            return clean_name(guess)
        except BadText:
            continue
    return FALLBACK_NAME


def remember_name(name: str, directory: Path) -> None:
    """Keep the name for the next time. Not worth an error when that fails."""
    with contextlib.suppress(OSError):
        if (directory / "name").exists() and _last_name(directory) == name:
            return
        _replace(directory / "name", name)


def _guesses(directory: Path) -> Iterator[str]:
    yield _last_name(directory)
    # getpass raises OSError since Python 3.13, and KeyError or ImportError before.
    with contextlib.suppress(OSError, KeyError, ImportError):
        yield getpass.getuser()


def _last_name(directory: Path) -> str:
    try:
        return (directory / "name").read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""


def _keep_new(path: Path, text: str) -> None:
    """Write the file unless another process was faster; nobody ever sees it half written."""
    temporary = _written(path, text)
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    except OSError:
        # A file system without hard links.
        if not path.exists():
            os.replace(temporary, path)
            return
    finally:
        temporary.unlink(missing_ok=True)


def _replace(path: Path, text: str) -> None:
    os.replace(_written(path, text), path)


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp makes the file readable for its owner alone.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return Path(name)


@contextlib.contextmanager
def _trouble(what: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ClientError(
            f"cannot keep {what} in {path}: {error.strerror or error}. "
            "Mend that, or name another directory in CANTSTOP_DATA_DIR"
        ) from error
