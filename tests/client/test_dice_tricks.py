"""Ways around the check at the end of a game: the client notices each, and suspects nobody else."""

from random import Random
from typing import Any

import pytest
from dicetable import DiceTable
from msgspec.structs import replace
from roomscript import ANN, BEN

from cantstop_client.dice_watch import DiceWatch
from cantstop_protocol import commands, events, messages
from cantstop_protocol.table import Promise


def lines(table: DiceTable, person: Any = ANN) -> list[str]:
    return [told.text for told in table.told[person.player]]


def test_the_proof_of_another_game_is_none_of_this_one() -> None:
    table = DiceTable(2, target=1)
    kept: list[events.Revealed] = []

    def tamper(message: messages.Message) -> messages.Message:
        if isinstance(message, messages.Update) and isinstance(message.event, events.Revealed):
            kept.append(message.event)
            return replace(message, event=kept[0])
        return message

    table.tamper[ANN.player] = tamper
    for _ in range(2):
        table.do(ANN, commands.Start)
        table.play()
    first, second = table.told[ANN.player]
    assert first.ok
    assert not second.ok
    assert "game1" in second.text
    assert second.game == "game2"


def test_a_game_that_follows_at_once_does_not_make_up_for_a_proof() -> None:
    table = DiceTable(2, target=1)

    def tamper(message: messages.Message) -> messages.Message:
        if isinstance(message, messages.Update) and not isinstance(message.event, events.Started):
            if isinstance(message.event, events.Revealed):
                return messages.Notice(message="")
            return replace(message, more=True)
        return message

    table.do(ANN, commands.Start)
    table.tamper[ANN.player] = tamper
    table.play()
    table.do(ANN, commands.Start)
    assert [told.ok for told in table.told[ANN.player]][:1] == [False]
    assert lines(table)[0] == "Dice: the server gives no proof of this game's rolls"


def test_a_game_of_the_other_kind_of_dice_is_noticed() -> None:
    table = DiceTable(2, dice="witnessed", target=1)

    def tamper(message: messages.Message) -> messages.Message:
        if isinstance(message, messages.Update) and isinstance(message.event, events.Started):
            assert message.event.dice is not None
            dice = replace(message.event.dice, kind="committed", server_chain=None, chains=())
            return replace(message, event=replace(message.event, dice=dice))
        return message

    table.tamper[ANN.player] = tamper
    table.do(ANN, commands.Start)
    assert not table.told[ANN.player][0].ok
    assert "committed" in lines(table)[0]
    assert "witnessed" in lines(table)[0]


@pytest.mark.parametrize("told_openly", [True, False])
def test_a_word_that_is_asked_for_before_the_roll_is_noticed(told_openly: bool) -> None:
    table = DiceTable(2, dice="witnessed", target=3)
    table.do(ANN, commands.Start)
    position = table.state.position
    assert position is not None
    roller, witness = (ANN, BEN) if position.seat == 0 else (BEN, ANN)
    table.move(roller, commands.Roll)
    assert table.state.game is not None
    assert table.state.game.dice is not None
    number = table.state.game.dice.rolls + 1
    seat = table.state.seat_of(witness.player)
    assert seat is not None
    asked: list[int] = []

    def tamper(message: messages.Message) -> messages.Message:
        if not asked and isinstance(message, messages.Update):
            asked.append(number)
            promise = message.table.dice
            assert isinstance(promise, Promise)
            dice = replace(promise, witness=seat, roll=number)
            event = events.WitnessAsked(seat, number) if told_openly else message.event
            return replace(message, event=event, table=replace(message.table, dice=dice))
        return message

    table.tamper[witness.player] = tamper
    table.do(roller, commands.Chat, text="wait a moment")
    assert table.told[witness.player] == []
    table.move(roller, commands.Choose, option=1)
    assert not table.told[witness.player][0].ok
    assert f"the word for roll {number} before it was due" in lines(table, witness)[0]


@pytest.mark.parametrize("kind", ["committed", "witnessed"])
def test_a_client_that_was_started_anew_before_the_game_accuses_nobody(kind: str) -> None:
    table = DiceTable(2, dice=kind, target=1)
    table.leave_behind(BEN)
    chance = Random(99)
    table.watches[BEN.player] = DiceWatch(lambda: chance.randbytes(32))
    table._tell(BEN, messages.Welcome(re=1, name=BEN.name, rooms=()))
    table.enter(BEN)
    table.do(ANN, commands.Start)
    table.play()
    assert all(told.ok for told in table.told[BEN.player]), lines(table, BEN)


@pytest.mark.parametrize("lie", ["whose turn it is", "where one sits"])
def test_a_table_that_lies_does_not_keep_a_client_from_missing_its_question(lie: str) -> None:
    table = DiceTable(3, dice="witnessed")
    table.do(ANN, commands.Start)
    position = table.state.position
    assert position is not None
    roller = position.seat
    due = (roller + 1) % 3
    witness = table.people[due]

    def tamper(message: messages.Message) -> messages.Message:
        if not isinstance(message, messages.Update):
            return message
        event, told = message.event, message.table
        if isinstance(event, events.WitnessAsked):
            event = events.Chatted("Ann", 0, "hm")
        assert told.dice is not None
        assert told.turn is not None
        told = replace(told, dice=replace(told.dice, roll=None, witness=None))
        match lie:
            case "whose turn it is":
                told = replace(told, turn=replace(told.turn, seat=due))
            case "where one sits":
                told = replace(told, seats=(None, None, None))
        return replace(message, event=event, table=told)

    table.tamper[witness.player] = tamper
    table.silent.add(witness.player)
    table.move(table.people[roller], commands.Roll)
    table.pass_on()
    assert "the server did not ask for it" in lines(table, witness)[0]


def test_who_was_made_to_miss_something_is_not_told_that_all_was_seen() -> None:
    table = DiceTable(2, target=1)
    table.do(ANN, commands.Start)
    table.play("cautious", moves=3)
    table.tamper[BEN.player] = lambda message: (
        replace(message, events=(), complete=False)
        if isinstance(message, messages.Entered)
        else message
    )
    table.vanish(BEN)
    table.enter(BEN)
    table.play()
    assert "has not seen all of the game" in lines(table, BEN)[-1]
    assert "promised before the game" in lines(table)[-1]
