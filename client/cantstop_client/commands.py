"""The commands of the input line: one table for parsing, help and what each becomes.

Pure: a line and the view give an intent. Who may do what is the server's to say; here is only
checked what cannot be put into a message at all.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import msgspec

from cantstop_client.intents import (
    AskHint,
    AskHistory,
    AskReplay,
    Hint,
    Intent,
    Local,
    LocalTopic,
    Move,
    Nothing,
    Send,
)
from cantstop_client.questions import FILTERS_HELP, USAGE, BadFilter, read_words
from cantstop_client.view import View
from cantstop_protocol.commands import (
    AddBot,
    Autopilot,
    Chat,
    Choose,
    Command,
    Configure,
    Create,
    GetLeaders,
    GetStats,
    Join,
    Kick,
    Leave,
    ListRooms,
    Lock,
    PassRoom,
    Rematch,
    RemoveBot,
    Resign,
    Roll,
    SetSpectatorChat,
    Start,
    Stop,
    SwapSeats,
)
from cantstop_protocol.limits import (
    MAX_BYTES_PER_CELL,
    MAX_NAME_CELLS,
    MAX_PASSWORD_CHARACTERS,
)
from cantstop_protocol.table import GameOptions, SpectatorChat
from cantstop_protocol.text import BadText, clean_chat, clean_title, name_key

When = Literal["anywhere", "outside a room", "in a room", "between games", "in a game"]
Words = Sequence[str]

DEFAULT_PILOT: Final = "keller"
_LONGEST_CODE: Final = 16
_LONGEST_GAME: Final = 40

OPTION_FIELDS: Final = {
    "seats": "seats",
    "target": "target",
    "dead": "dead_markers",
    "absence": "absence",
    "time": "decision_seconds",
    "bank": "bank_seconds",
    "increment": "increment_seconds",
    "hints": "hints",
    "rated": "rated",
    "dice": "dice",
}
"""The settings of a game as they are typed, and the fields they set."""

_SETTINGS_USAGE: Final = "[SETTING=VALUE ...]"

_SETTINGS_HELP: Final = (
    "Settings: seats=1..4, target=1..5, dead=removed|kept, rated=on|off,",
    "  hints=on|off (with hints it is casual, not rated),",
    "  dice=committed|witnessed (checked after the game, or at each roll),",
    "  absence=autopilot|wait|forfeit (who is away: the computer plays, or ...),",
    "  time=S for each decision, bank=S for the game, increment=S more each turn.",
)


class _Unusable(Exception):
    """The arguments cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A slash command. ``when`` says where it makes sense; ``read`` gives what it asks for."""

    name: str
    arguments: str
    help: str
    when: When
    read: Callable[[View, Words], Intent]

    @property
    def usage(self) -> str:
        return f"/{self.name} {self.arguments}".rstrip()


def read_line(line: str, view: View) -> Intent:
    """What a line asks for. Anything that is no move and no command is chat."""
    line = line.strip()
    if not line:
        return Nothing()
    if line.startswith("//"):
        return _chat(view, line[1:])
    if line.startswith("/"):
        name, *words = line[1:].split() or [""]
        return _command(view, name.casefold(), words)
    move = _move(line.casefold(), view)
    return _chat(view, line) if move is None else move


def help_lines() -> list[str]:
    """The page that ``/help`` shows."""
    wide = max(len(row.usage) for row in COMMANDS)
    whens: dict[When, list[CommandRow]] = {}
    for row in COMMANDS:
        whens.setdefault(row.when, []).append(row)
    lines = ["Your turn: r or roll, s or stop, or the number of an option.", "Text is chat."]
    for when, rows in whens.items():
        lines.append(f"{when.capitalize()}:")
        for row in rows:
            # A long usage has its help on a line of its own, so that all fits 80 columns.
            if wide > 30 and len(row.usage) > 28:
                lines += [f"  {row.usage}", f"  {'':<28}  {row.help}"]
            else:
                lines.append(f"  {row.usage:<28}  {row.help}")
    return [*lines, *_SETTINGS_HELP, *FILTERS_HELP]


def _move(word: str, view: View) -> Intent | None:
    if word in ("r", "roll"):
        return Move(Roll)
    if word in ("s", "stop"):
        return Move(Stop)
    if re.fullmatch(r"[0-9]{1,3}", word):
        number = int(word)
        if not 1 <= number <= 6:
            return Hint(f"{number} is no option's number: they go from 1 to 6 at most")
        return Move(Choose, number)
    return None


def _command(view: View, name: str, words: Words) -> Intent:
    row = _BY_NAME.get(name)
    if row is None:
        return Hint(f"There is no command /{name}: /help lists all, //{name} says it as text")
    try:
        return row.read(view, words)
    except _Unusable as error:
        return Hint(f"{error}. It goes: {row.usage}")


def _chat(view: View, text: str) -> Intent:
    if view.room is None:
        return Hint("You are in no room: /rooms lists them, /join CODE enters, /create makes one")
    try:
        return Send(Chat, {"text": clean_chat(text)})
    except BadText as error:
        return Hint(f"Not sent: {error}")


def _create(view: View, words: Words) -> Intent:
    title, settings = _settings(words, {*OPTION_FIELDS, "password"})
    try:
        fields: dict[str, Any] = {"title": clean_title(title)}
    except BadText as error:
        raise _Unusable(str(error)) from error
    if "password" in settings:
        fields["password"] = _password(settings.pop("password"))
    return Send(Create, {**fields, "options": _options(GameOptions(), settings)})


def _join(view: View, words: Words) -> Intent:
    code, password = _needed(words, "the room's code", most=2)
    return Send(Join, {"room": _code(code), "password": _password(password)})


def _watch(view: View, words: Words) -> Intent:
    code, password = _needed(words, "the room's code", most=2)
    return Send(Join, {"room": _code(code), "password": _password(password), "role": "spectator"})


def _bot(view: View, words: Words) -> Intent:
    kind, count = _needed(words, f"a kind: {', '.join(view.bots) or 'keller'}", most=2)
    if count and not re.fullmatch("[1-4]", count):
        raise _Unusable(f"{count!r} is no number of seats")
    return Send(AddBot, {"kind": _kind(kind)}, times=int(count or 1))


def _unbot(view: View, words: Words) -> Intent:
    return Send(RemoveBot, {"seat": _seat(view, " ".join(words))})


def _swap(view: View, words: Words) -> Intent:
    one, other = _needed(words, "two seats: A to D", most=2)
    return Send(SwapSeats, {"seats": (_seat(view, one), _seat(view, other))})


def _kick(view: View, words: Words) -> Intent:
    return Send(Kick, {"name": _name(words)})


def _pass(view: View, words: Words) -> Intent:
    return Send(PassRoom, {"name": _name(words)})


def _watchers(view: View, words: Words) -> Intent:
    (mode,) = _needed(words, "apart, merged or muted", most=1)
    if mode.casefold() not in get_args(SpectatorChat):
        raise _Unusable(f"{mode!r} is not apart, merged or muted")
    return Send(SetSpectatorChat, {"mode": mode.casefold()})


def _seat(view: View, text: str) -> int:
    if not text:
        raise _Unusable("Whose seat? Its letter or the name")
    wanted = name_key(text)
    seats = () if view.room is None else view.room.table.seats
    for seat, who in enumerate(seats):
        if who is not None and name_key(who.name) == wanted:
            return seat
    if len(wanted) == 1 and wanted in "abcd":
        return "abcd".index(wanted)
    raise _Unusable("Nobody of that name sits here, and seats are A to D")


def _name(words: Words) -> str:
    if not words:
        raise _Unusable("It needs a name")
    return " ".join(words)


def _change_options(view: View, words: Words) -> Intent:
    rest, settings = _settings(words, set(OPTION_FIELDS))
    if rest or not settings:
        raise _Unusable("Say what is to change")
    now = GameOptions() if view.room is None else view.room.table.options
    return Send(Configure, {"options": _options(now, settings)})


def _auto(view: View, words: Words) -> Intent:
    (kind,) = _at_most(words, 1)
    if kind.casefold() == "off":
        return Send(Autopilot, {"kind": None})
    return Send(Autopilot, {"kind": _kind(kind or DEFAULT_PILOT)})


def _stats(view: View, words: Words) -> Intent:
    name = " ".join(words)
    if len(name) > MAX_NAME_CELLS * MAX_BYTES_PER_CELL:
        raise _Unusable(f"A name has at most {MAX_NAME_CELLS} characters")
    return Send(GetStats, {"name": name})


def _hint(view: View, words: Words) -> Intent:
    _at_most(words, 0)
    return AskHint()


def _history(view: View, words: Words) -> Intent:
    if [word.casefold() for word in words] == ["more"]:
        return AskHistory(None)
    try:
        return AskHistory(read_words(words))
    except BadFilter as error:
        raise _Unusable(str(error)) from error


def _replay(view: View, words: Words) -> Intent:
    """Without a game it is the latest of this room, or of the server."""
    (game,) = _at_most(words, 1)
    if len(game) > _LONGEST_GAME:
        raise _Unusable(f"A game's identifier has at most {_LONGEST_GAME} characters")
    result = None if view.room is None else view.room.table.result
    return AskReplay(game or ("" if result is None else result.game))


def _sends(kind: type[Command], /, **fields: Any) -> Callable[[View, Words], Intent]:
    def read(view: View, words: Words) -> Intent:
        _at_most(words, 0)
        return Send(kind, fields)

    return read


def _shows(topic: LocalTopic) -> Callable[..., Intent]:
    def read(view: View, words: Words) -> Intent:
        return Local(topic)

    return read


def _odds(view: View, words: Words) -> Intent:
    (which,) = _at_most(words, 1)
    if which.casefold() not in ("", "all"):
        raise _Unusable("Only all may follow: the table of all sets of three columns")
    return Local("triples" if which else "odds")


def _settings(words: Words, known: set[str]) -> tuple[str, dict[str, str]]:
    """The plain words joined, and the ``key=value`` ones."""
    plain, settings = [], {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            plain.append(word)
        elif key.casefold() not in known:
            raise _Unusable(f"{key!r} is no setting: {', '.join(sorted(known))}")
        else:
            settings[key.casefold()] = value
    return " ".join(plain), settings


def _options(now: GameOptions, settings: dict[str, str]) -> GameOptions:
    """The options with the settings applied; their ranges come from the protocol."""
    fields: dict[str, Any] = msgspec.to_builtins(now)
    for key, value in settings.items():
        if key in ("hints", "rated"):
            if value.casefold() not in ("on", "off"):
                raise _Unusable(f"{key} is on or off, not {value!r}")
            fields[key] = value.casefold() == "on"
        elif key in ("dead", "absence", "dice"):
            fields[OPTION_FIELDS[key]] = value.casefold()
        elif not re.fullmatch("[0-9]{1,5}", value):
            raise _Unusable(f"{key} is a number, not {value!r}")
        else:
            fields[OPTION_FIELDS[key]] = int(value)
    if fields["hints"] and fields["rated"]:
        if {"hints", "rated"} <= settings.keys():
            raise _Unusable("A rated game has no hints: leave out one of them")
        fields["hints" if "rated" in settings else "rated"] = False
    try:
        return msgspec.convert(fields, GameOptions)
    except msgspec.ValidationError as error:
        raise _Unusable(
            "Seats are 1 to 4, target 1 to 5, dead removed or kept, dice committed or"
            " witnessed, absence autopilot, wait or forfeit, time up to 3600, bank up to 36000,"
            " increment up to 600 seconds"
        ) from error


def _at_most(words: Words, most: int) -> list[str]:
    if len(words) > most:
        raise _Unusable("That is more than this command takes")
    return [*words, *[""] * (most - len(words))]


def _needed(words: Words, what: str, most: int) -> list[str]:
    if not words:
        raise _Unusable(f"It needs {what}")
    return _at_most(words, most)


def _code(text: str) -> str:
    if len(text) > _LONGEST_CODE:
        raise _Unusable(f"A room's code has at most {_LONGEST_CODE} characters")
    return text


def _kind(text: str) -> str:
    if len(text) > _LONGEST_CODE:
        raise _Unusable("There is no such kind of computer player")
    return text.casefold()


def _password(text: str) -> str:
    if len(text) > MAX_PASSWORD_CHARACTERS:
        raise _Unusable(f"A password has at most {MAX_PASSWORD_CHARACTERS} characters")
    return text


COMMANDS: Final[tuple[CommandRow, ...]] = (
    CommandRow("rooms", "", "List the open rooms", "outside a room", _sends(ListRooms)),
    CommandRow(
        "create",
        f"[TITLE] {_SETTINGS_USAGE} [password=TEXT]",
        "Open a room and sit down in it",
        "outside a room",
        _create,
    ),
    CommandRow("join", "CODE [PASSWORD]", "Take a seat in a room", "outside a room", _join),
    CommandRow("watch", "CODE [PASSWORD]", "Watch a room", "outside a room", _watch),
    CommandRow("bot", "KIND [COUNT]", "Give free seats to the computer", "between games", _bot),
    CommandRow("unbot", "SEAT|NAME", "Take a computer player out", "between games", _unbot),
    CommandRow(
        "options",
        _SETTINGS_USAGE,
        "Change what is played",
        "between games",
        _change_options,
    ),
    CommandRow("swap", "SEAT SEAT", "Let two seats change places", "between games", _swap),
    CommandRow("rematch", "", "Agree to another game", "between games", _sends(Rematch)),
    CommandRow("start", "", "Begin the game, or the next one", "between games", _sends(Start)),
    CommandRow("hint", "", "What your alternatives are worth", "in a game", _hint),
    CommandRow("auto", "[KIND|off]", "Let a computer play your seat", "in a game", _auto),
    CommandRow("resign", "", "Give the game up and stay here", "in a game", _sends(Resign)),
    CommandRow("kick", "NAME", "Put somebody out for good", "in a room", _kick),
    CommandRow("lock", "", "Let no newcomers in", "in a room", _sends(Lock, locked=True)),
    CommandRow("unlock", "", "Let newcomers in again", "in a room", _sends(Lock, locked=False)),
    CommandRow("pass", "NAME", "Give somebody charge of the room", "in a room", _pass),
    CommandRow(
        "watchers",
        "apart|merged|muted",
        "Where the chat of those who watch goes",
        "in a room",
        _watchers,
    ),
    CommandRow("board", "", "Show the board", "in a room", _shows("board")),
    CommandRow("who", "", "Who plays and who watches", "in a room", _shows("who")),
    CommandRow("leave", "", "Leave for good; in a game you give up", "in a room", _sends(Leave)),
    CommandRow("stats", "[NAME]", "A player's record, or your own", "anywhere", _stats),
    CommandRow("leaders", "", "Who leads the ratings", "anywhere", _sends(GetLeaders)),
    CommandRow("replay", "[GAME]", "See a game that has ended again", "anywhere", _replay),
    CommandRow("help", "", "This page", "anywhere", _shows("help")),
    CommandRow("rules", "", "The rules of the game", "anywhere", _shows("rules")),
    CommandRow("history", USAGE, "Games of the past, newest first", "anywhere", _history),
    CommandRow("odds", "[all]", "The chance of a bust: now, or of all threes", "anywhere", _odds),
    CommandRow("quit", "", "End this program; a seat is held a while", "anywhere", _shows("quit")),
)

_BY_NAME: Final = {row.name: row for row in COMMANDS}
