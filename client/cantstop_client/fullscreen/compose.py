"""The whole picture: a scene, a size and a style become lines of styled text. Pure."""

from dataclasses import replace
from typing import Final, Literal

from cantstop_client.fullscreen import tracks, upright
from cantstop_client.fullscreen.fragments import (
    Fragment,
    Line,
    beside,
    ends,
    filled,
    fitted,
    line,
)
from cantstop_client.fullscreen.logbook import log_lines
from cantstop_client.fullscreen.pages import page_lines
from cantstop_client.fullscreen.palette import Style
from cantstop_client.fullscreen.panels import (
    decision_panel,
    option_lines,
    player_lines,
    players_in_a_row,
    seconds_left,
    summary_line,
)
from cantstop_client.fullscreen.scene import Scene, matches_of
from cantstop_client.gate import mapped
from cantstop_client.glyphs import letter
from cantstop_client.render import waiting_lines
from cantstop_client.view import RoomView
from cantstop_client.widths import wrapped
from cantstop_client.wording import (
    dice_in_words,
    named,
    options_in_words,
    seat_name,
    waiting_for_witness,
)
from cantstop_protocol.text import cells

Layout = Literal["wide", "usual", "compact", "none"]

LEAST_WIDTH: Final = 60
LEAST_HEIGHT: Final = 20
PROMPT: Final = "> "
FIND_PROMPT: Final = "find: "

_WIDE_CELL: Final = 6


def render(scene: Scene, width: int, height: int, style: Style, now: float) -> list[Line]:
    """The picture in ``height`` lines of ``width`` cells; the last is the line one types in.

    ``now`` is on the clock that ``scene`` was told its happenings by.
    """
    if style.marks.ascii:
        scene = _in_ascii(scene)
    if layout_for(width, height) == "none":
        return _too_small(scene, width, height)
    header = _header(scene, style, width)
    banner = _banner(scene, style, width, now)
    body = _body(scene, width, height - 3, style, now)
    lines = [header, *filled(body, height - 3), banner, _input(scene)]
    return [fitted(item, width) for item in lines]


