"""One plain HTTP request, as a health check or a browser makes it."""

from __future__ import annotations

import asyncio
from typing import NamedTuple


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str


async def get(port: int, path: str, **headers: str) -> Answer:
    """Ask for the path; underscores in the names of headers stand for dashes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        lines = [f"GET {path} HTTP/1.1", "Host: localhost"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        async with asyncio.timeout(20):
            raw = await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()
    head, _, body = raw.decode().partition("\r\n\r\n")
    status, *rest = head.split("\r\n")
    found = dict(line.split(": ", 1) for line in rest)
    return Answer(int(status.split()[1]), found, body)
