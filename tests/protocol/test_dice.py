"""Dice that can be checked: unbiased, and as ``docs/dice.md`` describes them byte by byte."""

import hashlib
import hmac
import json
import re
from collections import Counter
from itertools import count
from pathlib import Path

import plain_dice
import pytest
from dicetable import DiceTable
from hypothesis import example, given
from hypothesis import strategies as st
from roomscript import ANN

from cantstop_protocol import commands
from cantstop_protocol.dice import (
    CHAIN_LINKS,
    Chain,
    Terms,
    Word,
    commitment,
    committed_roll,
    dice_from,
    draw_first,
    hashed,
    server_root,
    witnessed_roll,
)
from cantstop_protocol.proof import BadProof, Played, check, proof_text, read_proof
from cantstop_server.rooms import dicing

PAGE = (Path(__file__).parents[2] / "docs" / "dice.md").read_text("utf-8")
SEED = bytes(range(32))
TERMS = Terms((bytes(32), None))


def test_each_byte_that_counts_falls_on_each_face_equally_often() -> None:
    faces: Counter[int] = Counter()
    passed_over = 0
    for byte in range(256):
        first = dice_from([bytes([byte]), b"\0\1\2\3"])[0]
        if byte >= 252:
            # What follows it takes its place.
            assert first == 1
            passed_over += 1
        else:
            faces[first] += 1
    assert faces == dict.fromkeys(range(1, 7), 42)
    assert passed_over == 4


@given(st.lists(st.binary(max_size=6), max_size=8))
@example([b"\xff" * 32, b"\xfc\xfd\xfe\x05", b"\x06\x07\xfb"])
def test_dice_are_the_first_four_bytes_that_count_over_all_blocks(blocks: list[bytes]) -> None:
    blocks.append(b"\0" * 4)
    counting = [byte for byte in b"".join(blocks) if byte < 252]
    assert dice_from(blocks) == tuple(byte % 6 + 1 for byte in counting[:4])


def test_a_roll_depends_on_all_that_it_is_said_to() -> None:
    chained = TERMS._replace(chains=(bytes(32), bytes(32), None))
    word = Word(0, bytes(32))
    rolls = [
        [committed_roll(SEED, TERMS, number, "") for number in range(1, 9)],
        [committed_roll(bytes(32), TERMS, number, "") for number in range(1, 9)],
        [committed_roll(SEED, TERMS, number, "1234a") for number in range(1, 9)],
        [committed_roll(SEED, TERMS._replace(nonces=(None, None)), n, "") for n in range(1, 9)],
        [
            committed_roll(SEED, TERMS._replace(nonces=(None, bytes(32))), n, "")
            for n in range(1, 9)
        ],
        [committed_roll(SEED, chained, number, "") for number in range(1, 9)],
        [witnessed_roll(SEED, chained, number, "", word) for number in range(1, 9)],
        [witnessed_roll(SEED, chained, n, "", word._replace(seat=1)) for n in range(1, 9)],
        [witnessed_roll(SEED, chained, n, "", word._replace(link=SEED)) for n in range(1, 9)],
    ]
    assert len({tuple(eight) for eight in rolls}) == len(rolls)


def test_a_link_leads_back_to_every_one_before_it_and_to_none_after() -> None:
    chain = Chain(SEED)
    assert chain.link(CHAIN_LINKS) == SEED
    assert hashed(SEED, CHAIN_LINKS) == chain.tip
    for earlier, later in ((0, 1), (63, 64), (64, 65), (1, 4096), (127, 1000)):
        assert hashed(chain.link(later), later - earlier) == chain.link(earlier)
        assert chain.link(earlier) != chain.link(later)


def test_the_draw_goes_on_among_equals_and_ends_after_ten_rounds() -> None:
    rolls = iter([(1, 1, 1, 1), (6, 6, 6, 6), (6, 6, 6, 6), (1, 2, 3, 4), (4, 4, 4, 4)])
    first, rolled = draw_first(3, lambda: next(rolls))
    assert (first, [seat for seat, _ in rolled]) == (2, [0, 1, 2, 1, 2])
    assert (draw_first(2, lambda: (1, 2, 3, 4))[0], draw_first(1, lambda: next(rolls))) == (
        0,
        (0, []),
    )


