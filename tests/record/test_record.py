"""The record of a game: written, read back through the rules, and read by a second parser."""

import inspect
import json
import re
from pathlib import Path

import pytest
import second_parser
from generated_games import generated_games

from cantstop_server.record.errors import BadRecord
from cantstop_server.record.read import read_record, read_records
from cantstop_server.record.write import record_text
from cantstop_server.rules import game as rules
from cantstop_server.rules.course import replay
from cantstop_server.storage.types import ArchivedGame

DOCUMENT = Path(__file__).parents[2] / "docs" / "record.md"
SEED = 20


def example() -> str:
    """The record in the specification."""
    return re.search(r"```\n(Can't Stop game record.*?)```", DOCUMENT.read_text("utf-8"), re.S)[1]


def actions_of(game: ArchivedGame) -> list[tuple[object, ...]]:
    """What happened in a game, as the second parser tells it."""
    told: list[tuple[object, ...]] = []
    for _, event in replay(game.setup, game.course):
        match event:
            case rules.Rolled(_, dice, _):
                told.append(("roll", dice))
            case rules.Busted(_, dice, _):
                told += [("roll", dice), ("bust",)]
            case rules.Advanced(_, columns, _):
                told.append(("choose", columns))
            case rules.Stopped():
                told.append(("stop",))
            case rules.Resigned(seat, _):
                told.append(("resign", "ABCD"[seat]))
    return told


def test_every_kind_of_game_comes_back_from_its_record() -> None:
    games = generated_games(SEED, 300)
    text = "\n".join(map(record_text, games))
    read = [game for _, game in read_records(text.split("\n"))]
    assert read == games
    assert [[s.registered for s in game.seats] for game in read] == [
        [s.registered for s in game.seats] for game in games
    ]
    assert "\n".join(map(record_text, read)) == text
    assert {game.setup.seats for game in games} == {1, 2, 3, 4}
    assert {game.status for game in games} == {"finished", "abandoned"}
    assert any(seat.resigned for game in games for seat in game.seats)


def test_a_second_parser_reads_the_same_games() -> None:
    games = generated_games(SEED + 1, 300)
    parsed = second_parser.parse("\n".join(map(record_text, games)))
    for game, other in zip(games, parsed, strict=True):
        headers = other["headers"]
        assert headers["Game"] == game.id
        assert headers["Turns"] == str(game.turns)
        assert headers["First"] == "ABCD"[game.setup.first]
        assert int(headers["Target"]) == game.setup.target
        assert (headers["Dead markers"] == "kept") is game.setup.keep_dead_markers
        assert (headers["Rated"] == "yes") is game.rated
        assert (headers["Result"] == "abandoned") is (game.status == "abandoned")
        if game.winner is not None:
            assert headers["Result"] == f"{'ABCD'[game.winner]} wins"
        assert [(s["name"], s["computer"], s["person"]) for s in other["seats"]] == [
            (s.name, s.bot, s.registered) for s in game.seats
        ]
        assert [a for turn in other["turns"] for a in turn["actions"]] == actions_of(game)
        assert tuple(t["at"] for t in other["turns"] if t["at"] is not None) == game.turn_ends
        claims = sum(len(turn["claims"]) for turn in other["turns"])
        assert claims == sum(seat.columns for seat in game.seats)
        assert other["proof"] == (game.proof and json.loads(game.proof))


def test_the_second_parser_is_short_and_on_its_own() -> None:
    source = inspect.getsource(second_parser)
    assert len(source.splitlines()) <= 60
    assert "cantstop" not in source


def test_the_example_of_the_specification_is_read_by_both() -> None:
    game = read_record(example())
    (other,) = second_parser.parse(example())
    assert [a for turn in other["turns"] for a in turn["actions"]] == actions_of(game)
    assert game.winner == 2
    assert game.seats[2].registered == "Cleopatra"
    assert "1432c2515b2111" in game.course
    without_note = re.sub("# .*\n", "", example())
    assert record_text(game) == without_note


def test_line_ends_and_marks_of_other_systems_are_no_matter() -> None:
    assert read_record(example().replace("\n", "\r\n")) == read_record(example())
    assert read_record(example().replace("keeps ", "keeps   ")) == read_record(example())


