"""A whole database as JSON Lines: the server, the players, then the games (docs/record.md)."""

import re
from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from cantstop_server.record.checks import check_id, check_kind, check_name, contradictions
from cantstop_server.record.errors import BadRecord, Impossible
from cantstop_server.record.letters import read_time, time_text
from cantstop_server.record.proof import canonical, load_proof
from cantstop_server.record.turns import turn_lines
from cantstop_server.rules.course import final_state
from cantstop_server.rules.errors import RulesError
from cantstop_server.rules.setup import make_setup
from cantstop_server.storage.types import ArchivedGame, ArchivedSeat, KeptPlayer

VERSION: Final = 1


class Row(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A line. ``version`` is that of the format."""


class ServerRow(Row, frozen=True, tag="server"):
    """Which server the players' tokens are for: 32 hex digits."""

    version: int
    id: str


class PlayerRow(Row, frozen=True, tag="player"):
    """A person, or a kind of computer player. ``token`` is the SHA-256 of the token, in hex."""

    name: str
    computer: str | None
    created: str
    token: str | None


class SeatRow(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``person`` is the name that somebody is registered by, ``computer`` a kind."""

    name: str
    columns: int
    resigned: bool
    person: str | None = None
    computer: str | None = None


class GameRow(Row, frozen=True, tag="game"):
    """A game. Seats count from 0; ``course`` is in the compact notation."""

    version: int
    id: str
    status: Literal["finished", "abandoned"]
    started: str
    ended: str
    target: int
    dead_markers: Literal["removed", "kept"]
    rated: bool
    first: int
    seats: tuple[SeatRow, ...]
    winner: int | None
    turns: int
    course: str
    turn_ends: tuple[float, ...]
    proof: dict[str, Any] | None


AnyRow = ServerRow | PlayerRow | GameRow
Item = str | KeptPlayer | ArchivedGame
"""What a line holds: a server's id, a player, or a game."""

_LONGEST: Final = 1e9
"""Seconds that no game lasts: thirty years."""

_decoder: Final = msgspec.json.Decoder(AnyRow)
_encoder: Final = msgspec.json.Encoder()


def server_row(server_id: str) -> str:
    """The line of a server."""
    return _line(ServerRow(VERSION, server_id))


def player_row(player: KeptPlayer) -> str:
    """The line of a player."""
    token = None if player.token_hash is None else player.token_hash.hex()
    return _line(PlayerRow(player.name, player.bot, time_text(player.created_at), token))


def game_row(game: ArchivedGame) -> str:
    """The line of a game. Raises ``RulesError`` or ``Impossible`` as ``record_text`` does."""
    turn_lines(game.setup, game.course, game.turn_ends)
    setup = game.setup
    return _line(
        GameRow(
            version=VERSION,
            id=game.id,
            status=game.status,
            started=time_text(game.started_at),
            ended=time_text(game.ended_at),
            target=setup.target,
            dead_markers="kept" if setup.keep_dead_markers else "removed",
            rated=game.rated,
            first=setup.first,
            seats=tuple(map(_seat_row, game.seats)),
            winner=game.winner,
            turns=game.turns,
            course=game.course,
            turn_ends=game.turn_ends,
            proof=None if game.proof is None else load_proof(game.proof),
        )
    )


def read_rows(lines: Iterator[str]) -> Iterator[tuple[int, Item]]:
    """What the lines hold, each with its number. Raises ``BadRecord``."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield number, _item(_decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise BadRecord(number, f"no line of this format: {error}") from error
        except (Impossible, RulesError) as error:
            raise BadRecord(number, str(error)) from error
        except RecursionError as error:
            raise BadRecord(number, "no line of this format: nested too deep") from error


def _item(row: AnyRow) -> Item:
    match row:
        case ServerRow(version, id):
            _check_version(version)
            if not re.fullmatch("[0-9a-f]{32}", id):
                raise Impossible(f"a server's id is 32 hex digits, not {id!r:.60}")
            return id
        case PlayerRow():
            return _player(row)
        case GameRow():
            return _game(row)


def _player(row: PlayerRow) -> KeptPlayer:
    if row.computer is None:
        check_name(row.name)
    else:
        check_kind(row.computer)
    token = None
    if row.token is not None:
        if not re.fullmatch("([0-9a-f]{2}){1,64}", row.token):
            raise Impossible(f"the token of {row.name!r:.40} is not in hex digits")
        token = bytes.fromhex(row.token)
    return KeptPlayer(row.name, row.computer, token, read_time(row.created))


def _game(row: GameRow) -> ArchivedGame:
    _check_version(row.version)
    setup = make_setup(
        len(row.seats),
        row.target,
        keep_dead_markers=row.dead_markers == "kept",
        first=row.first,
    )
    game = ArchivedGame(
        id=check_id(row.id),
        status=row.status,
        setup=setup,
        course=row.course,
        started_at=read_time(row.started),
        ended_at=read_time(row.ended),
        winner=row.winner,
        turns=row.turns,
        seats=tuple(map(_seat, row.seats)),
        rated=row.rated,
        turn_ends=_turn_ends(row),
        proof=None if row.proof is None else canonical(row.proof),
    )
    turn_lines(setup, row.course, game.turn_ends)
    for _, reason in contradictions(game, final_state(setup, row.course)):
        raise Impossible(f"game {row.id}: {reason}")
    return game


def _turn_ends(row: GameRow) -> tuple[float, ...]:
    ends = row.turn_ends
    if any(later < end for end, later in zip((0.0, *ends), ends, strict=False)):
        raise Impossible(f"game {row.id}: the turns' ends go back")
    if ends and ends[-1] >= _LONGEST:
        raise Impossible(f"game {row.id}: no turn ends {ends[-1]} seconds after the start")
    return tuple(abs(round(end, 1)) for end in ends)  # no negative zero


def _seat_row(seat: ArchivedSeat) -> SeatRow:
    registered = None if seat.bot is not None else seat.registered or seat.name
    return SeatRow(seat.name, seat.columns, seat.resigned, registered, seat.bot)


def _seat(row: SeatRow) -> ArchivedSeat:
    if (row.person is None) is (row.computer is None):
        raise Impossible(f"the seat of {row.name!r:.40} is a person's or a computer player's")
    check_name(row.name)
    if row.person is None:
        kind = check_kind(str(row.computer))
        return ArchivedSeat(row.name, None, kind, row.columns, row.resigned)
    return ArchivedSeat(row.name, None, None, row.columns, row.resigned, check_name(row.person))


def _check_version(version: int) -> None:
    if version != VERSION:
        raise Impossible(f"version {version} of the format is not known here, {VERSION} is")


def _line(row: AnyRow) -> str:
    return _encoder.encode(row).decode() + "\n"
