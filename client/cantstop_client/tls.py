"""Whom to trust on a secure connection."""

import hashlib
import ssl

from websockets.asyncio.client import ClientConnection

from cantstop_client.address import Address
from cantstop_client.errors import ClientError
from cantstop_client.paths import at_home


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
        return ssl.create_default_context(cafile=str(at_home(ca, "--tls-ca")))
    except ssl.SSLError as error:
        raise ClientError(f"--tls-ca: there is no certificate in PEM form in {ca}") from error
    except OSError as error:
        raise ClientError(f"--tls-ca: cannot read {ca}: {error.strerror or error}") from error


def unchecked_context() -> ssl.SSLContext:
    """Takes any certificate: for a connection whose ``fingerprint`` is compared before it is used.

    An address that a server left for its own machine is not the name in its certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def fingerprint(socket: ClientConnection) -> str:
    """The SHA-256 of the server's certificate in hexadecimal digits; empty without TLS."""
    secured = socket.transport.get_extra_info("ssl_object")
    certificate = None if secured is None else secured.getpeercert(binary_form=True)
    return hashlib.sha256(certificate).hexdigest() if certificate else ""
