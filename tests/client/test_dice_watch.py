"""The client contributes, witnesses and checks by itself, and a server that cheats is noticed."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from dicetable import DiceTable
from msgspec.structs import replace
from roomscript import ANN, BEN, CAT
from wire import scripted_world

from cantstop_client.happenings import DiceChecked
from cantstop_protocol import commands, events, messages
from cantstop_protocol.table import Promise

OTHER = "ab" * 32


def lines(table: DiceTable, person: Any = ANN) -> list[str]:
    return [told.text for told in table.told[person.player]]


def verdict(table: DiceTable, person: Any = ANN) -> DiceChecked:
    """The last word of this person's client on the game."""
    return table.told[person.player][-1]


def changing(kind: type[events.Event], change: Callable[[Any], events.Event]):
    """A server that tells another event than the one that happened, to one person."""

    def tamper(message: messages.Message) -> messages.Message:
        if isinstance(message, messages.Update) and isinstance(message.event, kind):
            return replace(message, event=change(message.event))
        return message

    return tamper


def game(kind: str = "committed", people: int = 2, **options: Any) -> DiceTable:
    return DiceTable(people, dice=kind, target=1, **options)


def revealing(change: Callable[[dict[str, Any]], None]):
    """A server that reveals another proof."""

    def reveal(event: Any) -> events.Event:
        proof = json.loads(event.proof)
        change(proof)
        return replace(event, proof=json.dumps(proof))

    return changing(events.Revealed, reveal)


# Honest games


@pytest.mark.parametrize("kind", ["committed", "witnessed"])
def test_one_line_after_each_game_says_that_all_is_right(kind: str) -> None:
    table = game(kind)
    for _ in range(3):
        table.do(ANN, commands.Start)
        table.play()
    assert table.refused == []
    for person in (ANN, BEN):
        assert len(lines(table, person)) == 3
        for told in table.told[person.player]:
            assert told.ok
            assert "rolls are right: they follow from the seed that was promised" in told.text
            assert "with your client's number in it" in told.text
            assert ("were witnessed" in told.text) == (kind == "witnessed")


def test_an_abandoned_game_is_checked_too() -> None:
    table = game(people=3)
    table.do(ANN, commands.Start)
    table.play(moves=10)
    table.abandon()
    assert verdict(table).ok


def test_who_added_nothing_is_named_and_no_computer_player_is() -> None:
    table = DiceTable(3, 1, silent=(BEN,), target=1)
    table.do(ANN, commands.Start)
    table.play()
    assert verdict(table).text.endswith("in it; nothing was added by Ben")
    assert verdict(table, CAT).ok
    assert "with your client's number" not in verdict(table, BEN).text


def test_somebody_who_comes_in_the_middle_is_told_what_that_means() -> None:
    table = game()
    table.do(ANN, commands.Start)
    table.play(moves=8)
    table.enter(CAT, watch=True)
    table.play()
    assert verdict(table, CAT).ok
    assert "you came after it was promised" in verdict(table, CAT).text


@pytest.mark.parametrize("moves", range(1, 14))
def test_it_does_not_matter_when_somebody_comes_or_misses_something(moves: int) -> None:
    table = game(people=3)
    table.tamper[CAT.player] = table.tamper[BEN.player] = lambda message: (
        replace(message, events=(), complete=False)
        if isinstance(message, messages.Entered) and message.table.phase == "playing"
        else message
    )
    table.do(ANN, commands.Start)
    table.play("cautious", moves=2)
    table.vanish(BEN)
    table.play("cautious", moves=moves)
    table.enter(BEN)
    table.leave_behind(CAT)
    table.enter(CAT)
    table.play("cautious", moves=9)
    table.abandon()
    for person in table.people:
        assert verdict(table, person).ok, lines(table, person)


def test_what_was_before_one_came_is_no_news() -> None:
    table = game()
    table.do(ANN, commands.Start)
    table.play()
    table.enter(CAT, watch=True)
    assert lines(table, CAT) == []


def test_who_returns_to_a_game_has_checked_all_of_it() -> None:
    table = game("witnessed", people=3)
    table.do(ANN, commands.Start)
    table.play(moves=5)
    table.vanish(BEN)
    table.play(moves=5)
    table.enter(BEN)
    table.play()
    assert verdict(table, BEN).ok
    assert "with your client's number in it" in verdict(table, BEN).text


