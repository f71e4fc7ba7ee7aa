"""The pages over the table: made from the tables of commands and keys."""

from scenes import scene_of

from cantstop_client.commands import COMMANDS
from cantstop_client.fullscreen.fragments import text_of
from cantstop_client.fullscreen.keys import KEYS
from cantstop_client.fullscreen.marks import ASCII_MARKS
from cantstop_client.fullscreen.pages import moments, page_lines
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.scene import Scene

STYLE = Style(ASCII_MARKS)


def page(name, scene, width=78) -> str:
    return "\n".join(text_of(line) for line in page_lines(name, scene, STYLE, width))


def test_help_shows_the_commands_of_this_moment_and_no_others() -> None:
    for scene in (Scene(), scene_of("mid_turn", 2), scene_of("lobby", 2), scene_of("win", 2)):
        shown = page("help", scene)
        for row in COMMANDS:
            assert (row.help in shown) is (row.when in moments(scene.view)), row.name


def test_every_command_is_shown_at_some_moment() -> None:
    seen = {when for moment in ("mid_turn", "lobby") for when in moments(scene_of(moment, 2).view)}
    seen |= set(moments(Scene().view))
    assert seen == {row.when for row in COMMANDS}


def test_help_shows_the_keys_of_this_moment() -> None:
    choosing, deciding, none = (
        page("help", scene) for scene in (scene_of("mid_turn", 2), scene_of("claim", 2), Scene())
    )
    for row in KEYS:
        assert (row.help in choosing) is (row.when != "your turn")
        assert (row.help in deciding) is (row.when != "your choice")
        assert (row.help in none) is (row.when == "always")


def test_odds_show_the_options_and_all_triples() -> None:
    shown = page("odds", scene_of("mid_turn", 2))
    assert "2) 6" in shown
    assert "11.0 % (71/648)" in shown
    assert shown.count("%") >= 165
    assert page("odds", Scene()).count("%") == 165


def test_the_rules_fit_one_page_of_the_usual_size() -> None:
    lines = page("rules", Scene(), 118).splitlines()
    assert len(lines) <= 37
