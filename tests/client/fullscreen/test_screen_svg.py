"""The README's picture: current, and true to the rules."""

import importlib.util
from pathlib import Path

from positions import position

from cantstop_server.rules.course import Choose, Roll, apply
from cantstop_server.rules.odds import busting_rolls
from cantstop_server.rules.rule28 import rule_of_28

ROOT = Path(__file__).parents[3]


def load():
    spec = importlib.util.spec_from_file_location("screen_svg", ROOT / "docs" / "screen_svg.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_what_the_renderer_draws_now() -> None:
    module = load()
    assert module.PICTURE.read_text("utf-8") == module.draw(module.scene()), (
        "python docs/screen_svg.py draws it anew"
    )
    assert "docs/screen.svg" in (ROOT / "README.md").read_text("utf-8")


def test_the_picture_shows_a_position_that_there_could_be() -> None:
    table = load().scene().room.table

    def by_column(steps):
        return {column: step for column, step in enumerate(steps, 2) if step}

    game = position(
        *(by_column(seat.markers) for seat in table.seats),
        runners=by_column(table.turn.runners),
        owners={12: 1},
    )
    rolled, _ = apply(game, Roll(table.turn.dice))
    assert tuple(rolled.options) == tuple(option.columns for option in table.turn.options)
    for index, option in enumerate(table.turn.options):
        after, _ = apply(rolled, Choose(index))
        assert tuple(after.runners[2:]) == option.runners
        assert busting_rolls(after.reach.movable) == option.busting_rolls
        assert rule_of_28(after.runners, after.markers[0]) == option.rule_of_28
