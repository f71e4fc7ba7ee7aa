"""The time that the pending decision of one room has taken, on a monotonic clock."""

from collections.abc import Callable

from cantstop_server.rooms.dicing import asked_of
from cantstop_server.rooms.relief import has_clock, seconds_allowed
from cantstop_server.rooms.state import RoomState


class DecisionClock:
    """Follows what is durable: a decision's time runs from the moment when it is shown.

    The time stands still while nobody is there to wait, and while a roll waits for its witness.
    ``held`` are the seats whose time stands still until their people are back: those that were
    cut off by a restart.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.held: frozenset[int] = frozenset()
        self._now = now
        self._decision: tuple[str, int] | None = None
        self._since = 0.0
        self._stands = False
        self._spent = 0.0

    def hold_away(self, state: RoomState) -> None:
        """The time the server was down counts against nobody."""
        self.held = frozenset(i for i, seat in enumerate(state.seats) if seat and seat.away)

    def follow(self, state: RoomState) -> None:
        """Take note of the decision that is pending, and of who is there."""
        if self._decision is None and not self.held and not has_clock(state.options):
            return
        if self.held:
            seats = range(len(state.seats))
            self.held = frozenset(i for i in self.held if i in seats and _is_away(state, i))
        # What is not timed takes no time: most rooms never look at the clock.
        decision = _decision(state) if has_clock(state.options) else None
        if decision != self._decision:
            self._decision, self._since, self._spent = decision, self._now(), 0.0
        if decision is None:
            self._stands = False
            return
        awaited = state.awaited_seat()
        stands = awaited is not None and (
            awaited[0] in self.held or not state.present() or asked_of(state) is not None
        )
        if stands and not self._stands:
            self._spent = self._now() - self._since
        elif self._stands and not stands:
            self._since = self._now() - self._spent
        self._stands = stands

    def elapsed(self, state: RoomState) -> float:
        """Seconds that the pending decision has taken so far."""
        if self._decision is None or _decision(state) != self._decision:
            return 0.0
        return self._spent if self._stands else self._now() - self._since

    def seconds_left(self, state: RoomState) -> float | None:
        """What is left for the pending decision, never below 0; None if it is not timed."""
        allowed = seconds_allowed(state)
        return None if allowed is None else max(0.0, allowed - self.elapsed(state))

    def is_up(self, state: RoomState) -> bool:
        """Whether the time for the pending decision is over, and does not stand still."""
        if self._decision is None or _decision(state) != self._decision:
            return False
        stands = self._stands or asked_of(state) is not None
        return not stands and self.seconds_left(state) == 0.0


def _decision(state: RoomState) -> tuple[str, int] | None:
    """What names the decision that the game waits for."""
    if state.awaited_seat() is None or state.game is None or state.position is None:
        return None
    return state.game.id, state.position.ply


def _is_away(state: RoomState, index: int) -> bool:
    seat = state.seats[index]
    return seat is not None and seat.away