def test_a_client_that_was_started_anew_says_that_it_cannot_witness() -> None:
    table = game("witnessed", seed=5)
    table.do(ANN, commands.Start)
    table.play(moves=3)
    table.leave_behind(BEN)
    table.enter(BEN)
    table.play()
    told = [line for line in lines(table, BEN) if "cannot witness its rolls" in line]
    assert len(told) == 1
    assert verdict(table, BEN).ok
    assert verdict(table).ok
    assert table.refused == []


def test_a_client_that_missed_something_does_not_witness_and_does_not_complain() -> None:
    table = game("witnessed", people=3)
    table.do(ANN, commands.Start)
    table.play(moves=5)
    table.vanish(BEN)
    table.play(moves=10)
    table._seen[BEN.player] = table.state.seq - 3
    table.tamper[BEN.player] = lambda message: (
        replace(message, complete=False) if isinstance(message, messages.Entered) else message
    )
    table.enter(BEN)
    table.play()
    assert any("cannot witness its rolls" in line for line in lines(table, BEN))
    assert all(told.ok for told in table.told[BEN.player])
    assert all(told.ok for told in table.told[ANN.player])


def test_a_game_that_was_missed_whole_makes_nobody_suspicious() -> None:
    table = game(people=3)
    for start_another in (False, True):
        table.do(ANN, commands.Start)
        table.vanish(BEN)
        table.abandon()
        if start_another:
            table.do(ANN, commands.Start)
        table._seen[BEN.player] = table.state.seq
        table.tamper[BEN.player] = lambda message: (
            replace(message, complete=False) if isinstance(message, messages.Entered) else message
        )
        table.enter(BEN)
        assert lines(table, BEN) == []
    table.abandon()
    assert verdict(table, BEN).ok
    assert "you came after it was promised" in verdict(table, BEN).text


@pytest.mark.parametrize("kind", ["committed", "witnessed"])
def test_a_number_that_comes_too_late_is_no_fraud(kind: str) -> None:
    table = game(kind, silent=(BEN,))
    table.do(ANN, commands.Start)
    assert lines(table, BEN) == ["Dice: your client's number came too late for this game"]
    table.play()
    assert verdict(table, BEN).ok


def test_a_server_without_promises_is_said_to_prove_nothing_and_is_told_nothing() -> None:
    table = DiceTable(2, world=scripted_world([(6, 6, 5, 1), (1, 1, 1, 1), (1, 2, 3, 4)]), target=1)
    table.do(ANN, commands.Start)
    assert lines(table) == []
    table.play(moves=5)
    table.do(BEN, commands.Resign)
    assert lines(table) == ["Dice: the server gives no proof of this game's rolls"]
    assert not any(isinstance(event, events.Contributed) for event in table.events)
    assert table.refused == []


# Cheating servers


def test_a_promise_that_is_replaced_before_the_game_is_noticed() -> None:
    table = game()

    def tamper(message: messages.Message) -> messages.Message:
        if isinstance(message, messages.Update) and isinstance(message.event, events.Chatted):
            return replace(message, table=replace(message.table, dice=Promise(OTHER, (True, True))))
        return message

    table.tamper[ANN.player] = tamper
    table.do(BEN, commands.Chat, text="hello")
    (told,) = table.told[ANN.player]
    assert not told.ok
    assert "takes back its promise" in told.text


def test_a_game_with_another_promise_is_noticed_at_its_start_and_remembered_to_its_end() -> None:
    table = game()
    table.tamper[ANN.player] = changing(
        events.Started, lambda e: replace(e, dice=replace(e.dice, commitment=OTHER))
    )
    table.do(ANN, commands.Start)
    (told,) = table.told[ANN.player]
    assert (told.ok, "and plays with abab" in told.text) == (False, True)
    table.play()
    assert not verdict(table).ok
    assert verdict(table).text.startswith("Dice: THE CHECK FAILS: the server promised")
    assert verdict(table, BEN).ok


