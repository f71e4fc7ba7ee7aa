"""One game as a client sees it, to hold it against what the server reveals at the end.

No rules are needed: the course of a game can be told from its events.
"""

from typing import Final

from cantstop_protocol.dice import CHAIN_LINKS, Terms, Word, digits, hashed, witnessed_roll
from cantstop_protocol.events import (
    Abandoned,
    Advanced,
    AnyEvent,
    Busted,
    Finished,
    Resigned,
    Revealed,
    Rolled,
    Started,
    Stopped,
    WitnessAsked,
    Witnessed,
)
from cantstop_protocol.proof import BadProof, Played, Proof, Verdict, check, read_proof
from cantstop_protocol.table import Dice, DiceTerms, GameOptions, Table

_LETTERS: Final = "abcdef"
_UNKNOWN: Final = "?"

_LONGEST: Final = 50_000
"""Characters of a course that are checked at once; a game of people has hundreds."""


class Followed:
    """What was seen of a game, from its start or from later on.

    ``promise`` is the commitment as it was shown before, or since one came. ``broken`` says what
    was found to be wrong with the game; ``has_own``: one's own nonce is in it; ``is_over``: it
    has ended, and nothing is revealed yet; ``missed``: something of it may not have been seen.
    """

    def __init__(self, game: str, promise: str | None = None, started: Started | None = None):
        self.game = game
        self.broken = ""
        self.has_own = False
        self.is_over = False
        self.missed = False
        self._asked: int | None = None
        self._promise = promise
        self._started = started
        self._from_start = started is not None
        self._course = ""
        self._rolls = 0 if started is None else len(started.draw)
        self._options: tuple[tuple[int, ...], ...] = ()
        self._witnessed: Witnessed | None = None
        self._links: dict[int | None, tuple[int, bytes]] = {}
        self._ended: tuple[int | None, int, bool] | None = None

    @property
    def next_roll(self) -> int | None:
        """The number of the roll that comes next; None if not all was seen."""
        return self._rolls + 1 if self._from_start else None

    def lose_track(self) -> None:
        """Something was missed: what was seen before it tells nothing about the end any more."""
        self.missed = True
        self._from_start = False
        self._course = ""
        self._options = ()
        self._asked = None

    def asks(self, roll: int) -> None:
        """A witness is asked for its word, so this roll has to be what comes next."""
        self._asked = roll

    def take(self, event: AnyEvent) -> str:
        """Follow an event: what is wrong with it, empty if nothing is."""
        match event:
            case WitnessAsked(roll=roll):
                self.asks(roll)
            case Witnessed():
                self._witnessed = event
            case Rolled(seat=seat, dice=dice, options=options):
                self._options = options
                return self._remembered(self._roll(seat, dice))
            case Busted(seat=seat, dice=dice):
                return self._remembered(self._roll(seat, dice))
            case Advanced(columns=columns):
                self._choose(columns)
                return self._remembered(self._asked_too_early())
            case Stopped():
                self._course += "."
                return self._remembered(self._asked_too_early())
            case Resigned(seat=seat):
                self._asked = None
                self._course += f"-{seat + 1}"
            case Finished(winner=winner, turns=turns):
                self._ended = (winner, turns, False)
            case Abandoned(turns=turns):
                self._ended = (None, turns, True)
        return ""

    def verdict(self, revealed: Revealed, table: Table) -> tuple[bool, str]:
        """Whether all was as it should be, and the line that says so."""
        try:
            proof = read_proof(revealed.proof)
        except BadProof as error:
            return False, f"the server's proof cannot be read: {error}"
        fault = self.broken or self._disagreement(revealed, proof)
        if not fault and len(revealed.course) > _LONGEST:
            fault = "the game is too long to be checked here"
        if fault:
            return False, f"THE CHECK FAILS: {fault}"
        verdict = check(_played(revealed), proof)
        if not verdict.holds:
            return False, f"THE CHECK FAILS: roll {verdict.roll} does not hold: {verdict.fault}"
        return True, self._praise(verdict, proof, table)

    def _disagreement(self, revealed: Revealed, proof: Proof) -> str:
        """How what is revealed differs from what was seen."""
        if self._promise not in (None, proof.commitment.hex()):
            return "the seed is not the one that was promised"
        started = self._started
        if started is not None and started.dice is not None:
            if _told(proof) != started.dice:
                return "the proof names other contributions than the game began with"
            sums = tuple(total for _, total in started.draw)
            if tuple(map(sum, proof.draw)) != sums or revealed.first != started.first:
                return "the draw for the first seat was another"
            if _setup(revealed.options) != _setup(started.options):
                return "the game was played by other rules"
        complete = revealed.course == self._course
        if not (complete if self._from_start else revealed.course.endswith(self._course)):
            return "the revealed game is not the one that was played here"
        result = revealed.result
        if self._ended not in (None, (result.winner, result.turns, result.abandoned)):
            return "the revealed result is not the one that was told here"
        return ""

    def _praise(self, verdict: Verdict, proof: Proof, table: Table) -> str:
        if self.missed:
            promised = "the revealed seed; your client has not seen all of the game"
        elif self._started is not None and self._promise is not None:
            promised = "the seed that was promised before the game"
        else:
            promised = "the revealed seed; you came after it was promised"
        own = ", with your client's number in it" if self.has_own else ""
        text = f"all {verdict.rolls} rolls are right: they follow from {promised}{own}"
        if proof.kind == "witnessed":
            text += f"; {verdict.witnessed} of {len(proof.rolls)} in the game were witnessed"
        seats = dict(enumerate(table.seats))
        idle = [
            seat.name
            for number in verdict.missing
            if (seat := seats.get(number)) is not None and seat.bot is None
        ]
        return f"{text}; nothing was added by {', '.join(idle)}" if idle else text

    def _choose(self, columns: tuple[int, ...]) -> None:
        if not self._options and not self._from_start:
            # A choice among options that were not seen: what is known begins after it.
            self._course = ""
            return
        letters = dict(zip(self._options, _LETTERS, strict=False))
        self._course += letters.get(columns, _UNKNOWN)
        self._options = ()

    def _remembered(self, fault: str) -> str:
        self.broken = self.broken or fault
        return fault

    def _asked_too_early(self) -> str:
        """What is wrong when a decision follows the question for a roll's witness."""
        asked, self._asked = self._asked, None
        if asked is None:
            return ""
        return f"the server had the word for roll {asked} before it was due: it could foresee it"

    def _roll(self, seat: int, dice: Dice) -> str:
        self._asked = None
        before = self._course
        self._course += digits(dice)
        self._rolls += 1
        witnessed, self._witnessed = self._witnessed, None
        terms = None if self._started is None else self._started.dice
        if terms is None or terms.kind == "committed" or not self._from_start:
            return ""
        if witnessed is None or witnessed.roll != self._rolls:
            return f"roll {self._rolls} came without a word on its witness"
        if witnessed.seat is None:
            return ""
        return self._check_witnessed(terms, witnessed, before, seat, dice)

    def _check_witnessed(
        self, terms: DiceTerms, witnessed: Witnessed, before: str, seat: int, dice: Dice
    ) -> str:
        """What is wrong with a witnessed roll, empty if nothing is."""
        number, witness = self._rolls, witnessed.seat
        try:
            link, server = (
                bytes.fromhex(witnessed.link or ""),
                bytes.fromhex(witnessed.server or ""),
            )
            read = _terms(terms)
        except ValueError:
            return f"roll {number} came with links that cannot be read"
        if witness is None or witness == seat or not 0 <= witness < len(read.chains) - 1:
            return f"roll {number} was witnessed by whoever rolled it, or by nobody"
        if number > CHAIN_LINKS:
            return f"roll {number} came with links past the end of their chains"
        for owner, tip, value in (
            (None, read.chains[0], server),
            (witness, read.chains[witness + 1], link),
        ):
            at, known = self._links.get(owner, (0, tip))
            if hashed(value, number - at) != known:
                return f"roll {number} came with a link of another chain"
            self._links[owner] = (number, value)
        follows = witnessed_roll(server, read, number, before, Word(witness, link))
        return "" if follows == dice else f"roll {number} does not follow from its witness's word"


def _played(revealed: Revealed) -> Played:
    options, result = revealed.options, revealed.result
    return Played(
        game=revealed.game,
        seats=options.seats,
        target=options.target,
        dead_markers=options.dead_markers,
        first=revealed.first,
        course=revealed.course,
        abandoned=result.abandoned,
        winner=result.winner,
        turns=result.turns,
    )


def _setup(options: GameOptions) -> tuple[object, ...]:
    return options.seats, options.target, options.dead_markers


def _told(proof: Proof) -> DiceTerms:
    """What the game must have begun with, if this is its proof."""
    server, *seats = proof.chains or (None,)
    return DiceTerms(
        kind=proof.kind,
        commitment=proof.commitment.hex(),
        nonces=tuple(map(_hex, proof.nonces)),
        server_chain=_hex(server),
        chains=tuple(map(_hex, seats)),
    )


def _terms(terms: DiceTerms) -> Terms:
    """Raises ``ValueError`` for what is no hex."""
    nonces = tuple(map(_bytes, terms.nonces))
    return Terms(nonces, (_bytes(terms.server_chain), *map(_bytes, terms.chains)))


def _hex(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def _bytes(value: str | None) -> bytes | None:
    return None if value is None else bytes.fromhex(value)
