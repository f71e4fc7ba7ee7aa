"""The client's own part in the dice: it contributes, witnesses, and checks what it is told.

Pure but for the secrets it is given: a message leads to commands and to what the person is told.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from cantstop_client.followed import Followed
from cantstop_client.happenings import DiceChecked
from cantstop_client.view import own_seat
from cantstop_protocol.commands import Command, Contribute, Witness
from cantstop_protocol.dice import CHAIN_LINKS, SECRET_BYTES, Chain
from cantstop_protocol.events import (
    Abandoned,
    AnyEvent,
    Busted,
    Contributed,
    Finished,
    Resigned,
    Revealed,
    Rolled,
    Started,
    WitnessAsked,
    Witnessed,
)
from cantstop_protocol.messages import Entered, Exit, Message, Update, Welcome
from cantstop_protocol.table import DiceTerms, Table


class Asking(NamedTuple):
    """A command that the client sends by itself."""

    kind: type[Command]
    fields: dict[str, Any]


class Findings(NamedTuple):
    """What follows from a message: what to send, and what to tell the person."""

    asking: list[Asking]
    told: list[DiceChecked]


@dataclass(slots=True)
class _Contribution:
    """What is contributed to one promise. ``taken``: the server has shown that it is in."""

    commitment: str
    nonce: bytes = field(repr=False)
    chain: Chain | None = None
    taken: bool = False


@dataclass(slots=True)
class _Turn:
    """Who is to roll, and what one's own client has to do with the roll.

    ``asked``: it was asked to witness. ``unaware``: it came while the roll waited already.
    ``witnessed`` is what was told of the witness when the roll itself is still to come. ``passed``
    is how often it was passed over in this game.
    """

    seat: int = 0
    asked: bool = False
    unaware: bool = False
    witnessed: Witnessed | None = None
    passed: int = 0


_LATE: Final = 2
"""After being passed over so often a client is not asked any more."""


class DiceWatch:
    """One session's eye on the dice of the room it is in.

    ``secret`` gives 32 random bytes. Nonces and chains are kept in memory alone: a client that is
    started anew cannot witness any more in a running game, and says so.
    """

    def __init__(
        self, secret: Callable[[], bytes] = lambda: secrets.token_bytes(SECRET_BYTES)
    ) -> None:
        self._secret = secret
        self._name = ""
        self._found = Findings([], [])
        self._live = True
        self._leave_room()

    def receive(self, message: Message) -> Findings:
        """What follows from this message."""
        self._found = Findings([], [])
        match message:
            case Welcome(name=name):
                self._name = name
            case Exit():
                self._leave_room()
            case Entered():
                self._entered(message)
            case Update(table=table, seq=seq) if table.room == self._room and seq > self._seq:
                self._updated(message)
        return self._found

    def _leave_room(self) -> None:
        self._room = ""
        self._seq = 0
        self._promise: str | None = None
        self._own: _Contribution | None = None
        self._game: Followed | None = None
        self._in_game: _Contribution | None = None
        self._place: tuple[int, int] | None = None
        self._answered: tuple[str, int] | None = None
        self._turn = _Turn()

    def _entered(self, entered: Entered) -> None:
        known = entered.table.room == self._room
        if not known:
            self._leave_room()
            self._room = entered.table.room
        if not entered.complete:
            self._lose_track()
        self._live = False
        for numbered in entered.events:
            if numbered.seq > self._seq:
                self._event(numbered.event, entered.seat, entered.table)
        self._live = True
        self._seq = max(self._seq, entered.seq)
        if not known:
            # What was before one came is no news.
            self._found.told.clear()
        self._answered = None
        # Whether it was to be asked for the roll that waits now cannot be told.
        self._turn.unaware = True
        self._look_at(entered.table, entered.seat, anew=True)

    def _updated(self, update: Update) -> None:
        if update.seq > self._seq + 1:
            self._lose_track()
        self._seq = update.seq
        seat = own_seat(update.table, self._name)
        self._event(update.event, seat, update.table)
        if not update.more:
            self._look_at(update.table, seat)

    def _lose_track(self) -> None:
        """Something was missed, which may have been the beginning or the end of a game."""
        self._promise = None
        if self._game is not None:
            self._game.lose_track()

    def _look_at(self, table: Table, seat: int | None, *, anew: bool = False) -> None:
        """Do what the table, as it is now, asks for."""
        promise = table.dice
        if table.phase != "playing":
            self._end_game()
            if promise is not None:
                self._promised(promise.commitment)
                if seat is not None:
                    taken = promise.contributed[seat : seat + 1] == (True,)
                    self._contribute(table, promise.commitment, taken=taken, anew=anew)
        elif promise is not None and table.game is not None:
            if self._game is None or self._game.game != table.game:
                self._game = Followed(table.game, promise.commitment)
            if promise.roll is not None and promise.witness == seat:
                self._turn.asked = True
                self._witness(table, promise.roll)
            if table.turn is not None:
                self._turn.seat = table.turn.seat
            if promise.roll is None:
                self._turn.unaware = False

    def _end_game(self) -> None:
        game, self._game = self._game, None
        if game is not None and (game.is_over or not game.missed):
            self._tell(False, "the server gives no proof of this game's rolls", game.game)

    def _promised(self, commitment: str) -> None:
        if self._promise not in (None, commitment):
            self._tell(
                False,
                f"the server takes back its promise {self._promise:.12} and makes another,"
                f" {commitment:.12}, before a game: it may choose its rolls",
            )
        self._promise = commitment

    def _contribute(self, table: Table, commitment: str, *, taken: bool, anew: bool) -> None:
        """Contribute to a new promise, once more on entering, and with a chain if it is needed."""
        own = self._own
        if own is None or own.commitment != commitment:
            own, anew = _Contribution(commitment, self._secret()), True
        if table.options.dice == "witnessed" and own.chain is None:
            own.chain, anew = Chain(self._secret()), True
        self._own = own
        own.taken = own.taken or taken
        if anew:
            tip = None if own.chain is None else own.chain.tip.hex()
            fields = {"commitment": commitment, "nonce": own.nonce.hex(), "chain": tip}
            self._found.asking.append(Asking(Contribute, fields))

    def _witness(self, table: Table, roll: int) -> None:
        """Give the link for the roll that is due, and for no other."""
        game = self._game
        if game is None or self._answered == (game.game, roll):
            return
        self._answered = (game.game, roll)
        game.asks(roll)
        chain = None if self._in_game is None else self._in_game.chain
        link = None
        if chain is not None and game.next_roll == roll and roll <= CHAIN_LINKS:
            link = chain.link(roll).hex()
        else:
            self._tell(
                True,
                "this client has not seen the whole game, so it cannot witness its rolls any more",
                game.game,
            )
            self._turn.passed = _LATE
        fields = {"game": game.game, "roll": roll, "link": link}
        self._found.asking.append(Asking(Witness, fields))

    def _event(self, event: AnyEvent, seat: int | None, table: Table) -> None:
        match event:
            case Contributed(seat=giver) if giver == seat and self._own is not None:
                self._own.taken = True
            case Started():
                self._started(event, seat)
            case WitnessAsked():
                self._answered = None
                self._turn.asked = self._turn.asked or event.seat == seat
            case Revealed(game=game):
                followed, self._game = self._game, None
                if followed is not None and followed.game != game and not followed.missed:
                    self._tell(
                        False,
                        f"THE CHECK FAILS: the server's proof is of game {game}, not of this one",
                        followed.game,
                    )
                    return
                if followed is None or followed.game != game:
                    followed = Followed(game)
                self._tell(*followed.verdict(event, table), game)
            case _ if self._game is not None:
                if isinstance(event, Witnessed):
                    self._turn.witnessed = event
                elif isinstance(event, Rolled | Busted):
                    self._check_heard(self._game, event.seat)
                elif isinstance(event, Resigned) and event.seat == self._turn.seat:
                    self._turn.asked = False
                fault = self._game.take(event)
                if fault:
                    self._tell(False, fault, self._game.game)
                if isinstance(event, Finished | Abandoned):
                    self._game.is_over = True

    def _check_heard(self, game: Followed, roller: int) -> None:
        """Whether one's own client should have been this roll's witness, and was not.

        Where one sits among how many was settled when the game began: no later table counts.
        """
        turn, self._turn = self._turn, _Turn(passed=self._turn.passed)
        witnessed, place = turn.witnessed, self._place
        if witnessed is None or self._in_game is None or place is None or turn.passed >= _LATE:
            return
        seat, seats = place
        if seat in (roller, witnessed.seat):
            return
        if witnessed.seat is not None and (seat - roller) % seats > (
            (witnessed.seat - roller) % seats
        ):
            return
        roll = f"roll {witnessed.roll} goes without your client's word"
        if turn.asked:
            self._turn.passed += 1
            if self._live:
                why = "it came too late, or the server left it out"
                self._tell(False, f"{roll}: {why}", game.game)
        elif self._live and not turn.unaware and witnessed.roll <= CHAIN_LINKS:
            self._tell(False, f"{roll}: the server did not ask for it", game.game)

    def _started(self, started: Started, seat: int | None) -> None:
        self._end_game()
        own, promise, terms = self._own, self._promise, started.dice
        self._own = self._promise = self._in_game = self._answered = None
        self._turn = _Turn()
        self._game = game = Followed(started.game, promise, started)
        if terms is None:
            if promise is not None:
                game.broken = "the server promised its rolls and then makes others"
        elif terms.kind != started.options.dice:
            game.broken = (
                f"the server plays with {terms.kind} dice where {started.options.dice} ones were"
                " agreed on"
            )
        elif promise not in (None, terms.commitment):
            game.broken = (
                f"the server promised {promise:.12} before the game and plays with"
                f" {terms.commitment:.12}: it may have chosen its rolls"
            )
        elif own is not None and seat is not None and own.commitment == terms.commitment:
            self._check_own(game, own, terms, seat)
        if game.broken:
            self._tell(False, game.broken, game.game)

    def _check_own(self, game: Followed, own: _Contribution, terms: DiceTerms, seat: int) -> None:
        """Whether what was contributed is in the game, as it was sent."""
        nonce = terms.nonces[seat] if seat < len(terms.nonces) else None
        chain = terms.chains[seat] if seat < len(terms.chains) else None
        game.has_own = nonce == own.nonce.hex()
        if nonce is None and not own.taken:
            self._tell(True, "your client's number came too late for this game", game.game)
        elif not game.has_own:
            game.broken = "the server plays without the number that your client gave it"
        elif chain is not None and (own.chain is None or chain != own.chain.tip.hex()):
            game.broken = "the server plays with another chain than your client's"
        elif chain is not None:
            self._in_game = own
            self._place = seat, len(terms.chains)
        elif terms.kind == "witnessed":
            text = "your client's chain is not in this game, so it witnesses none of the rolls"
            self._tell(True, text, game.game)

    def _tell(self, ok: bool, text: str, game: str = "") -> None:
        self._found.told.append(DiceChecked(game, ok, f"Dice: {text}"))
