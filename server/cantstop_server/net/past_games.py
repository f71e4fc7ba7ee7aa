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


async def game_record(store: Store, command: GetGame) -> GameRecord:
    """The part of a game that was asked for, replayed off the event loop. Raises ``Refused``."""
    try:
        found = await store.find_game(command.game)
    except StorageError as error:
        raise Refused(ErrorCode.STORAGE, str(error)) from error
    if not found:
        text = f"no game {command.game!r} has ended here" if command.game else "no game has ended"
        raise Refused(ErrorCode.NO_SUCH_GAME, text)
    exact = [game for game in found if game.id == command.game]
    if len(found) > 1 and not exact:
        raise Refused(
            ErrorCode.NO_SUCH_GAME,
            f"several games begin with {command.game!r}: give more of the identifier",
        )
    game = (exact or found)[0]
    try:
        return await asyncio.to_thread(partial(_record, game, command))
    except RulesError as error:
        raise Refused(ErrorCode.INTERNAL, f"game {game.id} cannot be replayed") from error


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
