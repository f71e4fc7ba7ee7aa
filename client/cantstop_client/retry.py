"""What to do about a failure: a pure function of the error. And how long to wait."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from os import strerror
from socket import gaierror
from ssl import SSLCertVerificationError, SSLError
from typing import Final

from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidMessage,
    InvalidStatus,
    NegotiationError,
    WebSocketException,
)

from cantstop_protocol.codec import Malformed
from cantstop_protocol.codes import ByeCode, ErrorCode
from cantstop_protocol.text import visible

FIRST_DELAY: Final = 0.5
LONGEST_DELAY: Final = 30.0
_LONGEST_ANSWER: Final = 200

ANOTHER_VERSION: Final = (
    "this server speaks another protocol version, or is no cantstop server: "
    "use the same release of cantstop on both sides"
)
SHUTTING_DOWN: Final = "the server is shutting down"

_PASSING_ERRORS: Final = frozenset(
    {
        ErrorCode.TOO_FAST,
        ErrorCode.SERVER_FULL,
        ErrorCode.STORAGE,
        ErrorCode.INTERNAL,
        ErrorCode.SHUTTING_DOWN,
    }
)
_PASSING_STATUSES: Final = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
# RFC 6455, 7.4.1: what one side sends that the other cannot accept, now or later.
_FINAL_CLOSES: Final = frozenset({1002, 1003, 1007, 1008, 1009, 1010})


class Refused(Exception):
    """The server refused who we are, or our return to a room."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Farewell(Exception):
    """The server said that it ends the connection, and why."""

    def __init__(self, code: ByeCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class AnotherVersion(Exception):
    """The connection was made, but not with the protocol that we speak."""


FAILURES: Final = (
    OSError,
    TimeoutError,
    WebSocketException,
    Malformed,
    Refused,
    Farewell,
    AnotherVersion,
)
"""All that can go wrong with a connection; anything else is a fault of ours."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """``again``: another attempt may succeed. ``clean``: the end is nobody's mistake."""

    again: bool
    reason: str
    clean: bool = False


def delay(attempt: int, random: Callable[[], float]) -> float:
    """Seconds before the attempt, counted from 0: doubling, bounded, spread by half.

    ``random`` gives a number from 0 to 1. The spread keeps the clients of a server that comes
    back from all arriving at once.
    """
    ceiling = min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(attempt, 16))
    return ceiling * (0.5 + random() / 2)


def judge(error: BaseException) -> Verdict:
    """What to do after this error."""
    match error:
        case Farewell(code=ByeCode.SHUTDOWN):
            return Verdict(False, str(error) or SHUTTING_DOWN, clean=True)
        case Farewell(code=ByeCode.REPLACED):
            return Verdict(False, "you connected from somewhere else; this client stops here")
        case Farewell(code=code):
            return Verdict(code is ByeCode.IDLE, str(error) or f"the server said: {code}")
        case Refused(code=code):
            return Verdict(code in _PASSING_ERRORS, str(error) or f"the server refused: {code}")
        case AnotherVersion() | NegotiationError():
            return Verdict(False, ANOTHER_VERSION)
        case Malformed():
            return Verdict(False, f"the server sent what this client cannot read: {error}")
        case InvalidStatus(response=response):
            said = _first_line(response.body)
            if response.status_code in _PASSING_STATUSES:
                return Verdict(True, said or f"the server answered HTTP {response.status_code}")
            return Verdict(
                False, f"{ANOTHER_VERSION}. It says: {said}" if said else ANOTHER_VERSION
            )
        case InvalidMessage():
            # Something that listens but speaks no HTTP, or a server that dies while it is asked.
            # A server with TLS that is asked without sends no HTTP either.
            return Verdict(True, "what answered there is no cantstop server, or one for wss://")
        case InvalidHandshake():
            return Verdict(False, f"no WebSocket there ({error})")
        case ConnectionClosed():
            return _closed(error)
        case WebSocketException():
            return Verdict(False, str(error))
        case SSLCertVerificationError():
            return Verdict(
                False,
                f"its certificate is not trusted ({error.verify_message}): "
                "if it is of the host's own making, name it with --tls-ca",
            )
        case SSLError():
            return Verdict(False, f"no secure connection ({error.reason or error})")
        case gaierror():
            return Verdict(True, f"no such host ({error.strerror or error})")
        case TimeoutError():
            return Verdict(True, "no answer in time")
        case _:
            return Verdict(True, _in_words(error))


def _closed(error: ConnectionClosed) -> Verdict:
    close = error.rcvd or error.sent
    if close is None:
        return Verdict(True, "the connection broke")
    reason = f" ({close.reason})" if close.reason else ""
    if error.rcvd is None:
        # We gave it up ourselves: the keepalive had no answer, or a frame was too large.
        return Verdict(close.code not in _FINAL_CLOSES, f"the connection broke{reason}")
    again = close.code not in _FINAL_CLOSES
    return Verdict(again, f"the server closed the connection: code {close.code}{reason}")


def is_silence(error: BaseException) -> bool:
    """Whether nobody has answered, as when no server runs there or a firewall is in the way."""
    return isinstance(error, OSError) and not isinstance(error, SSLError)


def _first_line(body: bytes | bytearray | None) -> str:
    """What a refusal says to people; not the page of some web server."""
    line = visible((body or b"")[:1024].decode("utf-8", "replace").lstrip().partition("\n")[0])
    return "" if line.startswith("<") else line[:_LONGEST_ANSWER].rstrip(".")


def _in_words(error: BaseException) -> str:
    """What the system says, without addresses and numbers of errors.

    asyncio joins the failures of a host with several addresses into one text.
    """
    if isinstance(error, OSError) and error.errno:
        return strerror(error.errno).lower()
    numbers = {int(number) for number in re.findall(r"\[Errno (\d+)\]", str(error))}
    if numbers:
        return ", ".join(sorted(strerror(number).lower() for number in numbers))
    return str(error) or type(error).__name__
