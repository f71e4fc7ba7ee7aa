"""Promised and witnessed dice in a room: who may add what, and whose word a roll waits for."""

import msgspec
import pytest
from dicetable import DiceTable
from msgspec.structs import replace
from roomscript import ANN, BEN, CAT, DAN, refusal
from wire import scripted_world

from cantstop_protocol import commands, events
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.dice import Chain, commitment
from cantstop_protocol.proof import read_proof
from cantstop_server.rooms import dicing, play, relief, witness
from cantstop_server.rooms.agenda import Delays, Due, Task, agenda
from cantstop_server.rooms.clock import DecisionClock
from cantstop_server.rooms.outcome import Outcome
from cantstop_server.rooms.state import dump, load
from cantstop_server.rooms.table import table_of
from cantstop_server.verify import verify_game

DELAYS = Delays(bot=0.5, absence=30.0, seat=120.0, room=600.0, game=86_400.0, witness=3.0)
NONCE, OTHER, TIP = "11" * 32, "22" * 32, "33" * 32


def waiting(people: int = 2, **options: object) -> DiceTable:
    """A room before its game whose clients say nothing by themselves."""
    table = DiceTable(1, silent=(BEN, CAT, DAN), seats=people, **options)
    for person in (BEN, CAT, DAN)[: people - 1]:
        table.enter(person)
    return table


def promise(table: DiceTable) -> str:
    assert table.state.offer is not None
    return commitment(table.state.offer.seed).hex()


def given(table: DiceTable) -> tuple[bool, ...]:
    shown = table_of(table.state).dice
    assert shown is not None
    return shown.contributed


def begun(people: int = 3, computers: int = 0, **options: object) -> DiceTable:
    """A witnessed game that has begun."""
    table = DiceTable(people, computers, dice="witnessed", **options)
    table.do(ANN, commands.Start)
    return table


def asked(table: DiceTable) -> int | None:
    shown = table_of(table.state).dice
    assert shown is not None
    return shown.witness


def roller(table: DiceTable):
    assert table.state.position is not None
    return table.people[table.state.position.seat]


def ask(table: DiceTable) -> int:
    """Let whoever is to move roll while no client answers; the seat that is asked."""
    table.silent |= {person.player for person in table.people}
    table.move(roller(table), commands.Roll)
    seat = asked(table)
    assert seat is not None
    return seat


def link_of(table: DiceTable, seat: int) -> str:
    """The link that this seat's client would give now."""
    shown = table_of(table.state).dice
    assert shown is not None
    assert shown.roll is not None
    own = table.watches[table.people[seat].player]._in_game
    assert own is not None
    assert own.chain is not None
    return own.chain.link(shown.roll).hex()


def last(table: DiceTable, kind: type):
    return next(event for event in reversed(table.events) if isinstance(event, kind))


# Promises and contributions


def test_a_promise_stands_from_the_first_moment_until_a_game_uses_it() -> None:
    table = waiting()
    first = promise(table)
    table.do(BEN, commands.Chat, text="hello")
    table.do(ANN, commands.Configure, options=replace(table.state.options, target=2))
    table.do(ANN, commands.SwapSeats, seats=(0, 1))
    table.vanish(BEN)
    table.enter(BEN)
    table.restart()
    table.enter(ANN)
    assert promise(table) == first
    table.enter(BEN)
    table.do(ANN, commands.Start)
    begun = last(table, events.Started)
    assert begun.dice.commitment == first
    shown = table_of(table.state).dice
    assert (shown.commitment, shown.contributed) == (first, (False, True))
    table.do(ANN, commands.Resign)
    assert promise(table) != first
    assert given(table)[1]


def test_what_is_there_at_the_start_counts_and_what_is_missing_is_told() -> None:
    table = waiting(3)
    table.do(CAT, commands.Contribute, commitment=promise(table), nonce=NONCE)
    assert given(table) == (True, False, True)
    assert table.events[-1] == events.Contributed("Cat", 2)
    table.do(ANN, commands.Start)
    nonces = last(table, events.Started).dice.nonces
    assert [nonce is not None for nonce in nonces] == [True, False, True]
    assert nonces[2] == NONCE
    table.do(ANN, commands.Resign)
    table.do(BEN, commands.Resign)
    assert verify_game(table.archive[0]).idle == ("Ben",)


