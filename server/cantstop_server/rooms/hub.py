"""All rooms of a server: opening, finding, listing, taking up after a restart."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, get_args

from cantstop_protocol.codes import ErrorCode, ExitCode
from cantstop_protocol.commands import Create, Join
from cantstop_protocol.table import RoomPhase, RoomSummary
from cantstop_protocol.text import BadText, clean_title
from cantstop_server.config import Limits
from cantstop_server.rooms.codes import new_code, normal_code
from cantstop_server.rooms.moves import recall
from cantstop_server.rooms.owner import Reply, RoomOwner, Surroundings
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.seating import open_room
from cantstop_server.rooms.state import Accepted, Person, RoomState
from cantstop_server.rooms.table import phase_of, summary_of
from cantstop_server.storage.types import LiveRoom

log = logging.getLogger(__name__)

MOST_LISTED: Final = 200
"""How many rooms a list of rooms has at most."""


class Hub:
    """The rooms by code. ``around`` is what they share."""

    def __init__(self, around: Surroundings, limits: Limits) -> None:
        self._around = replace(around, on_seats=self._note_seats)
        self._limits = limits
        self._rooms: dict[str, RoomOwner] = {}
        self._seated: dict[str, set[int]] = {}
        self._rooms_of: dict[int, dict[str, None]] = {}

    def restore(self, rooms: Iterable[LiveRoom]) -> None:
        """Take up rooms from the journal. A room that cannot be read is left there and logged."""
        for room in rooms:
            try:
                state, tail, filed = recall(room)
            except Exception:
                log.exception("room %s cannot be read: it stays in the database", room.room)
                continue
            self._rooms[state.code] = RoomOwner(state, tail, self._around, filed)
            self._note_seats(state)
        for owner in tuple(self._rooms.values()):
            owner.wake()

    def create(
        self, person: Person, instance: str, command: Create, password: bytes | None, reply: Reply
    ) -> RoomOwner:
        """Open a room, ``password`` as a hash, and let its creator in. Raises ``Refused``."""
        made_by = Accepted(person.player, instance, command.id)
        watch = command.role == "spectator"
        made = self.created_by(made_by)
        if made is not None:
            made.enter(person, instance, command.id, reply, watch=watch)
            return made
        self._check_room_limits(person)
        try:
            title = clean_title(command.title)
        except BadText as error:
            raise Refused(ErrorCode.BAD_TEXT, str(error)) from error
        state, opening = open_room(
            new_code(self._rooms),
            title,
            password,
            command.options,
            person,
            made_by,
        )
        owner = RoomOwner(state, (), self._around)
        owner.enter(
            person,
            instance,
            command.id,
            reply,
            watch=watch,
            opening=opening,
        )
        self._rooms[state.code] = owner
        return owner

    def created_by(self, command: Accepted) -> RoomOwner | None:
        """The room that this very command has opened, if it is a repetition."""
        return next((o for o in self._rooms.values() if o.state.created_by == command), None)

    def find(self, code: str) -> RoomOwner | None:
        """The room with this code, however it was typed."""
        return self._rooms.get(normal_code(code))

    def join(self, person: Person, instance: str, command: Join, reply: Reply) -> RoomOwner:
        """Let somebody into a room whose password has been checked. Raises ``Refused``."""
        owner = self.find(command.room)
        if owner is None:
            raise Refused(
                ErrorCode.NO_SUCH_ROOM, f"there is no room {command.room!r}: see the list of rooms"
            )
        owner.enter(
            person,
            instance,
            command.id,
            reply,
            watch=command.role == "spectator",
            last_seq=command.last_seq,
        )
        return owner

    def summaries(self) -> tuple[RoomSummary, ...]:
        """The open rooms as they durably are: those with a free seat first, then the oldest.

        At most ``MOST_LISTED``; the others are found by their codes.
        """
        listed = [summary_of(o.durable) for o in self._rooms.values() if o.durable.seq]
        listed.sort(key=lambda room: not room.free_seats)
        return tuple(listed[:MOST_LISTED])

    def playing(self) -> tuple[RoomState, ...]:
        """The rooms with a running game, as they durably are."""
        return tuple(o.durable for o in self._rooms.values() if o.durable.playing)

    def phases(self) -> Mapping[RoomPhase, int]:
        """How many rooms there are in each phase."""
        found = Counter(phase_of(owner.durable) for owner in self._rooms.values())
        return {phase: found[phase] for phase in get_args(RoomPhase)}

    def games(self) -> int:
        """How many games run, those included whose beginning or end is not durable yet."""
        return sum(o.state.playing or o.durable.playing for o in self._rooms.values())

    def seated_in(self, player: int) -> tuple[str, ...]:
        """The rooms where this person holds a seat."""
        return tuple(self._rooms_of.get(player, ()))

    def forget(self, code: str) -> None:
        """A room has closed."""
        self._rooms.pop(code, None)
        self._note_seated(code, set())

    def stop(self) -> None:
        """The process ends: rooms stay in the journal."""
        for owner in self._rooms.values():
            owner.stop()

    def close_all(self, message: str) -> None:
        """The rooms end with this server: running games are abandoned."""
        for owner in tuple(self._rooms.values()):
            owner.close(ExitCode.ROOM_CLOSED, message)

    def _note_seats(self, state: RoomState) -> None:
        """Who has a seat where is kept at hand: everybody who says hello asks for it."""
        held = [seat for seat in state.seats if seat is not None and not seat.gone]
        self._note_seated(state.code, {seat.player for seat in held if seat.player is not None})

    def _note_seated(self, code: str, players: set[int]) -> None:
        before = self._seated.pop(code, set())
        if players:
            self._seated[code] = players
        for player in players - before:
            self._rooms_of.setdefault(player, {})[code] = None
        for player in before - players:
            rooms = self._rooms_of[player]
            del rooms[code]
            if not rooms:
                del self._rooms_of[player]

    def _check_room_limits(self, person: Person) -> None:
        if len(self._rooms) >= self._limits.rooms:
            raise Refused(
                ErrorCode.SERVER_FULL,
                f"this server holds its {self._limits.rooms} rooms: join one, or try later",
            )
        own = sum(owner.state.creator == person.player for owner in self._rooms.values())
        if own >= self._limits.rooms_per_person:
            raise Refused(
                ErrorCode.SERVER_FULL, f"you run {own} rooms already: leave one of them first"
            )
