"""The state of a room: frozen values, and their durable form."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from cantstop_protocol.events import AnyEvent
from cantstop_protocol.messages import NumberedEvent
from cantstop_protocol.table import GameOptions, Result, SpectatorChat
from cantstop_protocol.text import name_key
from cantstop_server.rooms.promise import GameDice, Offer
from cantstop_server.rules.course import final_state
from cantstop_server.rules.game import Game
from cantstop_server.rules.setup import Setup


class Person(NamedTuple):
    """Somebody known to the server: the id of the identity, and the name as shown."""

    player: int
    name: str


class SeatState(Struct, frozen=True, omit_defaults=True):
    """A taken seat: of a person (``player``) or of a computer player (``bot``, its kind).

    ``away``: the person's connection is gone. ``gone``: the person has left the room and
    the seat keeps the name until seats are taken anew. ``autopilot`` plays for the person;
    ``relief`` says why if the person did not ask for it, ``assisted`` that the person has asked
    for one in this game. ``bank`` is the time that is left, in
    seconds, at the beginning of a decision; ``overruns`` how often in a row it ran out.
    """

    name: str
    player: int | None = None
    bot: str | None = None
    away: bool = False
    gone: bool = False
    autopilot: str | None = None
    relief: Literal["away", "time"] | None = None
    bank: float | None = None
    overruns: int = 0
    assisted: bool = False

    @property
    def player_kind(self) -> str | None:
        """The kind of computer player that decides for this seat, if one does."""
        return self.bot or self.autopilot


class LiveGame(Struct, frozen=True):
    """The room's game, running or just over: all that is needed to replay it.

    ``turn_ends`` are when its turns ended, in seconds since its start, to a tenth. ``rated``
    says that it may count for the ratings. ``dice`` is None in one that began before dice were
    promised.
    """

    id: str
    setup: Setup
    course: str
    started_at: datetime
    result: Result | None = None
    turn_ends: tuple[float, ...] = ()
    rated: bool = True
    dice: GameDice | None = None


class Accepted(Struct, frozen=True, array_like=True):
    """One command of one run of a client, whatever it was."""

    player: int
    instance: str
    id: int


class Remembered(Struct, frozen=True, array_like=True):
    """The latest commands of a person that had their effect, by id, of one run of the client."""

    player: int
    instance: str
    ids: tuple[int, ...]


class RoomState(Struct, frozen=True, omit_defaults=True):
    """Everything about a room that outlives the process.

    ``position`` follows from the game's course and is left out of the durable form. ``seq`` is
    the number of the latest event. ``epoch`` counts how often what was to be written was taken
    back: should some of it be there all the same, it is told by that. ``creator`` and ``banned``
    are player ids; ``rematch`` are the seats that agree to another game. ``offer`` are the dice of
    the next game.
    """

    code: str
    title: str
    options: GameOptions
    creator: int | None
    password: bytes | None = None
    locked: bool = False
    spectator_chat: SpectatorChat = "apart"
    banned: tuple[int, ...] = ()
    seats: tuple[SeatState | None, ...] = ()
    spectators: tuple[Person, ...] = ()
    game: LiveGame | None = None
    position: Game | None = None
    next_first: int | None = None
    rematch: tuple[int, ...] = ()
    seq: int = 0
    epoch: int = 0
    accepted: tuple[Remembered, ...] = ()
    created_by: Accepted | None = None
    offer: Offer | None = None

    @property
    def playing(self) -> bool:
        return self.game is not None and self.game.result is None

    def seat_of(self, player: int) -> int | None:
        """The seat this person holds, None for anybody else."""
        for index, seat in enumerate(self.seats):
            if seat is not None and seat.player == player and not seat.gone:
                return index
        return None

    def awaited_seat(self) -> tuple[int, SeatState] | None:
        """The seat that the running game waits for, and who is in it."""
        position, game = self.position, self.game
        if position is None or game is None or game.result is not None:
            return None
        seat = self.seats[position.seat]
        return None if seat is None else (position.seat, seat)

    def with_seat(self, index: int, seat: SeatState | None) -> "RoomState":
        """The room with one seat changed."""
        seats = (*self.seats[:index], seat, *self.seats[index + 1 :])
        return msgspec.structs.replace(self, seats=seats)

    def is_member(self, player: int) -> bool:
        if self.seat_of(player) is not None:
            return True
        return player in [spectator.player for spectator in self.spectators]

    def present(self) -> tuple[int, ...]:
        """The people who are connected, by player id, each once."""
        seated = [
            seat.player
            for seat in self.seats
            if seat is not None and seat.player is not None and not seat.gone and not seat.away
        ]
        return (*seated, *[spectator.player for spectator in self.spectators])

    def people(self) -> tuple[Person, ...]:
        """Everyone who belongs to the room, present or away, the seated first."""
        seated = (
            Person(seat.player, seat.name)
            for seat in self.seats
            if seat is not None and seat.player is not None and not seat.gone
        )
        return (*seated, *self.spectators)

    def named(self, name: str) -> Person | None:
        """The member of this name, in any spelling."""
        key = name_key(name)
        return next((person for person in self.people() if name_key(person.name) == key), None)

    def name_of(self, player: int) -> str | None:
        return next((person.name for person in self.people() if person.player == player), None)


_event_decoder: Final[msgspec.msgpack.Decoder[AnyEvent | list[AnyEvent]]] = msgspec.msgpack.Decoder(
    AnyEvent | list[AnyEvent]
)
_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(RoomState)


class _Recent(Struct):
    recent: tuple[tuple[int, bytes], ...] = ()


_padded_decoder: Final = msgspec.msgpack.Decoder(tuple[RoomState, bytes])
_recent_decoder: Final = msgspec.msgpack.Decoder(tuple[_Recent, bytes])
_PAIR: Final = b"\x92"
"""How msgpack begins an array of two: for a while padding stood behind the state, and the latest
events in it."""


def dump(state: RoomState) -> bytes:
    """The durable form of a room."""
    return _encoder.encode(msgspec.structs.replace(state, position=None))


def written(blob: bytes) -> RoomState:
    """The room of a durable form, as it was but for its position."""
    return _padded_decoder.decode(blob)[0] if blob.startswith(_PAIR) else _decoder.decode(blob)


def events_in(blob: bytes) -> list[NumberedEvent]:
    """The events that stand in a durable form."""
    if not blob.startswith(_PAIR):
        return []
    recent = _recent_decoder.decode(blob)[0].recent
    return [numbered for seq, event in recent for numbered in load_events(seq, event)]


def load(blob: bytes) -> RoomState:
    """The room of a durable form as it is taken up."""
    return restored(written(blob))


def restored(state: RoomState) -> RoomState:
    """The room as it is taken up: its position replayed, every person away, nobody watching."""
    game = state.game
    position = final_state(game.setup, game.course) if game else None
    seats = tuple(
        msgspec.structs.replace(seat, away=True)
        if seat and seat.player is not None and not seat.gone
        else seat
        for seat in state.seats
    )
    return msgspec.structs.replace(state, position=position, seats=seats, spectators=())


def dump_events(events: Sequence[NumberedEvent]) -> tuple[int, bytes]:
    """The durable form of events that follow each other, with the number of the last."""
    return events[-1].seq, _encoder.encode([numbered.event for numbered in events])


def load_events(last: int, blob: bytes) -> list[NumberedEvent]:
    """The events of a durable form; one that stands alone is of an older version."""
    found = _event_decoder.decode(blob)
    events = found if isinstance(found, list) else [found]
    return [NumberedEvent(seq, event) for seq, event in enumerate(events, last - len(events) + 1)]
