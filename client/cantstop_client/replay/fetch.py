"""A past game of a server, asked for part by part."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from cantstop_client.errors import ClientError
from cantstop_client.replay.story import Story, make_story
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import Command, GetGame
from cantstop_protocol.messages import Error, GameRecord, GameStep

_LONGEST: Final = 100_000
"""Steps that no game has; who sends more is no server of ours."""

_PATIENCE: Final = 60
"""How often a server may say that this is too fast, for one part."""


class Asked(Protocol):
    """What is needed of a session."""

    async def request(self, kind: type[Command], /, **fields: Any) -> Any: ...


async def fetch_story(
    session: Asked, game: str, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> Story:
    """The game whose identifier begins so, or the newest for an empty one.

    Raises ``ClientError`` if the server has no such game.
    """
    part = await _part(session, game, 0, pause)
    steps: list[GameStep] = list(part.steps)
    while len(steps) < min(part.total, _LONGEST):
        more = await _part(session, part.game, len(steps), pause)
        if not more.steps or more.first != len(steps):
            raise ClientError(f"game {part.game} did not come whole: try again")
        steps += more.steps
    if not steps:
        raise ClientError(f"game {part.game} came empty: try again")
    return make_story(part.game, part.started, steps)


async def _part(
    session: Asked, game: str, first: int, pause: Callable[[float], Awaitable[None]]
) -> GameRecord:
    for _ in range(_PATIENCE):
        reply = await session.request(GetGame, game=game, first=first)
        if isinstance(reply, GameRecord):
            return reply
        if not isinstance(reply, Error):
            break
        if reply.code is not ErrorCode.TOO_FAST:
            raise ClientError(f"No replay: {reply.message}")
        await pause(1.0)
    raise ClientError("No replay: the server does not give the game: try again later")
