"""The README of the protocol says what the code does: every name, type, code, limit and frame."""

import ast
import asyncio
import hashlib
import hmac
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgpack
import pytest
from msgspec import NODEFAULT, Struct, inspect, to_builtins
from transcript import SECRET, Frame, parse, record, render
from wire import SECONDS, scripted_world, serving

from cantstop_protocol import limits
from cantstop_protocol.codec import (
    COMMANDS,
    EVENTS,
    MESSAGES,
    decode_command,
    decode_message,
    encode,
)
from cantstop_protocol.codes import ByeCode, ErrorCode, ExitCode
from cantstop_protocol.commands import Command, Hint
from cantstop_protocol.messages import Alternative, GameStep, NumberedEvent, Presence, ServerStatus
from cantstop_protocol.past import GameSeat, GameSummary
from cantstop_protocol.standings import (
    Habits,
    PlayerStats,
    Rated,
    RatingPoint,
    RunnerSet,
    SeatsScore,
    SolitaireBest,
    Versus,
)
from cantstop_protocol.table import (
    DiceTerms,
    GameOptions,
    Option,
    Promise,
    Result,
    RoomSummary,
    Seat,
    Table,
    Turn,
)
from cantstop_server.config import Limits, ServerConfig
from cantstop_server.rooms.dicing import MISSES_TO_PASS
from cantstop_server.rooms.dispatch import ROWS
from cantstop_server.rooms.memory import REMEMBERED_COMMANDS
from cantstop_server.rooms.relief import AUTOPILOT, OVERRUNS_TO_RELIEF, WARNING_SECONDS
from cantstop_server.simulate import seeded_dice

README: Final = Path(__file__).parents[2] / "protocol" / "README.md"
TEXT: Final = README.read_text("utf-8")

NEVER_SENT_TYPES: Final = {"unrecognised"}
NEVER_SENT_CODES: Final = {"unknown"}
"""What our client makes of what it does not know. The README names them in one place."""

SENT_MESSAGES: Final = {tag: kind for tag, kind in MESSAGES.items() if tag not in NEVER_SENT_TYPES}
SENT_EVENTS: Final = {tag: kind for tag, kind in EVENTS.items() if tag not in NEVER_SENT_TYPES}
STRUCTURES: Final = (
    GameOptions,
    Alternative,
    RoomSummary,
    GameSummary,
    GameSeat,
    NumberedEvent,
    Table,
    Promise,
    DiceTerms,
    Seat,
    Turn,
    Option,
    Result,
    ServerStatus,
    Presence,
    PlayerStats,
    Rated,
    RatingPoint,
    SeatsScore,
    Versus,
    SolitaireBest,
    Habits,
    RunnerSet,
    GameStep,
)
CODES: Final = {"Error codes": ErrorCode, "Bye codes": ByeCode, "Exit codes": ExitCode}
BASE_FIELDS: Final = {"id"}
"""What every command has is documented once, under the conventions."""

SEED: Final = 28

LIMITS: Final = {
    "DEFAULT_PORT": "port, unless told otherwise",
    "MAX_COMMAND_BYTES": "bytes of a frame from a client",
    "MAX_MESSAGE_BYTES": "bytes of a frame from a server",
    "MAX_NAME_CELLS": "cells of a name",
    "MAX_TITLE_CELLS": "cells of a room's title",
    "MAX_CHAT_CELLS": "cells of a line of chat",
    "MAX_BYTES_PER_CELL": "bytes, in UTF-8, for each cell that a name, title or line of chat may"
    " take",
    "MAX_PASSWORD_CHARACTERS": "characters of a password, at most",
    "MIN_TOKEN_CHARACTERS": "characters of a token, at least",
    "MAX_TOKEN_CHARACTERS": "characters of a token, at most",
    "MAX_INSTANCE_CHARACTERS": "characters of an instance, at most",
    "MAX_GAMES": "games that have ended in one list, at most",
    "MAX_CURSOR_CHARACTERS": "characters of a cursor, at most",
    "MAX_ID": "largest `id` and `ply`",
    "STEPS_IN_RECORD": "steps of a past game in one reply",
    "TAIL_EVENTS": "latest events that a room keeps for those who return",
}
SETTINGS: Final = {
    "connections": "connections",
    "connections_per_address": "connections from the same address",
    "rooms": "rooms",
    "rooms_per_person": "rooms with the same creator",
    "spectators_per_room": "spectators in a room",
    "command_rate": "commands in a second",
    "command_burst": "commands, burst",
    "chat_rate": "lines of chat in a second",
    "chat_burst": "lines of chat, burst",
    "list_rate": "lists of rooms or games in a second",
    "list_burst": "lists of rooms or games, burst",
    "game_rate": "parts of past games in a second",
    "game_burst": "parts of past games, burst",
    "password_rate": "tries of a room's password in a second",
    "password_burst": "tries of a room's password, burst",
    "refusal_rate": "refusals in a second, of any kind; `bye` `flood` beyond that",
    "refusal_burst": "refusals, burst",
    "buffered_bytes": "bytes that may wait for a client that does not read",
    "hello_timeout": "seconds until `hello` must be accepted",
    "ping_interval": "seconds between pings",
    "ping_timeout": "seconds until a pong must come",
    "thinkers": "strong computer players and hints thought about at a time",
    "thinking_seconds": "seconds until such a thought is given up",
    "absence_grace": "seconds that the player to move may be away before `absence` holds",
    "seat_grace": "seconds that a seat is held between games",
    "room_grace": "seconds that a room without a running game waits when everybody is away",
    "game_grace": "seconds that a running game waits when everybody is away",
    "witness_seconds": "seconds that a roll waits for the next person to witness it",
}


