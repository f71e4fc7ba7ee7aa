"""What a step of a room gives, and what it is given from outside."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from cantstop_protocol.events import AnyEvent
from cantstop_protocol.messages import Aside
from cantstop_server.rooms.state import RoomState
from cantstop_server.rules.legal import Dice
from cantstop_server.storage.types import ArchivedGame


@dataclass(frozen=True, slots=True)
class World:
    """Where chance, time and ids come from; passed in so that a room is a function of its input.

    ``now`` is aware and UTC; ``game_id`` is never repeated. ``secret`` gives 32 bytes that nobody
    can guess: dice are promised with it, and all of a game's rolls follow from it. Without it
    nothing is promised, and each roll is one of ``roll_dice``.
    """

    roll_dice: Callable[[], Dice]
    now: Callable[[], datetime]
    game_id: Callable[[], str]
    secret: Callable[[], bytes] | None = None


class Outcome(Struct, frozen=True):
    """The room after a step, its new events in order, and the game that ended with it.

    ``put_out`` is the player id of somebody who is out of the room by this step; ``aside`` is
    for the spectators alone and no event. ``is_move``: it is an action of the rules on a game that
    goes on, with what follows from it for the clocks and dice.
    """

    state: RoomState
    events: tuple[AnyEvent, ...]
    archive: ArchivedGame | None = None
    put_out: int | None = None
    aside: Aside | None = None
    is_move: bool = False

    def leading_to(self, state: RoomState) -> "Outcome":
        """The same with another state."""
        return self if state is self.state else replace(self, state=state)