def test_a_contribution_goes_with_the_person_when_seats_change() -> None:
    table = waiting()
    table.do(ANN, commands.SwapSeats, seats=(0, 1))
    assert given(table) == (False, True)
    table.do(ANN, commands.Start)
    assert [nonce is not None for nonce in last(table, events.Started).dice.nonces] == [False, True]


def test_the_same_again_changes_nothing_and_another_number_takes_its_place() -> None:
    table = waiting()
    fields = {"commitment": promise(table), "nonce": NONCE}
    table.do(BEN, commands.Contribute, **fields)
    before, seen = table.state.offer, len(table.events)
    table.do(BEN, commands.Contribute, **fields)
    assert (table.state.offer, len(table.events)) == (before, seen)
    table.do(BEN, commands.Contribute, **fields, chain=TIP)
    assert table.state.offer != before
    chained = refusal(table.do, BEN, commands.Contribute, **fields, chain=OTHER)
    assert chained.code is ErrorCode.NOT_ALLOWED
    table.do(BEN, commands.Contribute, **fields)
    assert {one.chain for one in table.state.offer.given if one.player == BEN.player} == {
        bytes.fromhex(TIP)
    }
    table.do(BEN, commands.Contribute, **fields | {"nonce": OTHER})
    assert [
        (one.nonce, one.chain) for one in table.state.offer.given if one.player == BEN.player
    ] == [(bytes.fromhex(OTHER), None)]


def test_an_answer_to_another_promise_or_after_the_start_is_stale() -> None:
    table = waiting()
    earlier = promise(table)
    wrong = refusal(table.do, BEN, commands.Contribute, commitment=OTHER, nonce=NONCE)
    assert wrong.code is ErrorCode.STALE
    table.do(ANN, commands.Start)
    late = refusal(table.do, BEN, commands.Contribute, commitment=earlier, nonce=NONCE)
    assert late.code is ErrorCode.STALE
    assert last(table, events.Started).dice.nonces[1] is None
    table.do(ANN, commands.Resign)
    later = refusal(table.do, BEN, commands.Contribute, commitment=earlier, nonce=NONCE)
    assert later.code is ErrorCode.STALE


def test_who_watches_adds_nothing() -> None:
    table = waiting()
    table.enter(CAT, watch=True)
    table.silent.discard(CAT.player)
    table.enter(CAT, watch=True)
    refused = refusal(table.do, CAT, commands.Contribute, commitment=promise(table), nonce=NONCE)
    assert refused.code is ErrorCode.NOT_SEATED
    assert table.refused == []


def test_who_has_left_is_forgotten_and_can_add_anew() -> None:
    table = waiting()
    table.do(BEN, commands.Contribute, commitment=promise(table), nonce=NONCE)
    table.do(BEN, commands.Leave)
    table.enter(CAT)
    table.do(CAT, commands.Contribute, commitment=promise(table), nonce=OTHER)
    assert table.state.offer is not None
    assert {one.player for one in table.state.offer.given} == {ANN.player, CAT.player}


def test_nothing_secret_is_printed_or_shown_before_the_end() -> None:
    table = waiting(dice="witnessed")
    assert table.state.offer is not None
    seed = table.state.offer.seed
    secrets = {seed.hex(), repr(seed)}
    table.do(BEN, commands.Contribute, commitment=promise(table), nonce=NONCE, chain=TIP)
    shown = [repr(table.state), repr(table_of(table.state)), repr(table.world)]
    table.do(ANN, commands.Start)
    table.play(moves=30)
    shown += [repr(table.state), repr(table_of(table.state)), repr(table.events)]
    assert table.state.game is not None
    assert table.state.game.dice is not None
    shown.append(repr(table.state.game.dice))
    for text in shown:
        assert not any(secret in text for secret in secrets)
    table.do(ANN, commands.Resign)
    assert seed.hex() in last(table, events.Revealed).proof
    assert table.state.game.dice is None


def test_a_game_of_before_the_promises_goes_on_without_a_proof() -> None:
    table = DiceTable(2)
    table.do(ANN, commands.Start)
    assert table.state.game is not None
    old = replace(table.state, game=replace(table.state.game, dice=None), offer=None)
    table.state = load(dump(old))
    table.world = scripted_world([(6, 6, 5, 1), (1, 1, 1, 1)])
    table.enter(ANN)
    table.enter(BEN)
    assert table_of(table.state).dice is None
    table.move(roller(table), commands.Roll)
    assert isinstance(table.events[-1], events.Rolled | events.Busted)
    table.do(ANN, commands.Resign)
    assert isinstance(table.events[-1], events.Finished)
    assert table.archive[0].proof is None