def layout_for(width: int, height: int) -> Layout:
    """Which of the designed pictures fits this size."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return "none"
    if width >= 116 and height >= 34:
        return "wide"
    return "usual" if width >= 80 and height >= 24 else "compact"


def prompt_of(scene: Scene) -> str:
    """What stands before the line one types in."""
    return PROMPT if scene.find is None else FIND_PROMPT


def page_room(width: int, height: int) -> int:
    """How many lines of a page are in view at once."""
    return max(1, height - 3 if layout_for(width, height) != "none" else height - 2)


def _body(scene: Scene, width: int, height: int, style: Style, now: float) -> list[Line]:
    if scene.page is not None:
        page = page_lines(scene.page, scene, style, width - 2)
        start = min(scene.page_scroll, max(0, len(page) - height))
        shown = [(Fragment(" "), *item) for item in page[start : start + height]]
        rest = len(page) - start - height
        if rest > 0:
            shown[-1] = line(f" -- {rest + 1} more lines: PageDown --", "notice")
        return shown
    room = scene.room
    if room is None:
        return _lobby(scene, width, height)
    match layout_for(width, height + 3):
        case "wide":
            return _wide(scene, room, width, height, style, now)
        case "usual":
            return _usual(scene, room, width, height, style, now)
        case _:
            return _compact(scene, room, width, height, style, now)


def _usual(
    scene: Scene, room: RoomView, width: int, height: int, style: Style, now: float
) -> list[Line]:
    """The board, players and dice on its right, the log below."""
    cell = upright.least_cell(len(room.table.seats))
    board_width = upright.upright_width(cell) + 2
    board = upright.upright_lines(scene, room, style, cell)
    side_width = width - board_width
    players = player_lines(scene, room, style, side_width)
    decision = decision_panel(scene, room, style, side_width, now)
    if len(players) + 1 + len(decision) <= upright.ROWS:
        players.append(())
    side = filled([*players, *decision], upright.ROWS)
    return [
        *beside(board, side, board_width),
        *log_lines(scene, width, height - upright.ROWS),
    ]


def _wide(
    scene: Scene, room: RoomView, width: int, height: int, style: Style, now: float
) -> list[Line]:
    """The board and the turn on the left, the log at its full height on the right."""
    left_width = upright.upright_width(_WIDE_CELL) + 2
    left = [
        (),
        *upright.upright_lines(scene, room, style, _WIDE_CELL),
        (),
        *_indented(player_lines(scene, room, style, left_width - 4)),
        (),
        *_indented(decision_panel(scene, room, style, left_width - 4, now)),
    ]
    right = log_lines(scene, width - left_width - 2, height)
    return beside(
        filled(left, height), [(Fragment("| ", "dim"), *item) for item in right], left_width
    )


def _compact(
    scene: Scene, room: RoomView, width: int, height: int, style: Style, now: float
) -> list[Line]:
    """Tracks, the players in one line, options in two columns; the log takes what is left."""
    lines = [*tracks.track_lines(scene, room, style, width), players_in_a_row(room, style, width)]
    turn = room.turn
    if turn is not None:
        half = width // 2
        heading, *options = option_lines(scene, room, turn, style, half - 1) or [()]
        if turn.decision != "choose" and heading:
            options.insert(0, heading)
        rows = (len(options) + 1) // 2
        lines += beside(options[:rows], filled(options[rows:], rows), half)
        lines.append(summary_line(scene, room, width, now))
    return [*lines, *log_lines(scene, width, height - len(lines))]


def _lobby(scene: Scene, width: int, height: int) -> list[Line]:
    """In no room: what has been listed, and what can be typed."""
    hints = [
        "/rooms lists the tables, /join CODE takes a seat, /watch CODE looks on,",
        "/create [TITLE] [seats=2] [target=3] opens one, ? shows all commands",
    ]
    lines = [(), *(line(f" {text}", "dim") for hint in hints for text in wrapped(hint, width - 2))]
    return [*lines, (), *log_lines(scene, width, height - len(lines) - 1)]


def _header(scene: Scene, style: Style, width: int) -> Line:
    """Where one is, and how the connection is."""
    room = scene.room
    place = "Can't Stop" if room is None else f"Room {room.table.room}"
    if room is not None and room.table.title:
        place += f" {room.table.title}"
    place = scene.caption or place
    played = "" if room is None else f"  {options_in_words(room.table.options)}"
    link = "" if scene.latency is None else f"{max(1.0, scene.latency * 1000):.0f} ms "
    if scene.trouble is not None:
        link = "OFFLINE "
    role = "alarm" if scene.trouble is not None else "dim"
    help_hint = f"{scene.keys.help} help"
    left = (Fragment(f" {place}", "bold"), Fragment(played, "dim"))
    return ends(
        left, (Fragment(f"  {link}", role), Fragment(help_hint, "dim"), Fragment(" ")), width
    )


def _banner(scene: Scene, style: Style, width: int, now: float) -> Line:
    """The line that says what is up: unmistakable when it is one's turn."""
    if scene.trouble is not None:
        wait = max(0.0, scene.trouble.until - now)
        text = (
            f"!!! Connection lost: what you see may be old. Trying again in {wait:.0f} s."
            if wait
            else "!!! Connection lost: what you see may be old. Trying again"
        )
        return fitted(line(text, "alarm"), width)
    if scene.find is not None:
        found = matches_of(scene)
        if not scene.find:
            return line("Type what to look for in the log; Esc ends the search", "notice")
        count = f"{scene.found + 1} of {found}" if found else "nothing found"
        return line(f"Search: {count}. Enter: further back, Esc: end", "notice")
    if scene.page is not None:
        return _turn_or(
            scene, line("Esc closes this page, PageUp and PageDown scroll", "notice"), width
        )
    if scene.banners:
        fits = (text for text in scene.banners if cells(text) <= width)
        return fitted(line(next(fits, scene.banners[-1]), scene.banner_role), width)
    return _turn_or(scene, _other_banner(scene, now), width)