def _sections(text: str) -> dict[str, str]:
    """What stands under each heading of any level, down to the next heading."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    parts = re.split(r"^#+ (.+)$", prose, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _rows(section: str) -> list[list[str]]:
    """The cells of a section's tables, headers and rules left out."""
    lines = [line for line in section.splitlines() if line.startswith("|")]
    rules = {n for n, line in enumerate(lines) if set(line) <= set("| -")}
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for n, line in enumerate(lines)
        if n not in rules and n + 1 not in rules
    ]


def _block(language: str, under: str) -> str:
    after = TEXT.partition(f"\n## {under}\n")[2]
    found = re.search(rf"^```{language}\n(.*?)^```$", after, re.MULTILINE | re.DOTALL)
    assert found, f"no block of {language} under {under!r}"
    return found[1]


SECTIONS: Final = _sections(TEXT)
SESSION: Final = parse(_block("text", "A whole session"))
FROM_CLIENT: Final = [frame for frame in SESSION if frame.sender == "→"]
FROM_SERVER: Final = [frame for frame in SESSION if frame.sender == "←"]
IN_HEX: Final = [frame for frame in SESSION if frame.hex]


def _field_rows(heading: str) -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in _rows(SECTIONS[heading]) if row[0].startswith("`")}


def _type(kind: inspect.Type) -> str:
    """How the README writes a type."""
    match kind:
        case inspect.BoolType():
            return "bool"
        case inspect.IntType(ge=low, le=high):
            return "int" if low is None is high else f"int {low} to {high}"
        case inspect.StrType(min_length=low, max_length=high):
            bounds = f" {low} to {high}" if low is not None else f" up to {high}"
            return "text" if low is None is high else f"text{bounds}"
        case inspect.FloatType(ge=None, le=None):
            return "float"
        case inspect.LiteralType(values=values):
            return _any_of([f"`{value}`" for value in _in_order(values)])
        case inspect.EnumType(cls=codes):
            heading = next(heading for heading, known in CODES.items() if known is codes)
            return f"[{heading.lower()[:-1]}](#{heading.lower().replace(' ', '-')})"
        case inspect.VarTupleType(item_type=item):
            return f"array of {_type(item)}"
        case inspect.TupleType(item_types=items):
            assert {type(item) for item in items} == {inspect.IntType}
            assert {_type(item) for item in items} == {_type(items[0])}
            return {11: "columns", 4: "dice", 2: f"array of 2 {_type(items[0])}"}[len(items)]
        case inspect.StructType(cls=struct):
            return f"[{struct.__name__}](#{struct.__name__.lower()})"
        case inspect.UnionType(types=types):
            if {getattr(kind, "cls", None) for kind in types} == set(EVENTS.values()):
                return "[event](#event-types)"
            names = [_type(t) for t in types if not isinstance(t, inspect.NoneType)]
            return _any_of([*names, *(["null"] if len(names) < len(types) else [])])
    raise AssertionError(f"the README has no word for {kind}")


def _in_order(values: tuple[Any, ...]) -> list[str]:
    """A Literal's values as the README lists them; msgspec sorts them."""
    first = ("waiting", "playing", "player", "roll", "choose", "removed", "autopilot", "wait")
    return sorted(map(str, values), key=lambda v: first.index(v) if v in first else len(first))


