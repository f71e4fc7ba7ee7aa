"""What a move costs between the bytes of its command and the bytes of its update."""

from collections.abc import Callable
from time import perf_counter
from typing import Final

from cantstop_protocol.codec import decode_command, decode_message, encode
from cantstop_protocol.commands import Roll
from cantstop_protocol.events import Rolled
from cantstop_protocol.messages import Update
from cantstop_protocol.table import GameOptions
from cantstop_server.bench.rate import Line, line
from cantstop_server.net.frames import wire_frame
from cantstop_server.rooms import play, seating
from cantstop_server.rooms.moves import move_between
from cantstop_server.rooms.outcome import World
from cantstop_server.rooms.state import Accepted, Person, RoomState, dump
from cantstop_server.rooms.table import Tables, table_of
from cantstop_server.rooms.world import real_world

_CALLS: Final = 2_000


def run_codec_bench(rounds: int, calls: int = _CALLS) -> list[Line]:
    """Time each step alone. Raises ``ValueError`` for fewer than one round or call."""
    if rounds < 1 or calls < 1:
        raise ValueError(f"a benchmark has at least 1 round and 1 call, not {rounds} and {calls}")
    started, state = rolled_room()
    assert state.position is not None
    assert state.position.dice is not None
    event = Rolled(state.position.seat, state.position.dice, state.position.options)
    update = Update(seq=200, event=event, table=table_of(state), more=False)
    frame, command = encode(update), encode(Roll(id=1000, ply=50))
    tables = Tables()
    steps: dict[str, Callable[[], object]] = {
        "a command decoded": lambda: decode_command(command),
        "a table made and encoded": lambda: tables.encoded(state, None, state),
        "the same from nothing": lambda: encode(
            Update(seq=200, event=event, table=table_of(state), more=False)
        ),
        "a frame built": lambda: wire_frame(frame),
        "a move's durable form": lambda: move_between(started, state, False, (event,)),
        "a room's": lambda: dump(state),
        "an update decoded": lambda: decode_message(frame),
    }
    times: dict[str, list[float]] = {what: [] for what in steps}
    for _ in range(rounds):
        for what, step in steps.items():
            start = perf_counter()
            for _ in range(calls):
                step()
            times[what].append((perf_counter() - start) / calls * 1e6)
    return [line(what, "us", found) for what, found in times.items()]


def rolled_room() -> tuple[RoomState, RoomState]:
    """Four people at a table, before and after the first roll."""
    real = real_world()
    world = World(lambda: (1, 3, 4, 6), real.now, real.game_id)
    people = [Person(number, f"Person {number}") for number in range(1, 5)]
    by = Accepted(1, "bench", 1)
    state, _ = seating.open_room("BENCH", "", None, GameOptions(seats=4), people[0], by)
    for person in people:
        state, _ = seating.enter(state, person, watch=False, spectator_limit=0)
    started = play.start(state, world).state
    return started, play.roll(started, world).state
