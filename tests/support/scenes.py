"""Scenes for the renderer: a table of two and of four in each moment that looks different."""

from __future__ import annotations

from typing import Any

from cantstop_client.fullscreen.scene import Entry, Scene
from cantstop_client.view import RoomView, View
from cantstop_protocol.events import Busted
from cantstop_protocol.table import Columns, GameOptions, Option, Result, Seat, Table, Turn

LENGTHS: Columns = (3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3)
MOMENTS = ("mid_turn", "bust", "claim", "win", "lobby")


def columns(steps: dict[int, int] | None = None) -> Columns:
    return tuple((steps or {}).get(column, 0) for column in range(2, 13))  # type: ignore[return-value]


def seat(name: str, markers: dict[int, int] | None = None, **fields: Any) -> Seat:
    usual: dict[str, Any] = {"bot": None, "autopilot": None, "away": False, "resigned": False}
    return Seat(name=name, markers=columns(markers), **(usual | fields))


def turn(seat: int = 0, decision: Any = "roll", runners: Any = None, **fields: Any) -> Turn:
    usual: dict[str, Any] = {"dice": None, "options": (), "busting_rolls": 0, "rule_of_28": 0}
    numbers = {"number": 7, "ply": 31}
    return Turn(
        seat=seat, decision=decision, runners=columns(runners), **(usual | numbers | fields)
    )


def table(*seats: Seat | None, owners: dict[int, int] | None = None, **fields: Any) -> Table:
    usual: dict[str, Any] = {
        "room": "LEZAT",
        "title": "Friday",
        "phase": "playing",
        "options": GameOptions(seats=len(seats)),
        "creator": "Ann",
        "private": False,
        "spectators": (),
        "lengths": LENGTHS,
        "owners": tuple((owners or {}).get(column) for column in range(2, 13)),
        "game": "g1",
        "turn": None,
        "result": None,
    }
    return Table(seats=seats, **(usual | fields))


def seats_of(players: int) -> tuple[Seat, ...]:
    first = (
        seat("Ann", {7: 4, 6: 2, 9: 3, 12: 1}),
        seat("keller", {7: 4, 8: 5, 4: 2, 6: 7}, bot="keller"),
    )
    if players == 2:
        return first
    return (
        *first,
        seat("\u00dcnal \u6f22\u5b57", {7: 4, 8: 5, 10: 6, 3: 1}, away=True),
        seat("Benedict the Second", {7: 4, 8: 5, 5: 8}, bank=125.0),
    )


LOG = (
    Entry("notice", "Room LEZAT (Friday)"),
    Entry("event", "keller rolls 2 4 3 2", 1),
    Entry("event", "keller takes 4 + 7: 4 at 2 of 7 and 7 at 4 of 13", 1),
    Entry("event", "keller stops and keeps 4 at 2 of 7, 7 at 4 of 13 and 8 at 5 of 11", 1),
    Entry("chat", "keller: 7 again \u2026 of course, and it is the third time in a row tonight", 1),
    Entry("event", "Ann rolls 3 4 1 6", 0),
    Entry("event", "Ann takes 7 x2: 7 at 6 of 13", 0),
)


def scene_of(moment: str, players: int) -> Scene:
    """The scene that a golden file shows."""
    seats = seats_of(players)
    fields: dict[str, Any] = {}
    at: dict[str, Any] = {"log": LOG, "latency": 0.012, "dice": (3, 4, 1, 6)}
    if moment == "mid_turn":
        options = (
            Option((4, 8), columns({7: 6, 4: 1, 8: 1}), 126, 17),
            Option((6,), columns({7: 6, 6: 3, 12: 2}), 142, 21),
            Option((5,), columns({7: 6, 5: 1, 12: 2}), 172, 24),
            Option((10, 2), columns({7: 6, 10: 1, 2: 1}), 252, 33),
        )
        now = turn(
            0, "choose", {7: 6}, dice=(4, 2, 3, 5), options=options, seconds_left=23.4, rule_of_28=4
        )
        made = table(*seats, turn=now, spectators=("Dee",), owners={2: 1})
        at["highlighted"] = 1
    elif moment == "bust":
        at["bust"] = Busted(0, (1, 1, 3, 5), columns({7: 6, 6: 3, 12: 2}))
        at["dice"] = (1, 1, 3, 5)
        made = table(*seats, turn=turn(1, busting_rolls=3))
    elif moment == "claim":
        topped = turn(0, "roll_or_stop", {7: 13, 6: 4, 9: 5}, busting_rolls=505, rule_of_28=31)
        made = table(*seats, owners={12: 0, 8: 1, 2: 1}, turn=topped)
    elif moment == "win":
        won = Result(game="g1", winner=0, turns=14, abandoned=False)
        made = table(*seats, owners={12: 0, 7: 0, 9: 0, 8: 1}, phase="over", result=won)
    else:
        waiting = (seat("Ann"), None, *(seat("Ben"),) * (players - 2))[:players]
        fields = {"log": LOG[:1], "latency": None, "dice": None}
        made = table(*waiting, phase="waiting", game=None)
    room = RoomView(table=made, seat=0, seq=40)
    view = View(name="Ann", server="den", bots=("keller", "random"), room=room)
    return Scene(view=view, **(at | fields))