def _any_of(options: list[str]) -> str:
    *most, last = options
    return f"{', '.join(most)} or {last}" if most else last


def _struct_fields(struct: type[Struct]) -> dict[str, inspect.Field]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return {f"`{field.encode_name}`": field for field in info.fields}


def _structs_within(roots: Iterable[type[Struct]]) -> set[type]:
    """The structs themselves and those that their fields hold, however deep."""
    found: set[type] = set()

    def visit(kind: object) -> None:
        if isinstance(kind, inspect.StructType):
            if kind.cls in found:
                return
            found.add(kind.cls)
        for part in ("fields", "types", "item_types"):
            for inner in getattr(kind, part, ()):
                visit(getattr(inner, "type", inner))
        if hasattr(kind, "item_type"):
            visit(kind.item_type)

    for root in roots:
        visit(inspect.type_info(root))
    return found


def _default(field: inspect.Field) -> str:
    if field.required:
        return ""
    assert field.default_factory is NODEFAULT
    if isinstance(field.default, Struct):
        assert field.default == type(field.default)()
        return "`{}`"
    is_word = isinstance(field.type, inspect.LiteralType)
    return f"`{field.default if is_word else json.dumps(field.default)}`"


def test_every_heading_stands_once() -> None:
    headings = Counter(re.findall(r"^#+ .+$", re.sub(r"(?ms)^```.*?^```$", "", TEXT), re.MULTILINE))
    names = Counter(heading.lstrip("# ") for heading in headings.elements())
    assert [name for name, times in names.items() if times > 1] == []
    assert len(names) > 40


def test_every_link_leads_to_a_heading() -> None:
    anchors = Counter(
        re.sub(r"[^\w -]", "", name).strip().lower().replace(" ", "-") for name in SECTIONS
    )
    known = {f"{name}-1" for name, times in anchors.items() if times > 1} | set(anchors)
    links = set(re.findall(r"\]\(#([^)]+)\)", TEXT))
    assert len(links) > 20
    assert links <= known


@pytest.mark.parametrize("struct", COMMANDS.values(), ids=list(COMMANDS))
def test_commands_are_documented_with_types_ranges_and_defaults(struct: type[Struct]) -> None:
    tag = str(struct.__struct_config__.tag)
    rows = _field_rows(f"`{tag}`")
    expected = {
        name: [_type(field.type), _default(field)]
        for name, field in _struct_fields(struct).items()
        if name.strip("`") not in BASE_FIELDS
    }
    assert {name: row[:2] for name, row in rows.items()} == expected
    assert all(row[2] for row in rows.values())
    assert ("No fields." in SECTIONS[f"`{tag}`"]) == (not expected)


def test_the_id_of_commands_is_documented_with_its_range() -> None:
    for struct in COMMANDS.values():
        assert _type(_struct_fields(struct)["`id`"].type) == f"int 1 to {limits.MAX_ID}"
    assert f"`id`: int 1 to\n{limits.MAX_ID}" in SECTIONS["Conventions"]


@pytest.mark.parametrize("struct", SENT_MESSAGES.values(), ids=list(SENT_MESSAGES))
def test_messages_are_documented_with_types(struct: type[Struct]) -> None:
    rows = _field_rows(f"`{struct.__struct_config__.tag}`")
    expected = {name: _type(field.type) for name, field in _struct_fields(struct).items()}
    assert expected
    assert {name: row[0] for name, row in rows.items()} == expected
    assert all(row[1] for row in rows.values())


def test_commands_and_messages_that_are_sent_have_a_section_and_no_others() -> None:
    tags = {heading.strip("`") for heading in SECTIONS if heading.startswith("`")}
    assert tags == COMMANDS.keys() | SENT_MESSAGES.keys()


def test_what_is_never_sent_is_named_once_as_such() -> None:
    assert MESSAGES.keys() - SENT_MESSAGES.keys() == NEVER_SENT_TYPES
    assert EVENTS.keys() - SENT_EVENTS.keys() == NEVER_SENT_TYPES
    conventions = " ".join(SECTIONS["Conventions"].split())
    assert "type `unrecognised` and the code `unknown` are never sent" in conventions
    for word in NEVER_SENT_TYPES | NEVER_SENT_CODES:
        assert TEXT.count(f"`{word}`") == 1


