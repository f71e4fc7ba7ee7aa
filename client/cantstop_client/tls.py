"""Whom to trust on a secure connection."""

import ssl
from pathlib import Path

from cantstop_client.address import Address
from cantstop_client.errors import ClientError


def client_context(address: Address, ca: str | None) -> ssl.SSLContext | None:
    """What to check the server's certificate with; None for an address without TLS.

    ``ca`` is a file in PEM form with the certificates to trust instead of the system's.
    Raises ``ClientError``.
    """
    if ca is None:
        return ssl.create_default_context() if address.secure else None
    if not address.secure:
        raise ClientError(
            f"--tls-ca is for a secure address: wss://{address} rather than {address}"
        )
    try:
        return ssl.create_default_context(cafile=str(Path(ca).expanduser()))
    except ssl.SSLError as error:
        raise ClientError(f"--tls-ca: there is no certificate in PEM form in {ca}") from error
    except OSError as error:
        raise ClientError(f"--tls-ca: cannot read {ca}: {error.strerror or error}") from error
