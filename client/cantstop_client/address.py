"""What a person types for a server, and the URL it means."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from cantstop_client.errors import ClientError
from cantstop_protocol.limits import DEFAULT_PORT

_HOST: Final = re.compile(r"[^\s/?#@\[\]:%\\]+")
_FORMS: Final = "use HOST, HOST:PORT, [IPV6]:PORT, ws://... or wss://..."


@dataclass(frozen=True, slots=True)
class Address:
    """A server's place: the URL to connect to, and the host and port to name to people."""

    url: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{_bracketed(self.host)}:{self.port}"

    @property
    def secure(self) -> bool:
        return self.url.startswith("wss:")


def parse_address(text: str) -> Address:
    """The address in what was typed. Raises ``ClientError`` for what is none."""
    text = text.strip()
    if "://" in text:
        return _from_url(text)
    if _is_ipv6(text):
        return _plain(text, DEFAULT_PORT)
    bracketed = re.fullmatch(r"\[([^\]]*)\](?::(.*))?", text)
    if bracketed:
        host, port = bracketed.groups()
        if not _is_ipv6(host):
            raise ClientError(f"{host!r} in brackets is not an IPv6 address: {_FORMS}")
    else:
        host, colon, after = text.partition(":")
        port = after if colon else None
        if not _HOST.fullmatch(host):
            raise ClientError(f"{text!r} is not a server's address: {_FORMS}")
    return _plain(host, DEFAULT_PORT if port is None else _port(port, text))


def _from_url(text: str) -> Address:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ClientError(f"{text!r} is not a server's address ({error}): {_FORMS}") from error
    if parts.scheme not in ("ws", "wss"):
        raise ClientError(f"{parts.scheme!r} in {text!r} is neither ws nor wss: {_FORMS}")
    if not parts.hostname or parts.username is not None or parts.fragment:
        raise ClientError(f"{text!r} is not a server's address: {_FORMS}")
    if port == 0:
        raise ClientError(f"port 0 in {text!r} is no port to connect to")
    if port is None:
        # Behind a proxy with TLS the usual port is HTTPS's; without, the game's own.
        port = 443 if parts.scheme == "wss" else DEFAULT_PORT
    query = f"?{parts.query}" if parts.query else ""
    host = _bracketed(parts.hostname)
    url = f"{parts.scheme}://{host}:{port}{parts.path or '/'}{query}"
    return Address(url, parts.hostname, port)


def _plain(host: str, port: int) -> Address:
    return Address(f"ws://{_bracketed(host)}:{port}/", host, port)


def _port(text: str, whole: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 1 <= int(text) <= 65535:
        raise ClientError(f"{text!r} in {whole!r} is no port: a number from 1 to 65535")
    return int(text)


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
