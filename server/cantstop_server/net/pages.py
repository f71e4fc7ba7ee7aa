"""What the port answers to plain HTTP: health, numbers, and a word to browsers."""

import ipaddress

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from cantstop_server.net.admin import Health
from cantstop_server.net.metrics import Metrics
from cantstop_server.net.websocket import WebSocket

_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP")


class Pages:
    """``/healthz`` and ``/metrics``; with ``public`` for others than this machine too."""

    def __init__(self, health: Health, metrics: Metrics, *, public: bool) -> None:
        self._health = health
        self._metrics = metrics
        self._public = public

    def answer(self, websocket: WebSocket, request: Request) -> Response | None:
        """The answer to a request for one of them, None for any other request."""
        page = {"/healthz": self._healthz, "/metrics": self._metrics_page}.get(
            request.path.partition("?")[0]
        )
        if page is None:
            return None
        if not self._public and not is_local(websocket.address, request.headers):
            return websocket.respond(403, "Only for the machine of this server.\n")
        return page(websocket)

    def _healthz(self, websocket: WebSocket) -> Response:
        trouble = self._health.trouble
        return websocket.respond(503 if trouble else 200, f"{trouble or 'ok'}\n")

    def _metrics_page(self, websocket: WebSocket) -> Response:
        response = websocket.respond(200, self._metrics.text())
        del response.headers["Content-Type"]
        response.headers["Content-Type"] = self._metrics.content_type
        return response


def is_local(address: str, headers: Headers) -> bool:
    """Whether the peer is on this machine, and does not ask for somebody who may not be."""
    if any(name in headers for name in _FORWARDED):
        return False
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback
