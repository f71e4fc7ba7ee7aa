"""What must hold of any room, whatever has happened in it."""

from __future__ import annotations

from msgspec.structs import replace

from cantstop_protocol import messages
from cantstop_protocol.codec import encode
from cantstop_server.rooms.state import RoomState, dump, load
from cantstop_server.rooms.table import table_of
from cantstop_server.rules.game import Phase


def check_state(state: RoomState, spectator_limit: int) -> None:
    """All that must hold of a room by itself."""
    assert len(state.seats) == state.options.seats
    taken = [seat for seat in state.seats if seat is not None]
    seated = [seat.player for seat in taken if seat.player is not None and not seat.gone]
    watching = [spectator.player for spectator in state.spectators]
    assert len({*seated, *watching}) == len(seated) + len(watching)
    assert len(watching) <= spectator_limit
    assert len({seat.name for seat in taken if not seat.gone}) == len(
        [seat for seat in taken if not seat.gone]
    )
    for seat in taken:
        assert (seat.bot is None) != (seat.player is None)
        assert not (seat.gone and (seat.away or seat.autopilot or state.game is None))
        assert seat.bot is None or not (seat.away or seat.autopilot or seat.relief)
        assert seat.autopilot is not None or seat.relief is None or seat.gone
        assert seat.bank is None or seat.bank >= 0.0
    assert not set(state.banned) & {*seated, *watching}
    if state.present():
        assert state.creator is not None
        assert state.is_member(state.creator), "nobody who is here runs the room"
    check_game(state)
    check_restart(state)
    table = table_of(state)
    encode(messages.Entered(re=1, seat=None, seq=1, events=(), complete=True, table=table))
    assert (table.turn is not None) == (table.phase == "playing")


def check_game(state: RoomState) -> None:
    game, position = state.game, state.position
    assert (game is None) == (position is None)
    assert all(state.seats[index] is not None for index in state.rematch)
    if game is None or position is None:
        assert not state.rematch
        return
    assert position.setup.seats == len(state.seats)
    assert all(seat is not None for seat in state.seats) or not state.playing
    runners = [column for column, step in enumerate(position.runners) if step]
    assert len(runners) <= 3
    assert all(position.owners[column] < 0 for column in runners)
    assert (position.phase is Phase.CHOOSE) == (position.dice is not None) == bool(position.options)
    winners = [
        seat
        for seat in range(position.setup.seats)
        if position.owners.count(seat) >= position.setup.target
    ]
    if game.result is None:
        assert position.phase is not Phase.OVER
        assert not winners
        assert position.seat not in position.resigned
        assert not state.rematch
    elif not game.result.abandoned:
        assert position.phase is Phase.OVER
        assert winners in ([], [game.result.winner])
        assert game.result.winner is not None or position.setup.seats == 1
        assert game.result.winner not in position.resigned


def check_restart(state: RoomState) -> None:
    """What a restart gives is the room with everybody away, and nothing else."""
    expected = tuple(
        replace(seat, away=True) if seat and seat.player is not None and not seat.gone else seat
        for seat in state.seats
    )
    assert load(dump(state)) == replace(state, seats=expected, spectators=())
