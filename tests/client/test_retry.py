"""What is done about each failure is a function of it."""

import errno
import socket
import ssl
from random import Random

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import (
    ConnectionClosedError,
    InvalidMessage,
    InvalidStatus,
    NegotiationError,
)
from websockets.frames import Close
from websockets.http11 import Response

from cantstop_client.retry import (
    ANOTHER_VERSION,
    LONGEST_DELAY,
    AnotherVersion,
    Farewell,
    Refused,
    delay,
    is_silence,
    judge,
)
from cantstop_protocol.codec import Malformed
from cantstop_protocol.codes import ByeCode, ErrorCode


def status(code: int, body: bytes | None = None) -> InvalidStatus:
    return InvalidStatus(Response(code, "x", Headers(), body))


def closed(code: int) -> ConnectionClosedError:
    return ConnectionClosedError(Close(code, "why"), Close(code, "why"), True)


def test_delays_double_from_half_a_second_and_stay_bounded() -> None:
    assert [delay(attempt, lambda: 1.0) for attempt in range(8)] == [
        0.5,
        1.0,
        2.0,
        4.0,
        8.0,
        16.0,
        30.0,
        30.0,
    ]
    assert delay(10**9, lambda: 1.0) == LONGEST_DELAY


def test_delays_are_spread_over_their_upper_half() -> None:
    seed = 7
    random = Random(seed).random
    for attempt in range(50):
        assert 0.5 * delay(attempt, lambda: 1.0) <= delay(attempt, random)
        assert delay(attempt, random) <= delay(attempt, lambda: 1.0), seed
    assert delay(3, lambda: 0.0) == 2.0


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(errno.ECONNREFUSED, "x"),
        ConnectionResetError(errno.ECONNRESET, "x"),
        TimeoutError(),
        socket.gaierror(socket.EAI_AGAIN, "try again"),
        InvalidMessage("did not receive a valid HTTP response"),
        status(503),
        status(429),
        closed(1001),
        closed(1011),
        closed(1012),
        ConnectionClosedError(None, None),
        ConnectionClosedError(None, Close(1011, "keepalive ping timeout")),
        Farewell(ByeCode.IDLE, ""),
        *[
            Refused(code, "")
            for code in ("too_fast", "server_full", "storage", "internal", "shutting_down")
        ],
    ],
    ids=repr,
)
def test_what_passes_is_tried_again(error: Exception) -> None:
    if isinstance(error, Refused):
        error = Refused(ErrorCode(error.code), "")
    assert judge(error).again


@pytest.mark.parametrize(
    "error",
    [
        Farewell(ByeCode.REPLACED, ""),
        Farewell(ByeCode.FLOOD, ""),
        Farewell(ByeCode.SHUTDOWN, ""),
        Refused(ErrorCode.NAME_TAKEN, ""),
        Refused(ErrorCode.BAD_NAME, ""),
        Refused(ErrorCode.NO_SUCH_ROOM, ""),
        Malformed("x"),
        AnotherVersion(),
        NegotiationError("x"),
        status(400),
        status(404),
        closed(1002),
        closed(1008),
        closed(1009),
        ssl.SSLCertVerificationError("x"),
    ],
    ids=repr,
)
def test_what_stays_ends_it_for_good(error: Exception) -> None:
    if isinstance(error, ssl.SSLCertVerificationError):
        error.verify_message = "self-signed certificate"
        assert "certificate" in judge(error).reason
        return
    assert not judge(error).again


def test_only_a_shutdown_is_a_clean_end() -> None:
    assert judge(Farewell(ByeCode.SHUTDOWN, "")).clean
    assert not judge(Farewell(ByeCode.REPLACED, "")).clean


@pytest.mark.parametrize("error", [status(400), AnotherVersion(), NegotiationError("no")])
def test_another_version_is_said_plainly(error: Exception) -> None:
    assert judge(error).reason == ANOTHER_VERSION


def test_the_reason_is_in_words_without_addresses_and_numbers() -> None:
    assert judge(ConnectionRefusedError(errno.ECONNREFUSED, "x")).reason == "connection refused"
    several = OSError(
        "Multiple exceptions: [Errno 111] Connect call failed ('::1', 7112, 0, 0), "
        "[Errno 111] Connect call failed ('127.0.0.1', 7112)"
    )
    if errno.ECONNREFUSED == 111:
        assert judge(several).reason == "connection refused"
    assert judge(OSError("odd")).reason == "odd"


@pytest.mark.parametrize("code", [400, 429, 503])
def test_a_refusal_over_http_says_what_the_server_says(code: int) -> None:
    verdict = judge(status(code, b"This server is full\x1b[2J.\r\nAnd more.\n"))
    assert verdict.again == (code != 400)
    assert verdict.reason.endswith("This server is full[2J")
    assert len(judge(status(code, b"x" * 5000)).reason) < 400


@pytest.mark.parametrize("body", [None, b"", b" \n", b"<html>\n"], ids=repr)
def test_a_refusal_over_http_that_says_nothing_is_put_in_our_words(body: bytes | None) -> None:
    assert judge(status(503, body)).reason == "the server answered HTTP 503"
    assert judge(status(404, body)).reason == ANOTHER_VERSION


def test_only_silence_raises_the_question_whether_a_server_runs_there() -> None:
    silence = (ConnectionRefusedError(), TimeoutError(), socket.gaierror(), OSError())
    assert all(is_silence(error) for error in silence)
    answers = (ssl.SSLCertVerificationError("x"), ssl.SSLError(), status(503), Malformed("x"))
    assert not any(is_silence(error) for error in (*answers, AnotherVersion(), closed(1008)))