def test_events_are_documented_with_types() -> None:
    rows = _field_rows("Event types")
    expected = {
        f"`{tag}`": ", ".join(
            f"{name}: {_type(field.type)}" for name, field in _struct_fields(struct).items()
        )
        for tag, struct in SENT_EVENTS.items()
    }
    assert {name: row[0] for name, row in rows.items()} == expected
    assert all(row[1] for row in rows.values())


@pytest.mark.parametrize("struct", STRUCTURES)
def test_structures_are_documented_with_types(struct: type[Struct]) -> None:
    rows = _field_rows(struct.__name__)
    expected = {name: [_type(field.type)] for name, field in _struct_fields(struct).items()}
    assert expected
    if struct in _structs_within(COMMANDS.values()):
        for name, field in _struct_fields(struct).items():
            expected[name].append(_default(field))
    assert {name: row[:-1] for name, row in rows.items()} == expected
    assert all(row[-1] for row in rows.values())


def test_no_structure_of_the_wire_is_left_out() -> None:
    roots = (*COMMANDS.values(), *MESSAGES.values(), *EVENTS.values())
    assert _structs_within(roots) - set(roots) == set(STRUCTURES)


@pytest.mark.parametrize("heading", CODES)
def test_every_code_is_documented(heading: str) -> None:
    codes: type[StrEnum] = CODES[heading]
    rows = _field_rows(heading)
    sent = [code.value for code in codes if code.value not in NEVER_SENT_CODES]
    assert len(sent) == len(codes) - len(NEVER_SENT_CODES)
    assert [name.strip("`") for name in rows] == sent
    assert all(row[0] for row in rows.values())


def test_every_error_code_is_named_where_commands_get_it() -> None:
    places = ["Commands", "A game", *(f"`{tag}`" for tag in COMMANDS)]
    named = set(re.findall(r"`(\w+)`", " ".join(SECTIONS[place] for place in places)))
    assert {code.value for code in ErrorCode} - named == NEVER_SENT_CODES


@pytest.mark.parametrize("command", ROWS)
def test_who_may_and_when_agree_with_the_table_that_dispatches(command: type[Command]) -> None:
    row = ROWS[command]
    section = SECTIONS[f"`{command.__struct_config__.tag}`"]
    found = re.search(r"From\s(the creator|a member|the seated person|a seated person)", section)
    assert found
    who = {"creator": "the creator", "member": "a member", "seated": "seated person"}[row.who]
    assert found[1].endswith(who)
    assert ("between games" in section) == (row.when == "between games")
    assert ("`not_creator`" in section) == (row.who == "creator")
    assert ("`not_seated`" in section) == (row.who == "seated")
    reply = "hinted" if command is Hint else "ok"
    assert f"Reply: [`{reply}`](#{reply})" in " ".join(section.split())


def _limits() -> dict[str, float]:
    return {row[0]: float(row[1]) for row in _rows(SECTIONS["Limits"])}


def test_the_limits_are_those_of_the_code() -> None:
    constants = {k: v for k, v in vars(limits).items() if k.isupper() and isinstance(v, int)}
    settings = {field.name: getattr(Limits(), field.name) for field in fields(Limits)}
    assert LIMITS.keys() == constants.keys()
    assert SETTINGS.keys() == settings.keys()
    assert _limits() == {
        **{LIMITS[name]: float(value) for name, value in constants.items()},
        **{SETTINGS[name]: float(value) for name, value in settings.items()},
        "entries of a map or array from a client": 16.0,
        "latest commands of a person that a room recognises": float(REMEMBERED_COMMANDS),
        "seconds that a computer player takes for a move": ServerConfig(database="").bot_delay,
    }


@pytest.mark.parametrize(("entries", "refusal"), [(16, "unknown type"), (17, "within the limits")])
def test_the_entries_of_a_map_from_a_client_are_bounded_as_stated(
    entries: int, refusal: str
) -> None:
    assert _limits()["entries of a map or array from a client"] == 16
    with pytest.raises(ValueError, match=refusal):
        decode_command(msgpack.packb({str(n): n for n in range(entries)}))


