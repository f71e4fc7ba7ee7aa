"""The dice of a room: what is promised before a game, how each roll comes about, the proof of it.

``docs/dice.md`` says what this is for. Where nothing is promised, in a game that began before
there were promises, dice come from the world as they are.
"""

from functools import lru_cache
from typing import Final, cast

from msgspec.structs import replace

from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import Contribute
from cantstop_protocol.dice import (
    CHAIN_LINKS,
    Chain,
    Terms,
    Word,
    commitment,
    committed_roll,
    digits,
    hashed,
    seal,
    server_root,
    witnessed_roll,
)
from cantstop_protocol.events import Revealed
from cantstop_protocol.proof import Played, Proof, Witnessing, ending, proof_text
from cantstop_protocol.table import Dice, DiceTerms, Promise, Result
from cantstop_server.rooms.outcome import World
from cantstop_server.rooms.promise import Asked, GameDice, Given, Offer
from cantstop_server.rooms.refused import Refused
from cantstop_server.rooms.state import LiveGame, Person, RoomState

MISSES_TO_PASS: Final = 2
"""Who did not answer so often in a game is not asked for its rolls any more."""

_NOBODY: Final = "-"


def promised(state: RoomState, world: World) -> RoomState:
    """The room with dice for its next game, as long as none is running."""
    if world.secret is None or state.playing or state.offer is not None:
        return state
    return replace(state, offer=Offer(world.secret()))


def contribute(state: RoomState, person: Person, command: Contribute) -> RoomState:
    """The room with what a seated person's client gives; the same again changes nothing.

    A chain may follow the nonce. Another nonce is that of a client that was started anew: it
    counts, and what the former one has given does not. Raises ``Refused`` for an answer to another
    promise, and for another chain with the nonce that is there.
    """
    offer = state.offer
    if offer is None or state.playing:
        raise Refused(ErrorCode.STALE, "the game has begun, or no dice are promised here")
    if bytes.fromhex(command.commitment) != commitment(offer.seed):
        raise Refused(ErrorCode.STALE, "this answers another promise: see the newest table")
    nonce = bytes.fromhex(command.nonce)
    chain = None if command.chain is None else bytes.fromhex(command.chain)
    given = next((one for one in offer.given if one.player == person.player), None)
    if given is not None and given.nonce == nonce:
        if None not in (given.chain, chain) and given.chain != chain:
            raise Refused(ErrorCode.NOT_ALLOWED, "you have contributed already: it stays as it is")
        if chain is None or given.chain is not None:
            return state
    others = tuple(
        one
        for one in offer.given
        if one.player != person.player and state.seat_of(one.player) is not None
    )
    given = Given(person.player, nonce, chain)
    return replace(state, offer=replace(offer, given=(*others, given)))


def begin(state: RoomState) -> GameDice | None:
    """The dice of the game that is about to begin, with what is there by now; None without."""
    offer = state.offer
    if offer is None:
        return None
    by_player = {given.player: given for given in offer.given}
    given = tuple(
        None if seat is None or seat.player is None else by_player.get(seat.player)
        for seat in state.seats
    )
    nonces = tuple(None if one is None else one.nonce for one in given)
    if state.options.dice == "committed":
        return GameDice("committed", offer.seed, nonces)
    chains = tuple(None if one is None else one.chain for one in given)
    return GameDice(
        "witnessed",
        offer.seed,
        nonces,
        server_chain=_chain(offer.seed).tip,
        chains=chains,
        links=chains,
        misses=(0,) * len(chains),
    )


def told_terms(dice: GameDice) -> DiceTerms:
    """What everybody is told of a game's dice when it begins."""
    return DiceTerms(
        kind=dice.kind,
        commitment=commitment(dice.seed).hex(),
        nonces=_in_hex(dice.nonces),
        server_chain=None if dice.server_chain is None else dice.server_chain.hex(),
        chains=_in_hex(dice.chains),
    )


def promise_of(state: RoomState) -> Promise | None:
    """What the table says of the dice: of the running game's, or of the next one's."""
    if state.playing:
        dice = None if state.game is None else state.game.dice
        if dice is None:
            return None
        there = tuple(nonce is not None for nonce in dice.nonces)
        asked = dice.asked
        return Promise(
            commitment=commitment(dice.seed).hex(),
            contributed=there,
            witness=None if asked is None else asked.witness,
            roll=None if asked is None else dice.rolls + 1,
        )
    if state.offer is None:
        return None
    givers = {given.player for given in state.offer.given}
    return Promise(
        commitment=commitment(state.offer.seed).hex(),
        contributed=tuple(seat is not None and seat.player in givers for seat in state.seats),
    )


def drawn(dice: GameDice) -> tuple[GameDice, Dice]:
    """The next roll for the first seat. It is never witnessed."""
    number = dice.rolls + 1
    rolled = committed_roll(dice.seed, _terms(dice), number, "")
    return replace(dice, draw=(*dice.draw, digits(rolled)), rolls=number), rolled


def committed(live: LiveGame) -> tuple[LiveGame, Dice]:
    """The next roll by the seed alone."""
    dice = _dice_of(live)
    rolled = committed_roll(dice.seed, _terms(dice), dice.rolls + 1, live.course)
    return _counted(live, dice, _NOBODY, dice.links), rolled