@pytest.mark.parametrize("nonce", [OTHER, None])
def test_a_game_without_ones_own_number_is_noticed(nonce: str | None) -> None:
    table = game()
    table.tamper[ANN.player] = changing(
        events.Started,
        lambda e: replace(e, dice=replace(e.dice, nonces=(nonce, *e.dice.nonces[1:]))),
    )
    table.do(ANN, commands.Start)
    assert lines(table) == ["Dice: the server plays without the number that your client gave it"]
    table.play()
    assert not verdict(table).ok


def test_a_game_with_another_chain_than_ones_own_is_noticed() -> None:
    table = game("witnessed")
    table.tamper[ANN.player] = changing(
        events.Started,
        lambda e: replace(e, dice=replace(e.dice, chains=(OTHER, *e.dice.chains[1:]))),
    )
    table.do(ANN, commands.Start)
    assert lines(table) == ["Dice: the server plays with another chain than your client's"]


def test_a_game_without_ones_own_chain_is_told_of() -> None:
    table = game("witnessed")
    table.tamper[ANN.player] = changing(
        events.Started,
        lambda e: replace(e, dice=replace(e.dice, chains=(None, *e.dice.chains[1:]))),
    )
    table.do(ANN, commands.Start)
    assert "your client's chain is not in this game" in lines(table)[0]


def test_a_game_that_drops_its_promise_is_noticed() -> None:
    table = game()
    table.tamper[ANN.player] = changing(events.Started, lambda e: replace(e, dice=None))
    table.do(ANN, commands.Start)
    assert not verdict(table).ok
    assert "makes others" in verdict(table).text


def test_a_proof_that_is_never_shown_is_noticed() -> None:
    table = game()
    table.tamper[ANN.player] = changing(events.Revealed, lambda e: events.Chatted("Ann", 0, "bye"))
    table.do(ANN, commands.Start)
    table.play()
    assert lines(table) == ["Dice: the server gives no proof of this game's rolls"]
    assert not verdict(table).ok


def test_another_seed_than_the_promised_one_is_noticed() -> None:
    table = game()
    table.tamper[ANN.player] = revealing(lambda proof: proof.update(seed=OTHER))
    table.do(ANN, commands.Start)
    table.play()
    assert "roll 1 does not hold: the seed is not the promised one" in verdict(table).text


def test_a_proof_for_another_promise_is_noticed_by_who_came_in_the_middle() -> None:
    table = game()
    table.do(ANN, commands.Start)
    table.play(moves=4)

    def tamper(message: messages.Message) -> messages.Message:
        if isinstance(message, messages.Entered):
            return replace(message, events=(), complete=False)
        return revealing(lambda proof: proof.update(commitment=OTHER))(message)

    table.watches[CAT.player] = watch = table.watch_of(CAT)
    watch.receive(messages.Welcome(re=1, name="Cat", rooms=()))
    table.told[CAT.player] = []
    table.tamper[CAT.player] = tamper
    table.enter(CAT, watch=True)
    table.play()
    assert "not the one that was promised" in verdict(table, CAT).text


@pytest.mark.parametrize(
    "change",
    [
        lambda proof: proof.update(nonces=[OTHER, OTHER]),
        lambda proof: proof["draw"].reverse(),
        lambda proof: proof.update(seal=OTHER),
        lambda proof: proof.update(version=9),
        lambda proof: proof.update(kind="witnessed", chains=[], rolls=[]),
        lambda proof: proof.clear(),
    ],
)
def test_any_other_proof_is_noticed(change: Callable[[dict[str, Any]], None]) -> None:
    table = game(seed=4)
    table.tamper[ANN.player] = revealing(change)
    table.do(ANN, commands.Start)
    table.play()
    assert not verdict(table).ok
    assert len(lines(table)) == 1


def test_a_game_of_endless_length_is_not_worked_through() -> None:
    table = game()
    table.do(ANN, commands.Start)
    table.play(moves=4)
    table.tamper[CAT.player] = changing(
        events.Revealed, lambda e: replace(e, course="1111a." * 100_000 + e.course)
    )
    table.enter(CAT, watch=True)
    table.watches[CAT.player]._lose_track()
    table.play()
    assert "too long to be checked here" in verdict(table, CAT).text


