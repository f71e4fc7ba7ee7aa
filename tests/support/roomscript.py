"""A room as a pure state machine to poke at, with people whose names are short."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from samples import SAMPLE_COMMANDS
from wire import scripted_world

from cantstop_protocol import commands
from cantstop_protocol.table import GameOptions
from cantstop_server.rooms import seating
from cantstop_server.rooms.dispatch import step
from cantstop_server.rooms.memory import remembered
from cantstop_server.rooms.outcome import Outcome
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.state import Accepted, Person

ANN, BEN, CAT, DAN = (
    Person(number, name) for number, name in enumerate(("Ann", "Ben", "Cat", "Dan"), 1)
)
MIXED = (1, 2, 3, 4)
SAMPLES = {type(sample): sample for sample in SAMPLE_COMMANDS}


class Room:
    """A room to poke at: keeps the state and the events, numbers the commands."""

    def __init__(self, *dice: tuple[int, int, int, int], **options: object) -> None:
        self.world = scripted_world(dice or (MIXED,))
        self.state, opening = seating.open_room(
            "BADOK", "", None, GameOptions(**options), ANN, Accepted(1, "instance", 1)
        )
        self.events = list(opening)
        self.id = 0
        self.enter(ANN)

    def enter(self, person: Person, *, watch: bool = False) -> None:
        self.take(Outcome(*seating.enter(self.state, person, watch=watch, spectator_limit=2)))

    def vanish(self, person: Person) -> None:
        self.take(Outcome(*seating.vanish(self.state, person)))

    def do(self, person: Person, kind: type[commands.Command], /, **fields: object) -> Outcome:
        self.id += 1
        return self.send(person, kind(id=self.id, **fields))

    def send(self, person: Person, command: commands.Command) -> Outcome:
        outcome = step(self.state, person, command, self.world)
        self.take(outcome)
        accepted = remembered(self.state, person, "instance", command.id)
        self.state = replace(self.state, accepted=accepted)
        return outcome

    def move(self, person: Person, kind: type[commands.Command], /, **fields: object) -> Outcome:
        assert self.state.position is not None
        return self.do(person, kind, ply=self.state.position.ply, **fields)

    def take(self, outcome: Outcome) -> None:
        self.state = outcome.state
        self.events.extend(outcome.events)


def started(*dice: tuple[int, int, int, int], people: int = 2, **options: object) -> Room:
    room = Room(*dice, seats=people, **options)
    for person in (BEN, CAT, DAN)[: people - 1]:
        room.enter(person)
    room.do(ANN, commands.Start)
    return room


def refusal(action: object, *args: object, **fields: object) -> Refused:
    with pytest.raises(Refused) as refused:
        action(*args, **fields)
    return refused.value
