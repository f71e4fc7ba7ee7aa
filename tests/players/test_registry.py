"""The kinds of computer player."""

import pytest

from cantstop_server.players.registry import KINDS, UnknownKind, make_player


def test_the_kinds_are_in_a_fixed_order() -> None:
    levels = tuple(f"expert-{level}" for level in range(1, 10))
    assert ("keller", "glenn", "rule28", "cautious", "random", "expert", *levels) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_player_is_made_by_its_kind(kind: str) -> None:
    assert make_player(kind).kind == kind


@pytest.mark.parametrize("kind", ["", "Keller", "expert-0", "expert-10", "\x1b[2J"])
def test_an_unknown_kind_is_refused_and_told_the_kinds(kind: str) -> None:
    with pytest.raises(UnknownKind, match="choose one of keller, glenn, ") as refusal:
        make_player(kind)
    assert repr(kind) in str(refusal.value)
    assert isinstance(refusal.value, ValueError)
