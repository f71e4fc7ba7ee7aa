"""Games that have ended, for those who ask for them."""

import asyncio
from functools import partial
from typing import Final

from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import GetGame
from cantstop_protocol.limits import STEPS_IN_RECORD
from cantstop_protocol.messages import GameRecord
from cantstop_server.record.letters import time_text
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.replay import game_steps, step_count
from cantstop_server.rules.errors import RulesError
from cantstop_server.storage.errors import StorageError
from cantstop_server.storage.store import Store
from cantstop_server.storage.types import ArchivedGame

_MOST_TURN_ENDS: Final = 4096
"""As many items as a list in a message may have."""


class PastGames:
    """Replays games off the event loop, one at a time: rooms that are played come first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._one_at_a_time = asyncio.Semaphore(1)

    async def record(self, command: GetGame) -> GameRecord:
        """The part of a game that was asked for. Raises ``Refused``."""
        game = await self._find(command.game)
        try:
            async with self._one_at_a_time:
                return await asyncio.to_thread(partial(_record, game, command))
        except RulesError as error:
            raise Refused(ErrorCode.INTERNAL, f"game {game.id} cannot be replayed") from error

    async def _find(self, wanted: str) -> ArchivedGame:
        try:
            found = await self._store.find_game(wanted)
        except StorageError as error:
            raise Refused(ErrorCode.STORAGE, str(error)) from error
        if not found:
            text = f"no game {wanted!r} has ended here" if wanted else "no game has ended"
            raise Refused(ErrorCode.NO_SUCH_GAME, text)
        if len(found) > 1:
            raise Refused(
                ErrorCode.NO_SUCH_GAME,
                f"several games begin with {wanted!r}: give more of the identifier",
            )
        return found[0]


def _record(game: ArchivedGame, command: GetGame) -> GameRecord:
    return GameRecord(
        re=command.id,
        game=game.id,
        started=time_text(game.started_at),
        ended=time_text(game.ended_at),
        turn_ends=game.turn_ends[-_MOST_TURN_ENDS:] if command.first == 0 else (),
        total=step_count(game),
        first=command.first,
        steps=tuple(game_steps(game, command.first, STEPS_IN_RECORD)),
    )