def test_a_roll_that_was_shown_as_another_is_noticed_at_the_end() -> None:
    table = game()
    shown: list[int] = []

    def other(event: Any) -> events.Event:
        shown.append(1)
        return event if len(shown) != 3 else replace(event, dice=(6, 6, 6, 6))

    table.tamper[ANN.player] = changing(events.Rolled, other)
    table.do(ANN, commands.Start)
    table.play()
    assert "not the one that was played here" in verdict(table).text
    assert verdict(table, BEN).ok


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (events.Stopped, lambda e: events.Chatted("Ann", 0, "stop")),
        (events.Advanced, lambda e: replace(e, columns=(2, 12))),
        (events.Finished, lambda e: replace(e, winner=1 - e.winner)),
        (events.Started, lambda e: replace(e, first=1 - e.first)),
        (events.Started, lambda e: replace(e, draw=((0, 24), (1, 4)))),
        (events.Started, lambda e: replace(e, options=replace(e.options, target=3))),
    ],
)
def test_a_game_that_was_shown_otherwise_is_noticed_at_the_end(
    kind: type[events.Event], change: Callable[[Any], events.Event]
) -> None:
    table = game()
    table.tamper[ANN.player] = changing(kind, change)
    table.do(ANN, commands.Start)
    table.play()
    assert not verdict(table).ok


# Cheating with witnesses


def other_word(**fields: Any):
    return changing(events.Witnessed, lambda e: replace(e, **fields) if e.roll == 5 else e)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"link": OTHER}, "a link of another chain"),
        ({"server": OTHER}, "a link of another chain"),
        ({"link": None}, "a link of another chain"),
        ({"link": "xyz"}, "cannot be read"),
        ({"seat": 7}, "whoever rolled it, or by nobody"),
        ({"seat": -1}, "whoever rolled it, or by nobody"),
        ({"roll": 6}, "without a word on its witness"),
    ],
)
def test_a_word_that_is_not_the_witness_s_is_noticed_at_the_roll(
    fields: dict[str, Any], why: str
) -> None:
    table = game("witnessed", people=3)
    table.tamper[CAT.player] = other_word(**fields)
    table.do(ANN, commands.Start)
    table.play(moves=12)
    bad = [told for told in table.told[CAT.player] if not told.ok and why in told.text]
    assert [told.text.split()[2] for told in bad] == ["5"], lines(table, CAT)
    table.abandon()
    assert verdict(table, CAT).text.startswith("Dice: THE CHECK FAILS: roll 5 ")
    assert verdict(table).ok


def test_a_roll_that_its_witness_did_not_give_is_noticed_at_once() -> None:
    table = game("witnessed")

    def tamper(message: messages.Message) -> messages.Message:
        event = getattr(message, "event", None)
        if isinstance(event, events.Rolled | events.Busted):
            first, *rest = event.dice
            return replace(message, event=replace(event, dice=(first % 6 + 1, *rest)))
        return message

    table.tamper[ANN.player] = tamper
    table.do(ANN, commands.Start)
    table.play(moves=1)
    assert "does not follow from its witness's word" in lines(table)[0]


def test_a_roll_without_a_word_is_noticed() -> None:
    table = game("witnessed")
    table.tamper[ANN.player] = changing(
        events.Witnessed, lambda e: events.Chatted("Ann", 0, "never mind")
    )
    table.do(ANN, commands.Start)
    table.play(moves=1)
    assert "without a word on its witness" in lines(table)[0]


def test_an_answer_that_the_server_leaves_out_is_noticed_by_who_gave_it() -> None:
    table = game("witnessed")
    table.do(ANN, commands.Start)
    who = table.people[table.state.position.seat]
    other = BEN if who == ANN else ANN
    table.silent.add(other.player)
    table.move(who, commands.Roll)
    table.pass_on()
    (told,) = table.told[other.player]
    assert (told.ok, "goes without your client's word" in told.text) == (False, True)
    assert table.told[who.player] == []


def unasked(witness: int | None):
    """A server that keeps from somebody that there is a roll to witness."""

    def tamper(message: messages.Message) -> messages.Message:
        if not isinstance(message, messages.Update):
            return message
        event, table = message.event, message.table
        if isinstance(event, events.WitnessAsked):
            event = events.Chatted("Ann", 0, "hm")
        elif isinstance(event, events.Witnessed) and witness is None:
            event = events.Witnessed(event.roll, None, None, None)
        elif isinstance(event, events.Witnessed):
            event = replace(event, seat=witness)
        if table.dice is not None:
            table = replace(table, dice=replace(table.dice, roll=None, witness=None))
        return replace(message, event=event, table=table)

    return tamper