def test_an_old_state_without_any_of_it_is_read() -> None:
    table = DiceTable(2)
    values = msgspec.msgpack.decode(dump(table.state))
    del values["offer"]
    del values["options"]["dice"]
    state = load(msgspec.msgpack.encode(values))
    assert load(msgspec.msgpack.encode([values, bytes(100)])) == state, "for a while it was padded"
    assert (state.offer, state.options.dice) == (None, "committed")
    settled = witness.settled(state, Outcome(state, ()), table.world)
    assert settled.state.offer is not None


# Rolls


def test_rolls_are_the_same_after_every_restart() -> None:
    table = DiceTable(2, dice="committed")
    table.do(ANN, commands.Start)
    for _ in range(30):
        table.play(moves=1)
        if not table.state.playing:
            break
        blob = dump(table.state)
        position = table.state.position
        assert position is not None
        if position.phase.startswith("roll"):
            first = play.roll(load(blob), table.world).events
            again = play.roll(load(blob), table.world).events
            assert first == again


def test_all_rolls_are_witnessed_by_the_next_person_who_is_there() -> None:
    table = begun(3, 1)
    table.play(moves=60)
    asks = [event for event in table.events if isinstance(event, events.WitnessAsked)]
    rolls = [e for e in table.events if isinstance(e, events.Rolled | events.Busted)]
    words = [event for event in table.events if isinstance(event, events.Witnessed)]
    assert len(asks) == len(rolls) == len(words) > 20
    for ask_, word, roll in zip(asks, words, rolls, strict=True):
        following = (roll.seat + 1) % 4
        if following == 3:
            following = 0
        assert ask_.seat == word.seat == following != roll.seat
        assert ask_.roll == word.roll
    assert {roll.seat for roll in rolls} == {0, 1, 2, 3}


def test_while_a_roll_waits_nothing_else_can_be_decided() -> None:
    table = begun()
    ask(table)
    who = roller(table)
    for kind in (commands.Roll, commands.Stop, commands.Choose):
        fields = {"option": 1} if kind is commands.Choose else {}
        refused = refusal(table.move, who, kind, **fields)
        assert refused.code is ErrorCode.NOT_ALLOWED
        assert "is asked to witness it" in refused.message
    table.do(who, commands.Chat, text="well?")
    assert asked(table) is not None


@pytest.mark.parametrize("people", [2, 3])
def test_who_does_not_answer_in_time_is_replaced_and_twice_is_enough(people: int) -> None:
    table = begun(people)
    first = ask(table)
    table.pass_on()
    if people == 3:
        second = asked(table)
        assert second is not None
        assert second not in (first, table.people.index(roller(table)))
        table.pass_on()
    assert asked(table) is None
    word = last(table, events.Witnessed)
    assert (word.seat, word.link, word.server) == (None, None, None)
    assert isinstance(table.events[-1], events.Rolled | events.Busted)
    for _ in range(40):
        table.play("cautious", moves=1)
    asks = [event.seat for event in table.events if isinstance(event, events.WitnessAsked)]
    assert {seat: asks.count(seat) for seat in range(people)} == dict.fromkeys(range(people), 2)
    table.do(ANN, commands.Resign)
    if people == 3:
        table.do(BEN, commands.Resign)
    game = table.archive[0]
    verdict = verify_game(game)
    assert verdict.holds
    assert verdict.dice.witnessed == 0