def changed(old: str, new: str, count: int = 1) -> str:
    assert old in example()
    return example().replace(old, new, count)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (changed("1. A: 1232 3+5", "1. A: 1232 3+6"), 18, "1232 cannot be used as 3+6"),
        (changed("2111 bust", "2111 3"), 25, "turn 8: there is no roll that could be used as 3"),
        (changed("2111 bust", "1144 bust"), 25, "by the rules it is '1144' here"),
        (changed("claims 4", "claims 8"), 33, "by the rules it is 'claims 4' here"),
        (changed(", claims 4", ""), 33, "by the rules it is 'claims 4' here, not 'nothing'"),
        (changed("keeps 8:1 11:1", "keeps 8:2 11:1"), 20, "by the rules it is 'keeps 8:1 11:1'"),
        (changed("2. B: 3154", "2. C: 3154"), 19, "turn 2 of B is due, not turn 2 of C"),
        (changed("3. C: 5266", "4. C: 5266"), 20, "turn 3 of C is due, not turn 4 of C"),
        (changed("stop, keeps 8:1 11:1, at 699.0", "4433 7"), 20, "cannot be used as 7"),
        (changed("at 700.9", "at 600.9"), 21, "before the end of the last turn"),
        (changed(", at 700.9", ""), 21, "turn 4 has no time"),
        (changed("A resigns", "D resigns"), 23, "there is no seat 'D'"),
        (changed("A resigns", "A sighs"), 23, "'A sighs' says nothing that is known"),
        (changed("Claimed: A 0", "Claimed: A 1"), 14, "A has claimed 0 columns, not 1"),
        (changed("Resigned: A\n", ""), 41, "A has resigned"),
        (changed("Result: C wins", "Result: B wins"), 12, "C has won"),
        (changed("Result: C wins", "Result: abandoned"), 12, "the game has ended"),
        (changed("Turns: 16", "Turns: 17"), 13, "it went to turn 16, not 17"),
        (changed("Target: 1", "Target: 9"), 5, "the target is 1 to 5 columns, not 9"),
        (changed("Target: 1", "Target: many"), 5, "this is a number, not 'many'"),
        (changed("Target: 1", "Target: 5"), 5, "with 3 seats the target is at most 4"),
        (changed("Rated: no", "Rated: maybe"), 7, "this is yes or no, not 'maybe'"),
        (changed("Rated: no", "Mood: good"), 7, "there is no header 'Mood'"),
        (changed("Rated: no", "Target: 1"), 7, "Target was given already in line 5"),
        (changed("Rated: no\n", ""), 17, "the header Rated is missing above"),
        (changed("Game: k3f9abcdef", "Game: a b"), 2, "an identifier is 1 to 40 letters"),
        (changed("2026-06-11T14:00", "2026-13-11T14:00"), 3, "there is no such time"),
        (changed("2026-06-11T14:46", "9999-12-31T23:59"), 4, "is not between 1900 and 9998"),
        (changed("2026-06-11T14:46", "0001-01-01T00:00"), 4, "is not between 1900 and 9998"),
        (changed("14:46:48Z", "14:46:48"), 4, "is no time such as"),
        (changed('"Ann" person', '"A\\u202enn" person'), 8, "a name is one line without control"),
        (changed('"Ann" person', '"" person'), 8, "at least one visible character"),
        (changed('"Ann" person', "Ann person"), 8, "a seat is "),
        (changed("Seat B", "Seat D"), 9, "a seat before this one is missing"),
        (changed("record 1", "record 2"), 1, "version '2' of the format is not known here"),
        (changed('"version": 1,', '"version": 1'), 39, "the proof is no JSON"),
        (changed('"version": 1', '"version": NaN'), 36, "the proof is no JSON that can be read"),
        (changed('"version": 1', '"version": 1e400'), 36, "the proof is no JSON that can be read"),
        (changed('"seal": "ab"', '"seal": "\\ud800"'), 36, "the proof is no JSON that can be"),
        ("hello\n" + example(), 1, "a record begins with the line"),
        (changed("\nProof:", "Note: x\nProof:"), 34, "after the first turn there are only turns"),
        (changed("\nProof:", "17. A: 1111\nProof:"), 34, "the game is over"),
    ],
)
def test_a_record_that_cannot_be_so_is_refused_at_its_line(
    text: str, line: int, reason: str
) -> None:
    with pytest.raises(BadRecord) as caught:
        read_record(text)
    assert reason in caught.value.reason
    assert caught.value.line == line, caught.value.reason


def test_one_altered_die_or_choice_never_passes_unseen() -> None:
    """Whatever digit of the turns is changed, the record is refused or tells another game."""
    game = read_record(example())
    for number, line in enumerate(example().split("\n")):
        if not re.match(r"\d+\. ", line):
            continue
        for found in re.finditer(r"\d", line):
            digit = str((int(found[0]) + 1) % 10)
            other = line[: found.start()] + digit + line[found.end() :]
            lines = example().split("\n")
            lines[number] = other
            try:
                assert read_record("\n".join(lines)) != game
            except BadRecord:
                continue


def test_one_record_is_asked_for() -> None:
    with pytest.raises(BadRecord, match="one record is expected here, not 2"):
        read_record(example() + "\n" + example())
