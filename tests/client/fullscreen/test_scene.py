"""What is on the screen after what happens: log, scrolling, search, a bust, a lost connection."""

from dataclasses import replace

import pytest
from scenes import columns, scene_of, seat, table, turn

from cantstop_client.fullscreen.scene import (
    LOG_ENTRIES,
    Entry,
    Scene,
    added,
    listened,
    matches_of,
    noted,
    scrolled,
    sought,
)
from cantstop_client.glyphs import ASCII
from cantstop_client.happenings import Ended, Lost, Resumed
from cantstop_protocol.codes import ExitCode
from cantstop_protocol.events import Busted, Chatted, Finished, Rolled
from cantstop_protocol.messages import Aside, Entered, Exit, Notice, Update, Welcome
from cantstop_protocol.table import Result

TABLE = table(seat("Ann", {7: 3}), seat("keller", bot="keller"), turn=turn())


def hear(scene: Scene, *happenings: object, now: float = 0.0) -> Scene:
    for happening in happenings:
        scene, _ = listened(scene, happening, now, ASCII)
    return scene


@pytest.fixture
def seated() -> Scene:
    return hear(
        Scene(),
        Welcome(re=1, name="Ann", rooms=()),
        Entered(re=2, seat=0, seq=1, events=(), complete=True, table=TABLE),
    )


def test_a_bust_and_its_dice_stay_until_the_next_roll(seated: Scene) -> None:
    bust = Busted(0, (1, 1, 3, 5), columns({7: 4}))
    scene = hear(seated, Update(seq=2, event=bust, table=TABLE))
    assert scene.bust == bust
    assert scene.dice == (1, 1, 3, 5)
    scene = hear(scene, Update(seq=3, event=Chatted("keller", 1, "ha"), table=TABLE))
    assert scene.bust == bust
    scene = hear(scene, Update(seq=4, event=Rolled(1, (1, 2, 3, 4), ((3, 7),)), table=TABLE))
    assert scene.bust is None
    assert scene.dice == (1, 2, 3, 4)


def test_one_line_tells_the_end_of_a_game(seated: Scene) -> None:
    over = replace_table(result=Result("g1", 0, 5, False), phase="over")
    scene = hear(seated, Update(seq=2, event=Finished("g1", 0, 5), table=over))
    texts = [entry.text for entry in scene.log]
    assert sum("wins the game" in text for text in texts) == 1
    assert texts[-1].startswith("Columns claimed")


def replace_table(**fields):
    from msgspec import structs

    return structs.replace(TABLE, turn=None, **fields)


def test_a_lost_connection_is_noted_once_and_told_until_it_is_back(seated: Scene) -> None:
    scene = hear(seated, Lost("it broke", 0.5), Lost("refused", 1.0), now=10.0)
    assert scene.trouble is not None
    assert scene.trouble.until == 11.0
    assert [entry.text for entry in scene.log].count("Connection lost: it broke") == 1
    scene = hear(scene, Resumed())
    assert scene.trouble is None
    assert scene.log[-1].text == "Connected again"


def test_what_is_for_everyone_is_in_the_log(seated: Scene) -> None:
    scene = hear(
        seated,
        Notice(message="storage trouble"),
        Aside(name="Dee", text="go on"),
        Exit(room="LEZAT", code=ExitCode.ROOM_CLOSED, message="closed"),
        Ended("the server is shutting down", clean=True),
    )
    texts = [entry.text for entry in scene.log[-4:]]
    assert texts == [
        "Server: storage trouble",
        "Dee (watching): go on",
        "You are out of room LEZAT: closed",
        "The server is shutting down",
    ]
    assert scene.room is None


def test_who_reads_further_up_stays_there_when_news_come() -> None:
    scene = scrolled(noted(Scene(), *map(str, range(50))), 10)
    assert scene.scroll == 10
    scene = added(scene, Entry("event", "news"))
    assert scene.scroll == 11
    assert scrolled(scene, -99).scroll == 0
    assert scrolled(scene, 9999).scroll == 50


def test_the_log_is_bounded() -> None:
    scene = noted(Scene(), *map(str, range(LOG_ENTRIES + 5)))
    assert len(scene.log) == LOG_ENTRIES
    assert scene.log[0].text == "5"


def test_a_search_goes_from_the_newest_match_back_and_round() -> None:
    scene = noted(Scene(), "one Fish", "two", "red fish", "blue")
    scene = sought(scene, "FISH")
    assert matches_of(scene) == 2
    assert scene.scroll == 1
    assert sought(scene, "FISH", 1).scroll == 3
    assert sought(scene, "FISH", 2).scroll == 1
    assert sought(scene, "bird").scroll == 0
    assert sought(scene, None).find is None


def test_a_typed_number_previews_its_option_and_no_other() -> None:
    scene = scene_of("mid_turn", 2)
    assert scene.chosen == 1
    assert replace(scene, typed="3").chosen == 2
    assert replace(scene, typed="6").chosen == 1
    assert replace(scene, typed="hello").chosen == 1
    assert scene_of("claim", 2).chosen is None


def test_news_do_not_move_the_highlight_of_a_pending_choice(seated: Scene) -> None:
    scene = replace(seated, highlighted=2)
    scene = hear(scene, Update(seq=2, event=Chatted("keller", 1, "hm"), table=TABLE))
    assert scene.highlighted == 2
    later = table(seat("Ann"), seat("keller"), turn=turn(ply=99))
    scene = hear(scene, Update(seq=3, event=Rolled(0, (1, 1, 1, 1), ()), table=later))
    assert scene.highlighted == 0