def test_a_wrong_an_old_and_a_foreign_link_change_nothing() -> None:
    table = begun()
    table.play(moves=4)
    seat = ask(table)
    witness_, who = table.people[seat], roller(table)
    third = next(p for p in table.people if p not in (witness_, who))
    game = table.state.game
    assert game is not None
    assert game.dice is not None
    number, right = game.dice.rolls + 1, link_of(table, seat)
    earlier = next(
        e.link for e in table.events if isinstance(e, events.Witnessed) and e.seat is not None
    )
    before = table.state
    fields = {"game": game.id, "roll": number}
    for person, more, code in (
        (witness_, {"link": OTHER}, ErrorCode.NOT_ALLOWED),
        (witness_, {"link": earlier}, ErrorCode.NOT_ALLOWED),
        (witness_, {"link": right, "roll": number + 1}, ErrorCode.STALE),
        (witness_, {"link": right, "roll": number - 1}, ErrorCode.STALE),
        (witness_, {"link": right, "game": "game99"}, ErrorCode.STALE),
        (third, {"link": right}, ErrorCode.STALE),
        (who, {"link": right}, ErrorCode.STALE),
    ):
        refused = refusal(table.do, person, commands.Witness, **fields | more)
        assert refused.code is code
        assert table.state == before
    table.do(witness_, commands.Witness, **fields, link=right)
    assert last(table, events.Witnessed).link == right
    again = refusal(table.do, witness_, commands.Witness, **fields, link=right)
    assert again.code is ErrorCode.STALE


def test_an_answer_that_comes_after_the_time_is_stale() -> None:
    table = begun(2)
    seat = ask(table)
    game = table.state.game
    assert game is not None
    assert game.dice is not None
    late = {"game": game.id, "roll": game.dice.rolls + 1, "link": link_of(table, seat)}
    table.pass_on()
    before = table.state
    refused = refusal(table.do, table.people[seat], commands.Witness, **late)
    assert refused.code is ErrorCode.STALE
    assert table.state == before


def test_who_says_that_there_is_no_link_is_not_waited_for_any_more() -> None:
    table = begun(3)
    seat = ask(table)
    game = table.state.game
    assert game is not None
    assert game.dice is not None
    fields = {"game": game.id, "roll": game.dice.rolls + 1}
    table.do(table.people[seat], commands.Witness, **fields)
    assert asked(table) not in (None, seat)
    table.pass_on()
    for _ in range(20):
        table.play("cautious", moves=1)
    asks = [event.seat for event in table.events if isinstance(event, events.WitnessAsked)]
    assert asks.count(seat) == 1


@pytest.mark.parametrize("how", ["vanish", "leave", "kick"])
def test_who_goes_while_asked_is_replaced_at_once(how: str) -> None:
    table = begun(3)
    seat = ask(table)
    gone = table.people[seat]
    if how == "vanish":
        table.vanish(gone)
    elif how == "leave":
        table.do(gone, commands.Leave)
    elif gone == ANN:
        table.do(ANN, commands.PassRoom, name=roller(table).name)
        table.do(roller(table), commands.Kick, name="Ann")
    else:
        table.do(ANN, commands.Kick, name=gone.name)
    assert asked(table) not in (None, seat)
    other = table.people[asked(table) or 0]
    table.vanish(other)
    assert asked(table) is None
    assert last(table, events.Witnessed).seat is None


def test_with_the_only_other_person_gone_a_roll_waits_for_nobody() -> None:
    table = begun(2)
    other = next(person for person in table.people if person != roller(table))
    table.vanish(other)
    table.move(roller(table), commands.Roll)
    assert asked(table) is None
    assert last(table, events.Witnessed).seat is None
    assert not any(isinstance(event, events.WitnessAsked) for event in table.events)


def test_the_roller_who_resigns_takes_the_question_along() -> None:
    table = begun(3)
    ask(table)
    who = roller(table)
    table.do(who, commands.Resign)
    assert asked(table) is None
    assert roller(table) != who
    table.silent.clear()
    table.move(roller(table), commands.Roll)
    assert last(table, events.Witnessed).seat is not None
    table.do(roller(table), commands.Resign)
    assert verify_game(table.archive[0]).holds


def test_another_who_resigns_leaves_the_question_as_it_is() -> None:
    table = begun(4)
    seat = ask(table)
    other = next(p for i, p in enumerate(table.people) if i != seat and p != roller(table))
    table.do(other, commands.Resign)
    assert asked(table) == seat
    table.silent.clear()
    table.enter(table.people[seat])
    assert last(table, events.Witnessed).seat == seat
    table.play(moves=10)
    for person in table.people:
        if table.state.playing and play.is_in_game(table.state, table.state.seat_of(person.player)):
            table.do(person, commands.Resign)
    assert verify_game(table.archive[0]).holds