def _turn_or(scene: Scene, other: Line, width: int) -> Line:
    room = scene.room
    turn = None if room is None else room.turn
    if room is None or turn is None:
        return fitted(other, width)
    if room.witness is not None and scene.page is None:
        return fitted(line(waiting_for_witness(room.table, room.witness), "notice"), width)
    if not room.is_mine:
        return fitted(other, width)
    if turn.decision == "choose":
        count = len(turn.options)
        numbers = {1: "1 takes the", 2: "1 or 2 takes an"}
        keys = f"{numbers.get(count, f'1 to {count} takes an')} option"
    elif turn.decision == "roll":
        keys = f"{scene.keys.roll} rolls"
    else:
        keys = f"{scene.keys.roll} rolls again, {scene.keys.stop} stops"
    begins = f">>> YOUR TURN, {letter(turn.seat)} {seat_name(room.table, turn.seat)}: "
    if scene.typed.strip() and scene.chosen_by_number is None:
        for way in ("send the line or clear it (Ctrl-U), then ", "clear the line (Ctrl-U): "):
            text = f"{begins}{way}{keys} <<<"
            if cells(text) <= width:
                break
        else:
            text = f">>> YOUR TURN: Ctrl-U, then {keys} <<<"
    else:
        text = f"{begins}{keys} <<<"
    return fitted(line(text.center(width), "turn"), width)


def _other_banner(scene: Scene, now: float) -> Line:
    room = scene.room
    if room is None:
        return line(f"You are {named(scene.view.name)}, in no room", "dim")
    result = room.table.result
    if room.table.phase == "over" and result is not None:
        if result.winner is None:
            return line("The game is over: nobody has won", "turn")
        winner = seat_name(room.table, result.winner)
        text = f"{winner} WINS after {result.turns} turns."
        return (
            Fragment(f" {text} ", f"runner{result.winner}"),
            Fragment(f"  {' '.join(waiting_lines(scene.view)[:1])}"),
        )
    turn = room.turn
    if turn is None:
        return line("Waiting for the game to begin", "dim")
    who = seat_name(room.table, turn.seat)
    seat = room.table.seats[turn.seat]
    away = " (away)" if seat is not None and seat.away else ""
    doing = {"roll": "to roll", "choose": "chooses", "roll_or_stop": "rolls or stops"}
    clock = seconds_left(scene, turn, now)
    left = "" if clock is None else f", {clock:.0f} s"
    text = f"{who}{away} {doing[turn.decision]}{left}"
    if scene.bust is not None and turn.decision == "roll":
        busted = seat_name(room.table, scene.bust.seat)
        text = f"{busted} busted with {dice_in_words(scene.bust.dice)}. {text}"
    return (Fragment(f"{letter(turn.seat)} ", f"seat{turn.seat}"), Fragment(text))


def _input(scene: Scene) -> Line:
    return (Fragment(prompt_of(scene), "bold"), Fragment(scene.typed))


def _too_small(scene: Scene, width: int, height: int) -> list[Line]:
    """Which size is needed; what one types stays."""
    texts = wrapped(
        f"This window is {width}x{height}: Can't Stop needs at least "
        f"{LEAST_WIDTH}x{LEAST_HEIGHT}. Make it larger, or leave with Ctrl-C.",
        max(1, width),
        "",
    )
    room = max(0, height - 1)
    lines = filled([line(text) for text in texts], room)
    return [fitted(item, width) for item in [*lines, _input(scene)][-max(1, height) :]]


def _indented(lines: list[Line]) -> list[Line]:
    return [(Fragment("  "), *item) for item in lines]


def _in_ascii(scene: Scene) -> Scene:
    """Names and chat in other scripts as question marks, as the plain face writes them."""
    view, room = scene.view, scene.room
    if room is not None:
        view = replace(view, room=replace(room, table=mapped(room.table, _ascii)))
    log = tuple(replace(entry, text=_ascii(entry.text)) for entry in scene.log)
    trouble = scene.trouble and replace(scene.trouble, reason=_ascii(scene.trouble.reason))
    view = replace(view, name=_ascii(view.name), bots=tuple(map(_ascii, view.bots)))
    games = tuple(mapped(game, _ascii) for game in scene.games)
    return replace(
        scene,
        view=view,
        log=log,
        trouble=trouble,
        typed=_ascii(scene.typed),
        games=games,
        looked_up=mapped(scene.looked_up, _ascii),
    )


def _ascii(text: str) -> str:
    return text.encode("ascii", "replace").decode()
