"""What Tab offers."""

import pytest
from scenes import scene_of

from cantstop_client.fullscreen.completion import completions
from cantstop_client.view import View

PLAYING = scene_of("mid_turn", 4).view
WAITING = scene_of("lobby", 2).view
LOBBY = View(name="Ann", bots=("keller", "random"), rooms=("BADOK",))


@pytest.mark.parametrize(
    ("line", "view", "offered"),
    [
        ("/re", PLAYING, ["/resign ", "/replay "]),
        ("/re", WAITING, ["/rematch ", "/replay "]),
        ("/cr", LOBBY, ["/create "]),
        ("/bot ", WAITING, ["keller", "random"]),
        ("/bot k", WAITING, ["keller"]),
        ("/bot keller ", WAITING, []),
        ("/create Friday se", LOBBY, ["seats="]),
        ("/create dead=", LOBBY, ["dead=removed", "dead=kept"]),
        ("/options absence=w", WAITING, ["absence=wait"]),
        ("/watchers m", PLAYING, ["merged", "muted"]),
        ("/auto o", PLAYING, ["off"]),
        ("/auto k", PLAYING, ["keller"]),
        ("/odds a", PLAYING, ["all"]),
        ("/history res", PLAYING, ["result="]),
        ("/history result=w", LOBBY, ["result=won"]),
        ("/kick Bene", PLAYING, ["Benedict the Second"]),
        ("/kick Benedict th", PLAYING, ["the Second"]),
        ("/join ", LOBBY, ["BADOK", "LEZAT"]),
        ("hello bene", PLAYING, ["Benedict the Second"]),
        ("hello ", PLAYING, []),
        ("//k", PLAYING, []),
        ("/nonsense x", PLAYING, []),
        ("ke", LOBBY, []),
    ],
)
def test_what_is_offered(line, view, offered) -> None:
    assert completions(line, view, ("LEZAT",)) == offered