def test_a_question_outlives_a_restart_and_the_witness_who_returns_answers() -> None:
    table = begun(2)
    seat = ask(table)
    table.restart()
    assert asked(table) == seat
    assert Task.WITNESS not in arranged(table)
    table.silent.clear()
    table.enter(roller(table))
    assert asked(table) == seat
    assert arranged(table)[Task.WITNESS].delay == 3.0
    table.enter(table.people[seat])
    assert last(table, events.Witnessed).seat == seat


def arranged(table: DiceTable) -> dict[Task, Due]:
    present = bool(table.state.present())
    return agenda(table.state, DELAYS, frozenset(), 0.0, present=present)


def test_while_a_roll_waits_only_the_witness_is_timed() -> None:
    table = begun(2, 1, decision_seconds=30)
    ask(table)
    assert set(arranged(table)) == {Task.WITNESS}


def test_the_clock_of_the_roller_stands_while_a_witness_is_awaited() -> None:
    table = begun(2, decision_seconds=30)
    now = [100.0]
    clock = DecisionClock(lambda: now[0])
    clock.follow(table.state)
    now[0] += 12
    ask(table)
    # The question is not durable yet, and the time is up meanwhile.
    now[0] += 30
    assert clock.is_up(table.state) is False
    now[0] -= 30
    clock.follow(table.state)
    now[0] += 500
    assert clock.elapsed(table.state) == 12
    assert clock.seconds_left(table.state) == 18
    assert not clock.is_up(table.state)


def test_a_roll_that_was_asked_for_in_time_makes_the_next_overrun_the_first() -> None:
    table = begun(2, decision_seconds=30)
    ask(table)
    table.pass_on()
    who = table.state.position.seat
    while table.state.position.seat == who and table.state.position.phase != "roll_or_stop":
        table.play("cautious", moves=1)
    seat = table.state.position.seat
    held = table.state.seats[seat]
    table.state = table.state.with_seat(seat, replace(held, overruns=1))
    table.move(roller(table), commands.Roll)
    assert table.state.seats[seat].overruns == 0


def test_time_that_is_up_rolls_with_a_witness_too() -> None:
    table = begun(2, decision_seconds=30)
    table.silent |= {ANN.player, BEN.player}
    outcome = relief.time_up(table.state, table.world)
    assert [type(event) for event in outcome.events] == [events.TimeUp, events.WitnessAsked]


@pytest.mark.parametrize(("people", "computers"), [(1, 0), (1, 1), (1, 3)])
def test_one_person_alone_cannot_have_witnessed_dice(people: int, computers: int) -> None:
    if computers == 0:
        refused = refusal(DiceTable, 1, dice="witnessed")
        assert refused.code is ErrorCode.BAD_OPTIONS
        return
    table = DiceTable(people, computers, dice="witnessed")
    refused = refusal(table.do, ANN, commands.Start)
    assert refused.code is ErrorCode.NOT_ALLOWED
    assert "two people" in refused.message
    table.do(ANN, commands.Configure, options=replace(table.state.options, dice="committed"))
    table.do(ANN, commands.Start)
    assert table.state.playing


def test_a_room_that_turns_to_witnessed_dice_gets_the_chains() -> None:
    table = DiceTable(2)
    table.do(ANN, commands.Configure, options=replace(table.state.options, dice="witnessed"))
    table.do(ANN, commands.Start)
    dice = last(table, events.Started).dice
    assert None not in (*dice.chains, *dice.nonces)
    assert table.refused == []


def test_clients_that_add_nothing_play_a_witnessed_game_as_any_other() -> None:
    table = DiceTable(2, silent=(ANN, BEN), dice="witnessed")
    table.do(ANN, commands.Start)
    game = table.play()
    assert game is not None
    assert not any(isinstance(event, events.WitnessAsked) for event in table.events)
    assert all(roll is None for roll in read_proof(game.proof or "").rolls)
    assert verify_game(game).holds


def test_a_chain_that_has_ended_witnesses_nothing_more() -> None:
    table = begun(2)
    assert table.state.game is not None
    dice = table.state.game.dice
    assert dice is not None
    late = replace(table.state.game, dice=replace(dice, rolls=dicing.CHAIN_LINKS - 1))
    assert dicing.next_witness(replace(table.state, game=late)) is not None
    later = replace(table.state.game, dice=replace(dice, rolls=dicing.CHAIN_LINKS))
    assert dicing.next_witness(replace(table.state, game=later)) is None
    assert Chain(bytes(32)).link(dicing.CHAIN_LINKS) == bytes(32)