def test_numbers_in_the_prose_are_those_of_the_limits() -> None:
    set_up = Limits()
    prose = " ".join(TEXT.split())
    for words in (
        f"port {limits.DEFAULT_PORT} unless",
        f"subprotocol `{limits.SUBPROTOCOL}`",
        f"a ping every {set_up.ping_interval:.0f} seconds",
        f"not come after {set_up.ping_timeout:.0f};",
        f"within {set_up.hello_timeout:.0f} seconds",
        f"One to {limits.MAX_NAME_CELLS} terminal cells",
        f"of {limits.MIN_TOKEN_CHARACTERS} to {limits.MAX_TOKEN_CHARACTERS} characters",
        f"everybody is away for {set_up.room_grace:.0f} seconds",
        f"waits for {set_up.game_grace:.0f} seconds",
        f"have been away for {set_up.seat_grace:.0f} seconds",
        f"has been away for {set_up.absence_grace:.0f} seconds",
        f"take more than {2 * WARNING_SECONDS} seconds, `time_warning` comes when"
        f" {WARNING_SECONDS} are left",
        f"After {OVERRUNS_TO_RELIEF} times in a row",
        f"not answer within {set_up.witness_seconds:.0f} seconds",
        f"of this game after {MISSES_TO_PASS} times",
        f"the autopilot `{AUTOPILOT}`",
        f"at most {limits.MAX_NAME_CELLS * limits.MAX_BYTES_PER_CELL} bytes in UTF-8",
        f"moves comes {ServerConfig(database='').bot_delay} seconds",
        f"keeps the latest {limits.TAIL_EVENTS}.",
        f"the latest {REMEMBERED_COMMANDS} of each person",
        f"at most {limits.MAX_TITLE_CELLS} cells",
        f"at most {limits.MAX_CHAT_CELLS} cells",
    ):
        assert words in prose


def test_at_least_these_frames_are_given_in_hex() -> None:
    given = {frame.value["type"] for frame in IN_HEX}
    assert given >= {"greeting", "hello", "roll", "ok", "error", "update"}


@pytest.mark.parametrize("frame", IN_HEX, ids=lambda frame: frame.value["type"])
def test_frames_in_hex_are_the_notation_beside_them(frame: Frame) -> None:
    raw = bytes.fromhex(frame.hex)
    assert msgpack.unpackb(raw) == frame.value
    if frame.sender == "←":
        assert encode(decode_message(raw)) == raw
    else:
        command = decode_command(raw)
        assert decode_command(encode(command)) == command


def test_every_frame_of_the_session_is_a_command_or_a_message() -> None:
    assert len(FROM_CLIENT) >= 8
    for frame in FROM_CLIENT:
        command = decode_command(msgpack.packb(frame.value))
        assert command.id == frame.value["id"]
    for frame in FROM_SERVER:
        message = decode_message(msgpack.packb(frame.value))
        assert to_builtins(message) == _as_tuples(frame.value)
    replies = [frame.value["re"] for frame in FROM_SERVER if "re" in frame.value]
    assert replies == [frame.value["id"] for frame in FROM_CLIENT]


def _as_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_tuples(item) for key, item in value.items()}
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


async def test_the_session_is_what_a_server_says_today(tmp_path: Path) -> None:
    played = await record(tmp_path)
    assert len(played) > 20
    assert [frame[:2] for frame in SESSION] == [frame[:2] for frame in played], (
        "print it anew: python tests/support/transcript.py"
    )
    assert _block("text", "A whole session").rstrip("\n") == render(played)


def test_the_token_of_the_session_is_derived_as_described() -> None:
    greeting, hello = SESSION[0].value, SESSION[1].value
    assert SECRET.hex() in TEXT
    server = greeting["server"].encode()
    assert hello["token"] == hmac.new(SECRET, server, hashlib.sha256).hexdigest()


def test_the_whole_client_needs_none_of_our_packages() -> None:
    tree = ast.parse(_block("python", "A whole client"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported - sys.stdlib_module_names == {"msgpack", "websockets"}


@pytest.mark.parametrize("seed", [SEED, SEED + 1])
async def test_the_whole_client_plays_a_game(tmp_path: Path, seed: int) -> None:
    world = replace(scripted_world([(1, 1, 1, 1)]), roll_dice=seeded_dice(seed))
    async with serving(tmp_path / "games.db", world=world) as server:
        client = await asyncio.create_subprocess_exec(
            *(sys.executable, "-W", "error", "-c", _block("python", "A whole client")),
            *(f"ws://127.0.0.1:{server.port}", "Ann", "a secret of hers"),
            cwd=tmp_path,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(3 * SECONDS):
                out, err = await client.communicate()
        finally:
            if client.returncode is None:
                client.kill()
                await client.wait()
    assert (client.returncode, err.decode()) == (0, "")
    assert re.fullmatch(r"(Ann|keller) wins after \d+ turns\s*", out.decode())
