"""A room without sockets whose people have the client's own eye on the dice."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any

from msgspec.structs import replace
from roomscript import ANN, BEN, CAT, DAN

from cantstop_client.dice_watch import Asking, DiceWatch
from cantstop_client.happenings import DiceChecked
from cantstop_protocol import commands, events, messages
from cantstop_protocol.table import GameOptions
from cantstop_server.players.registry import make_player
from cantstop_server.rooms import bots, dicing, play, seating, witness
from cantstop_server.rooms.dispatch import step
from cantstop_server.rooms.outcome import Outcome, World
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.state import Accepted, Person, RoomState, dump, load
from cantstop_server.rooms.table import table_of
from cantstop_server.rules.game import Phase
from cantstop_server.storage.types import ArchivedGame

PEOPLE = (ANN, BEN, CAT, DAN)
Tamper = Callable[[messages.Message], messages.Message]


def promising_world(seed: int) -> World:
    """A world that promises its dice, the same ones for the same seed."""
    chance, ticks, games = Random(seed), count(), count(1)
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def never() -> Any:
        raise AssertionError("dice that were not promised")

    return World(
        roll_dice=never,
        now=lambda: start + timedelta(seconds=next(ticks)),
        game_id=lambda: f"game{next(games)}",
        secret=lambda: chance.randbytes(32),
    )


class DiceTable:
    """A room, its people and what their clients have told them.

    ``silent`` are people whose clients are never heard; ``tamper`` changes what a person is told.
    """

    def __init__(
        self,
        people: int = 2,
        computers: int = 0,
        *,
        seed: int = 7,
        silent: Iterable[Person] = (),
        world: World | None = None,
        **options: Any,
    ) -> None:
        self.world = world or promising_world(seed)
        self.chance = Random(seed + 1)
        self.watches: dict[int, DiceWatch] = {}
        self.told: dict[int, list[DiceChecked]] = {}
        self.refused: list[Refused] = []
        self.silent = {person.player for person in silent}
        self.tamper: dict[int, Tamper] = {}
        self.events: list[events.Event] = []
        self.archive: list[ArchivedGame] = []
        self._seen: dict[int, int] = {}
        self._ids = count(2)
        self._asked: deque[tuple[Person, Asking]] = deque()
        options = {"seats": people + computers, **options}
        self.state, opening = seating.open_room(
            "BADOK", "", None, GameOptions(**options), ANN, Accepted(1, "instance", 1)
        )
        self.people = PEOPLE[:people]
        for person in self.people:
            self.enter(person, opening=opening)
            opening = ()
        for _ in range(computers):
            self.do(ANN, commands.AddBot, kind="keller")

    def watch_of(self, person: Person) -> DiceWatch:
        chance = Random(person.player)
        return DiceWatch(lambda: chance.randbytes(32))

    def enter(self, person: Person, *, opening: Any = (), watch: bool = False) -> None:
        """Somebody comes in with a client that has seen nothing of the room yet."""
        if person.player not in self.watches:
            self.watches[person.player] = self.watch_of(person)
            self.told.setdefault(person.player, [])
            self._tell(person, messages.Welcome(re=1, name=person.name, rooms=()))
        state, fresh = seating.enter(self.state, person, watch=watch, spectator_limit=5)
        self._take(Outcome(state, (*opening, *fresh)), newcomer=person)
        seen = self._seen.get(person.player, 0)
        entered = messages.Entered(
            re=1,
            seat=self.state.seat_of(person.player),
            seq=self.state.seq,
            events=tuple(
                messages.NumberedEvent(n, e) for n, e in enumerate(self.events, 1) if n > seen
            ),
            complete=True,
            table=table_of(self.state),
        )
        self._tell(person, entered)
        self._answer()

    def leave_behind(self, person: Person) -> None:
        """The person's client ends: a new one has seen nothing and remembers nothing."""
        del self.watches[person.player]
        self._seen.pop(person.player)
        self.vanish(person)

    def vanish(self, person: Person) -> None:
        self._take(Outcome(*seating.vanish(self.state, person)), newcomer=person)
        self._answer()

    def restart(self) -> None:
        """The server is killed, and takes up the room as it was last written down."""
        self.state = load(dump(self.state))

    def do(self, person: Person, kind: type[commands.Command], /, **fields: Any) -> None:
        """A command of a person, and all that the clients do about it."""
        self._send(person, kind, fields)
        self._answer()

    def move(self, person: Person, kind: type[commands.Command], /, **fields: Any) -> None:
        assert self.state.position is not None
        self.do(person, kind, ply=self.state.position.ply, **fields)

    def pass_on(self) -> None:
        """The time of the witness who is asked is over."""
        self._take(witness.pass_on(self.state, self.world))
        self._answer()

    def abandon(self) -> None:
        """The game is given up for all."""
        self._take(play.abandon(self.state, self.world.now()))

    def play(self, kind: str = "random", moves: int = 10_000) -> ArchivedGame | None:
        """Play on as a computer player would, at most so many moves: the game if it has ended."""
        for _ in range(moves):
            if not self.state.playing:
                break
            self._move(kind)
        return None if self.state.playing else self.archive[-1]

    def _move(self, kind: str) -> None:
        position = self.state.position
        assert position is not None
        awaited = self.state.awaited_seat()
        assert awaited is not None
        if awaited[1].player is None:
            self._take(bots.bot_move(self.state, kind, self.world))
            self._answer()
            return
        person = Person(awaited[1].player, awaited[1].name)
        player = make_player(kind)
        if position.phase is Phase.CHOOSE:
            self.move(person, commands.Choose, option=player.choose(position) + 1)
        elif position.phase is Phase.ROLL_OR_STOP and player.stop(position):
            self.move(person, commands.Stop)
        else:
            self.move(person, commands.Roll)
        while dicing.asked_of(self.state) is not None:
            self.pass_on()

    def _send(self, person: Person, kind: type[commands.Command], fields: Any) -> None:
        command = kind(id=next(self._ids), **fields)
        self._take(step(self.state, person, command, self.world))

    def _answer(self) -> None:
        """What the clients ask for by themselves, until they ask for nothing more."""
        while self._asked:
            person, asking = self._asked.popleft()
            try:
                self._send(person, asking.kind, asking.fields)
            except Refused as refusal:
                self.refused.append(refusal)

    def _take(self, outcome: Outcome, newcomer: Person | None = None) -> None:
        outcome = witness.settled(self.state, outcome, self.world)
        seq = self.state.seq
        self.state: RoomState = replace(outcome.state, seq=seq + len(outcome.events))
        self.events += outcome.events
        if outcome.archive is not None:
            self.archive.append(outcome.archive)
        table = table_of(self.state)
        for player in self.state.present():
            person = next(one for one in PEOPLE if one.player == player)
            if person == newcomer or player not in self.watches:
                continue
            for number, event in enumerate(outcome.events, seq + 1):
                more = number < self.state.seq
                self._tell(person, messages.Update(seq=number, event=event, table=table, more=more))

    def _tell(self, person: Person, message: messages.Message) -> None:
        if isinstance(message, messages.Update | messages.Entered):
            self._seen[person.player] = message.seq
        tamper = self.tamper.get(person.player, lambda same: same)
        found = self.watches[person.player].receive(tamper(message))
        self.told[person.player] += found.told
        if person.player not in self.silent:
            self._asked.extend((person, asking) for asking in found.asking)
