"""Whatever a file holds, it is read or refused at a line: nothing else comes out of it."""

import re
from random import Random

from generated_games import generated_games
from longrun import length, seeded

from cantstop_server.record.exchange import BadFile, Import
from cantstop_server.record.rows import game_row, player_row, server_row
from cantstop_server.record.write import record_text
from cantstop_server.storage.types import KeptPlayer

SAMPLES = generated_games(77, 12)


def texts() -> list[str]:
    player = KeptPlayer("Ann", None, b"\x01\x02", SAMPLES[0].started_at)
    rows = [server_row("5e" * 16), player_row(player), *map(game_row, SAMPLES[:4])]
    return [*map(record_text, SAMPLES), "".join(rows)]


def damaged(chance: Random, data: bytes) -> bytes:
    """The data with a few bytes, words or lines changed, doubled, moved or lost."""
    for _ in range(chance.randint(1, 3)):
        lines = data.split(b"\n")
        at = chance.randrange(len(lines))
        match chance.randrange(6):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[chance.randrange(len(lines))])
            case 2:
                lines[at] = bytes(chance.randrange(256) for _ in range(chance.randrange(20)))
            case 3:
                words = lines[at].split(b" ")
                words[chance.randrange(len(words))] = chance.choice(
                    (b"", b"9" * 40, b"1.0", b"bust", b"null", b"-", b"D", b"\xff", b"[[[[")
                )
                lines[at] = b" ".join(words)
            case 4 if lines[at]:
                byte = chance.randrange(len(lines[at]))
                changed = bytes([chance.randrange(32, 127)])
                lines[at] = lines[at][:byte] + changed + lines[at][byte + 1 :]
            case _:
                lines = lines[:at]
        data = b"\n".join(lines) or b" "
    return data


def test_damaged_files_are_read_or_refused() -> None:
    chance = seeded()
    refusals: list[str] = []
    for text in texts():
        for _ in range(length(100, 5000)):
            data = damaged(chance, text.encode())
            with Import() as files:
                try:
                    files.add("file", data.splitlines(keepends=True))
                except BadFile as error:
                    refusals.append(str(error))
    assert refusals
    assert all(re.match(r"file:\d+: ", text) for text in refusals)
    assert all(text.endswith(": nothing was imported") for text in refusals)
