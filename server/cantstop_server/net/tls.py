"""The secure side of a listening port."""

import ssl
from pathlib import Path

from cantstop_server.errors import ServerError


def server_context(cert: str, key: str) -> ssl.SSLContext:
    """TLS 1.2 and newer with this certificate (its chain after it) and key, files in PEM form.

    Raises ``ServerError`` if one of them is missing, unreadable, or does not fit the other.
    """
    for option, name in (("tls_cert", cert), ("tls_key", key)):
        _check_readable(option, name)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # Without a password given OpenSSL would ask for one on the terminal.
        context.load_cert_chain(_path(cert), _path(key), password=_no_passphrase)
    except _Protected as error:
        raise ServerError(
            f"tls_key: {key} is protected by a passphrase: give a key that is not"
        ) from error
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            text = f"tls_key: {key} is not the key of the certificate {cert}"
        else:
            text = f"tls_cert {cert} and tls_key {key} are no certificate and key in PEM form"
        raise ServerError(text) from error
    return context


class _Protected(Exception):
    pass


def _no_passphrase() -> str:
    raise _Protected


def _check_readable(option: str, name: str) -> None:
    try:
        with _path(name).open("rb") as file:
            file.read(1)
    except OSError as error:
        raise ServerError(f"{option}: cannot read {name}: {error.strerror or error}") from error


def _path(name: str) -> Path:
    return Path(name).expanduser()