def _blocks(language: str, heading: str) -> list[str]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def _worked(block: str) -> None:
    """Compute the HMAC of a block of the page, and its dice."""
    found = re.fullmatch(r"key (\w+)\n(.*)hmac (\w+)\n(?:dice (.*)\n)?", block, re.DOTALL)
    assert found
    key, text, told, dice = found.groups()
    digest = hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256)
    assert digest.hexdigest() == told
    if dice is not None:
        body = text.removesuffix("block 0\n")
        assert dice.replace(" ", "") == plain_dice.rolled(bytes.fromhex(key), body)


@pytest.mark.parametrize(("kind", "rolls"), [("committed", 3), ("witnessed", 3)])
def test_the_example_of_the_page_is_right_in_every_byte(kind: str, rolls: int) -> None:
    heading = f"An example of the {kind} kind"
    _, *worked = _blocks("text", heading)
    assert len(worked) == rolls + 1
    for block in worked:
        _worked(block)
    (proof,) = _blocks("json", heading)
    sealed = dict(line.split(" ", 1) for line in worked[-1].splitlines())
    seats, target, dead, first = sealed["setup"].split()
    ending, winner, turns = sealed["result"].split()
    assert json.loads(proof)["seal"] == sealed["hmac"]
    setup = (int(seats), int(target), dead, int(first))
    end = (ending, int(winner), int(turns))
    assert plain_dice.check(sealed["game"], setup, sealed["course"], end, proof) is None
    played = Played(
        sealed["game"], *setup, sealed["course"], ending == "abandoned", int(winner), int(turns)
    )
    assert check(played, read_proof(proof)).holds
    assert proof_text(read_proof(proof)) == proof.strip()


def test_the_seed_and_the_chains_of_the_page_are_right() -> None:
    told = dict(
        line.rsplit(" ", 1)
        for heading in ("committed", "witnessed")
        for line in _blocks("text", f"An example of the {heading} kind")[0].splitlines()
    )
    seed = bytes.fromhex(told["seed"])
    assert told["commitment"] == commitment(seed).hex()
    assert told["server's root"] == server_root(seed).hex()
    for whose, root in (("server", server_root(seed)), ("seat 0", bytes(range(64, 96)))):
        for link, number in (("tip", 0), ("link 3", 3), ("link 5", 5)):
            assert told[f"{whose}'s {link}"] == plain_dice.sha(root, CHAIN_LINKS - number)


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    prose = " ".join(PAGE.split())
    assert f"link, number {CHAIN_LINKS}, is" in prose
    assert f"From roll {CHAIN_LINKS + 1} on" in prose
    assert "who did not answer twice" in prose
    assert dicing.MISSES_TO_PASS == 2


@pytest.mark.parametrize("kind", ["committed", "witnessed"])
@pytest.mark.parametrize("people", [2, 3, 4])
def test_a_check_that_was_written_from_the_page_agrees_with_whole_games(
    kind: str, people: int
) -> None:
    table = DiceTable(people, seed=people, dice=kind, target=2)
    for number in count(1):
        table.do(ANN, commands.Start)
        game = table.play()
        assert game is not None
        setup = (people, 2, "removed", game.setup.first)
        end = (game.status, game.winner, game.turns)
        assert plain_dice.check(game.id, setup, game.course, end, game.proof) is None
        altered = game.course[:-1] + ("" if game.course[-1] == "." else ".")
        assert plain_dice.check(game.id, setup, altered, end, game.proof) == "seal"
        if number == 3:
            break


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"version": 2}',
        '{"version": 1, "kind": "loaded"}',
        '{"version": 1, "kind": "committed", "commitment": "00"}',
    ],
)
def test_what_is_no_proof_is_told_as_such(text: str) -> None:
    with pytest.raises(BadProof):
        read_proof(text)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", None),
        ("seed", "AB" * 32),
        ("nonces", "none"),
        ("nonces", [1]),
        ("draw", ["1237"]),
        ("draw", [[1, 2, 3, 4]]),
        ("rolls", ["skipped"]),
        ("rolls", [{"witness": True, "link": "00" * 32, "server": "00" * 32}]),
        ("rolls", [{"witness": -1, "link": "00" * 32, "server": "00" * 32}]),
        ("chains", None),
        ("seal", "00" * 31),
    ],
)
def test_a_proof_with_a_wrong_value_is_told_as_such(key: str, value: object) -> None:
    (proof,) = _blocks("json", "An example of the witnessed kind")
    with pytest.raises(BadProof):
        read_proof(json.dumps(json.loads(proof) | {key: value}))
