"""What a review says of each action of a game."""

import re

import pytest
from generated_games import generated_games
from stories import example_record

from cantstop_client.local import review_notes, story_of
from cantstop_server.coach.report import action_lines
from cantstop_server.coach.review import review
from cantstop_server.players.expert.library import solve
from cantstop_server.record.read import read_record
from cantstop_server.rules.course import Choose, Roll, Stop, parse_course
from cantstop_server.storage.types import ArchivedGame

CHANCE = re.compile(r"(\S+) (\d+\.\d) % -> (\d+\.\d) %")


def games() -> list[ArchivedGame]:
    """A short one for each number of seats, some of them given up or abandoned."""
    made = generated_games(3, 200)
    return [
        min((g for g in made if g.setup.seats == n and len(g.course) > 150), key=_length)
        for n in (1, 2, 3, 4)
    ]


def _length(game: ArchivedGame) -> int:
    return len(game.course)


@pytest.mark.parametrize("game", games(), ids=lambda game: f"{game.setup.seats} seats")
def test_each_action_has_its_line(game: ArchivedGame) -> None:
    found = review(game.setup, game.course, solve)
    actions = list(parse_course(game.course))
    lines = action_lines(found, game.course, [f"P{n}" for n in range(game.setup.seats)])
    assert len(lines) == len(actions) == len(found.values)
    rolls = [line for line, action in zip(lines, actions, strict=True) if isinstance(action, Roll)]
    assert all("luck " in line for line in rolls)
    assert sum("luck " in line for line in lines) == len(rolls) == len(found.throws)
    judged = [line for line in lines if " is best, " in line or " costs " in line]
    assert len(judged) == len(found.decisions)
    assert sum(" costs " in line for line in judged) == sum(d.loss > 0 for d in found.decisions)
    stops = [line for line, action in zip(lines, actions, strict=True) if isinstance(action, Stop)]
    assert all("stop is best" in line or "stop costs" in line for line in stops)


def test_the_chance_before_is_the_chance_after_the_action_before() -> None:
    game = next(g for g in games() if g.setup.seats == 2)
    found = review(game.setup, game.course, solve)
    shown: dict[str, str] = {}
    for line in action_lines(found, game.course, ["P0", "P1"]):
        chance = CHANCE.match(line)
        assert chance, line
        name, before, after = chance.groups()
        assert shown.get(name, before) == before
        other = f"{100 - float(after):.1f}"
        shown = {name: after, "P1" if name == "P0" else "P0": other}


def test_with_more_seats_the_luck_of_a_roll_is_what_the_chance_moves_by() -> None:
    game = next(g for g in games() if g.setup.seats > 2)
    found = review(game.setup, game.course, solve)
    names = [f"P{number}" for number in range(game.setup.seats)]
    rolls = 0
    for line in action_lines(found, game.course, names):
        chance, luck = CHANCE.match(line), re.search(r"luck ([+-]\d+\.\d) %", line)
        if chance and luck and " costs " not in line:
            rolls += 1
            moved = float(chance[3]) - float(chance[2])
            assert moved == pytest.approx(float(luck[1]), abs=0.2)
    assert rolls > 10


def test_the_notes_stand_with_the_steps_of_the_story() -> None:
    game = read_record(example_record())
    told: list[tuple[int, int]] = []
    notes = review_notes(game, lambda done, total: told.append((done, total)))
    story = story_of(game)
    assert len(notes.steps) == len(story.steps)
    assert notes.steps[0] == notes.steps[-1] == ""
    actions = list(parse_course(game.course))
    for note, action in zip(notes.steps[1:-1], actions, strict=True):
        assert ("luck " in note) is isinstance(action, Roll)
        if isinstance(action, Choose):
            assert note.startswith(("Ann ", "keller ", "Cleo "))
    assert told[-1] == (len(actions), len(actions))
    assert any("costliest of" in line for line in notes.summary)
    assert all(len(line) <= 100 for line in notes.summary)