def witnessed(live: LiveGame, link: bytes) -> tuple[LiveGame, Dice, bytes]:
    """The next roll with the link of the witness who was asked, and the server's link for it.

    Raises ``Refused`` for a link that is not the one for this roll.
    """
    dice = _dice_of(live)
    assert dice.asked is not None
    seat, number = dice.asked.witness, dice.rolls + 1
    known = dice.links[seat]
    if hashed(link, number - _latest(dice, seat)) != known:
        raise Refused(ErrorCode.NOT_ALLOWED, f"this is not your chain's link for roll {number}")
    server = _chain(dice.seed).link(number)
    terms = _terms(dice)
    rolled = witnessed_roll(server, terms, number, live.course, Word(seat, link))
    links = (*dice.links[:seat], link, *dice.links[seat + 1 :])
    return _counted(live, dice, str(seat), links), rolled, server


def next_witness(state: RoomState, passed: tuple[int, ...] = ()) -> int | None:
    """Who is to witness the roll that is due: the next person who can, after whoever rolls."""
    live, position = state.game, state.position
    dice = None if live is None else live.dice
    if dice is None or position is None or dice.kind == "committed" or dice.rolls >= CHAIN_LINKS:
        return None
    seats = len(state.seats)
    for seat in ((position.seat + step) % seats for step in range(1, seats)):
        if seat not in passed and can_witness(state, dice, seat):
            return seat
    return None


def can_witness(state: RoomState, dice: GameDice, index: int) -> bool:
    """Whether somebody is there whose client has a chain, and has not failed too often."""
    seat = state.seats[index]
    return (
        seat is not None
        and seat.player is not None
        and not seat.away
        and not seat.gone
        and dice.chains[index] is not None
        and dice.misses[index] < MISSES_TO_PASS
    )


def asking(live: LiveGame, asked: Asked | None) -> LiveGame:
    """The game with a roll that waits for this witness, or for none any more."""
    dice = live.dice
    if dice is None or dice.asked == asked:
        return live
    return replace(live, dice=replace(dice, asked=asked))


def asked_of(state: RoomState) -> Asked | None:
    """Whom the running game waits for to witness a roll, if it does."""
    if not state.playing or state.game is None or state.game.dice is None:
        return None
    return state.game.dice.asked


def missed(live: LiveGame, seat: int, times: int) -> LiveGame:
    """The game after this seat did not witness a roll."""
    dice = _dice_of(live)
    misses = (*dice.misses[:seat], dice.misses[seat] + times, *dice.misses[seat + 1 :])
    return replace(live, dice=replace(dice, misses=misses))


def revealed(state: RoomState, result: Result) -> Revealed | None:
    """What the dice of the game that ends so can be checked with; None without promised dice."""
    live = state.game
    if live is None or live.dice is None:
        return None
    return Revealed(
        live.id, state.options, live.setup.first, live.course, result, _proof(live, result)
    )


def _proof(live: LiveGame, result: Result) -> str:
    dice = _dice_of(live)
    terms = _terms(dice)
    setup = live.setup
    played = Played(
        game=live.id,
        seats=setup.seats,
        target=setup.target,
        dead_markers="kept" if setup.keep_dead_markers else "removed",
        first=setup.first,
        course=live.course,
        abandoned=result.abandoned,
        winner=result.winner,
        turns=result.turns,
    )
    draw = tuple(map(_dice, dice.draw))
    return proof_text(
        Proof(
            kind=dice.kind,
            commitment=commitment(dice.seed),
            seed=dice.seed,
            nonces=dice.nonces,
            draw=draw,
            seal=seal(dice.seed, live.id, terms, ending(played, draw)),
            chains=terms.chains,
            rolls=_witnessings(dice),
        )
    )


def _witnessings(dice: GameDice) -> tuple[Witnessing | None, ...]:
    """How each roll of the course was witnessed. A chain's latest link has all before it."""
    if dice.kind == "committed":
        return ()
    found: list[Witnessing | None] = []
    later = {seat: (_latest(dice, seat), link) for seat, link in enumerate(dice.links)}
    chain = _chain(dice.seed)
    for number, mark in reversed(tuple(enumerate(dice.marks, start=len(dice.draw) + 1))):
        if mark == _NOBODY:
            found.append(None)
            continue
        seat = int(mark)
        at, link = later[seat]
        assert link is not None
        link = hashed(link, at - number)
        later[seat] = (number, link)
        found.append(Witnessing(chain.link(number), Word(seat, link)))
    return tuple(reversed(found))


def _latest(dice: GameDice, seat: int) -> int:
    """The number of the roll that the seat's latest link was for, 0 for the tip."""
    at = dice.marks.rfind(str(seat))
    return 0 if at < 0 else len(dice.draw) + at + 1


def _counted(
    live: LiveGame, dice: GameDice, mark: str, links: tuple[bytes | None, ...]
) -> LiveGame:
    marks = dice.marks + mark if dice.kind == "witnessed" else ""
    counted = replace(dice, rolls=dice.rolls + 1, marks=marks, links=links, asked=None)
    return replace(live, dice=counted)


def _terms(dice: GameDice) -> Terms:
    chains = (dice.server_chain, *dice.chains) if dice.kind == "witnessed" else ()
    return Terms(dice.nonces, chains)


def _dice_of(live: LiveGame) -> GameDice:
    assert live.dice is not None
    return live.dice


def _dice(text: str) -> Dice:
    return cast("Dice", tuple(map(int, text)))


def _in_hex(values: tuple[bytes | None, ...]) -> tuple[str | None, ...]:
    return tuple(None if value is None else value.hex() for value in values)


@lru_cache(maxsize=512)
def _chain(seed: bytes) -> Chain:
    """The server's chain: the same for all rolls of a game, and tedious to make."""
    return Chain(server_root(seed))