@pytest.mark.parametrize("people", [2, 3])
def test_a_server_that_asks_nobody_is_noticed_by_who_could_have_witnessed(people: int) -> None:
    table = game("witnessed", people=people)
    table.do(ANN, commands.Start)
    first = table.state.position.seat
    due, rolling = table.people[(first + 1) % people], table.people[first]
    table.tamper = {person.player: unasked(None) for person in table.people}
    table.silent |= {person.player for person in table.people}
    table.move(rolling, commands.Roll)
    for _ in range(people - 1):
        table.pass_on()
    (told,) = table.told[due.player]
    assert not told.ok
    assert told.text.endswith("goes without your client's word: the server did not ask for it")
    assert table.told[rolling.player] == []


def test_a_server_that_prefers_another_witness_is_noticed_by_who_was_next() -> None:
    table = game("witnessed", people=3)
    table.do(ANN, commands.Start)
    first = table.state.position.seat
    due, other = table.people[(first + 1) % 3], (first + 2) % 3
    table.tamper[due.player] = unasked(other)
    table.silent.add(due.player)
    table.move(table.people[first], commands.Roll)
    table.pass_on()
    assert "the server did not ask for it" in lines(table, due)[0]
    assert table.told[table.people[other].player] == []


def test_who_was_passed_over_while_cut_off_does_not_complain_when_not_asked_again() -> None:
    table = game("witnessed", people=2)
    table.do(ANN, commands.Start)
    for _ in range(2):
        while table.state.position.seat != 0 or table.state.position.phase == "choose":
            table.play("cautious", moves=1)
        # A connection that hangs: the server asks, and gives the answer up.
        table.silent.add(BEN.player)
        heard, table.watches[BEN.player] = table.watches[BEN.player], table.watch_of(BEN)
        seen, told = table.state.seq, list(table.told[BEN.player])
        table.move(ANN, commands.Roll)
        table.pass_on()
        table.vanish(BEN)
        table.silent.clear()
        table.watches[BEN.player], table._seen[BEN.player] = heard, seen
        table.told[BEN.player] = told
        table.enter(BEN)
    table.play("cautious", moves=30)
    assert all(one.ok for one in table.told[BEN.player])


def test_who_came_back_while_a_roll_waited_was_not_left_out() -> None:
    table = game("witnessed", people=3)
    table.do(ANN, commands.Start)
    first = table.state.position.seat
    due, third = table.people[(first + 1) % 3], table.people[(first + 2) % 3]
    table.vanish(due)
    table.silent.add(third.player)
    table.move(table.people[first], commands.Roll)
    table.enter(due)
    table.silent.clear()
    table.vanish(third)
    table.enter(third)
    table.play(moves=6)
    assert all(told.ok for told in table.told[due.player])
    table.abandon()
    assert verdict(table, due).ok


@pytest.mark.parametrize("ahead", [1, 50, 4000, 5000])
def test_a_link_for_a_later_roll_is_never_given_away(ahead: int) -> None:
    table = game("witnessed")
    table.do(ANN, commands.Start)
    who = table.people[table.state.position.seat]
    other = BEN if who == ANN else ANN

    def tamper(message: messages.Message) -> messages.Message:
        if not isinstance(message, messages.Update) or message.table.dice is None:
            return message
        roll = message.table.dice.roll
        if roll is None:
            return message
        later = replace(message.table.dice, roll=roll + ahead)
        return replace(message, table=replace(message.table, dice=later))

    table.tamper[other.player] = tamper
    table.silent.add(other.player)
    found: list[Any] = []
    watch, receive = table.watches[other.player], table.watches[other.player].receive

    def listening(message: messages.Message) -> Any:
        findings = receive(message)
        found.extend(findings.asking)
        return findings

    watch.receive = listening  # type: ignore[method-assign]
    table.move(who, commands.Roll)
    (asking,) = found
    assert (asking.kind, asking.fields["link"]) == (commands.Witness, None)
