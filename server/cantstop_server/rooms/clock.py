"""The time that the pending decision of one room has taken, on a monotonic clock."""

from collections.abc import Callable

from cantstop_server.rooms.relief import seconds_allowed
from cantstop_server.rooms.state import RoomState


class DecisionClock:
    """Follows what is durable: a decision's time runs from the moment when it is shown.

    ``held`` are the seats whose time stands still until their people are back: all that were cut
    off by a restart, and the one to move when nobody is there to wait for it.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.held: frozenset[int] = frozenset()
        self._now = now
        self._decision: tuple[str, int] | None = None
        self._since = 0.0
        self._spent = 0.0

    def hold_away(self, state: RoomState) -> None:
        """The time the server was down counts against nobody."""
        self.held = frozenset(i for i, seat in enumerate(state.seats) if seat and seat.away)

    def follow(self, state: RoomState) -> None:
        """Take note of the decision that is pending, and of who is back."""
        awaited = state.awaited_seat()
        before = self.held
        self.held = frozenset(i for i in before if i < len(state.seats) and _is_away(state, i))
        if awaited is not None and awaited[1].away and not state.present():
            if awaited[0] not in self.held:
                self._spent = self.elapsed(state)
            self.held |= {awaited[0]}
        decision = None
        if awaited is not None and state.game is not None and state.position is not None:
            decision = (state.game.id, state.position.ply)
        back = awaited is not None and awaited[0] in before - self.held
        if decision != self._decision:
            self._decision, self._since, self._spent = decision, self._now(), 0.0
        elif back:
            self._since = self._now() - self._spent

    def elapsed(self, state: RoomState) -> float:
        """Seconds that the pending decision has taken so far."""
        return self._now() - self._since if self._runs(state) else 0.0

    def seconds_left(self, state: RoomState) -> float | None:
        """What is left for the pending decision, never below 0; None if it is not timed."""
        allowed = seconds_allowed(state)
        return None if allowed is None else max(0.0, allowed - self.elapsed(state))

    def is_up(self, state: RoomState) -> bool:
        """Whether the time for the pending decision is over."""
        return self._runs(state) and self.seconds_left(state) == 0.0

    def _runs(self, state: RoomState) -> bool:
        """Whether the pending decision is shown, and its seat's time does not stand still."""
        awaited, game, position = state.awaited_seat(), state.game, state.position
        if awaited is None or game is None or position is None or awaited[0] in self.held:
            return False
        return (game.id, position.ply) == self._decision


def _is_away(state: RoomState, index: int) -> bool:
    seat = state.seats[index]
    return seat is not None and seat.away
