"""What opens over the table: keys and commands of this moment, the rules, the odds. Pure."""

from cantstop_client.commands import COMMANDS, When
from cantstop_client.fullscreen.fragments import Fragment, Line, line
from cantstop_client.fullscreen.keys import KEYS, is_now, named_keys
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.scene import PageName, Scene
from cantstop_client.past import games_lines
from cantstop_client.render import odds_lines
from cantstop_client.rules_page import RULES
from cantstop_client.standings import reply_lines
from cantstop_client.triples import triple_lines
from cantstop_client.view import View
from cantstop_client.widths import wrapped
from cantstop_protocol.messages import Leaders, Stats

_USAGE: int = 28


def page_lines(page: PageName, scene: Scene, style: Style, width: int) -> list[Line]:
    """The whole page, however long."""
    match page:
        case "help":
            return _help(scene, width)
        case "rules":
            return [line(text) for rule in RULES for text in wrapped(rule, width)]
        case "history":
            texts = (*games_lines(scene.games, width), *scene.more)
            return [line(text) for text in texts]
        case "own":
            return [line(part) for text in scene.own_page for part in wrapped(text, width)]
        case "odds":
            return _odds(scene, style, width)
        case "records":
            found = scene.looked_up
            return [] if found is None else _records(found, style, width)


def _records(found: Stats | Leaders, style: Style, width: int) -> list[Line]:
    return [line(text) for text in reply_lines(found, width, style.marks.words)]


def moments(view: View) -> tuple[When, ...]:
    """Which commands make sense as things are."""
    room = view.room
    if room is None:
        return ("outside a room", "anywhere")
    here: When = "in a game" if room.table.phase == "playing" else "between games"
    return (here, "in a room", "anywhere")


def _help(scene: Scene, width: int) -> list[Line]:
    lines = [line("Keys", "bold")]
    for key in KEYS:
        if is_now(key, scene):
            lines += _row(named_keys(key, scene.keys), key.help, 17, width)
    tip = "On your turn, begin chat with a space if its first letter is a key that acts"
    lines += [line(text, "dim") for text in wrapped(tip, width)]
    for when in moments(scene.view):
        lines += [(), line(f"Commands {when}", "bold")]
        for row in COMMANDS:
            if row.when == when:
                lines += _row(row.usage, row.help, _USAGE, width)
    return lines


def _row(name: str, help: str, wide: int, width: int) -> list[Line]:
    if len(name) > wide or wide + 12 > width:
        texts = wrapped(help, max(12, width - 6), "")
        return [
            *(line(f"  {part}", "chosen") for part in wrapped(name, width - 2)),
            *(line(f"      {text}") for text in texts),
        ]
    first, *more = wrapped(help, width - wide - 4, "")
    return [
        (Fragment(f"  {name:<{wide}}  ", "chosen"), Fragment(first)),
        *(line(f"{'':<{wide + 4}}{text}") for text in more),
    ]


def _odds(scene: Scene, style: Style, width: int) -> list[Line]:
    lines: list[Line] = []
    if scene.room is not None:
        lines = [
            line(text)
            for said in odds_lines(scene.room, style.marks.words)
            for text in wrapped(said, width)
        ]
    lines += [(), line("Three runners below the top, nothing claimed: the bust chance", "bold")]
    return [*lines, *(line(text) for text in triple_lines(width))]
