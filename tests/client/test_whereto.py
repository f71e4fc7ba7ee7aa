"""Which server ``join`` means."""

import io
from pathlib import Path

import pytest

from cantstop_client import whereto
from cantstop_client.address import Address
from cantstop_client.ask import Asker
from cantstop_client.discovery import Found
from cantstop_client.errors import ClientError
from cantstop_client.glyphs import ASCII
from cantstop_client.output import Output
from cantstop_client.settings import load_settings
from cantstop_client.whereto import pick, server_to_join

DEN = Found("1", "den", "", "cantstop.1", ("10.0.0.4:7112",))
CLUB = Found("2", "club", "", "cantstop.1", ("10.0.0.5:7112",))
OLD = Found("3", "old", "", "cantstop.0", ("10.0.0.6:7112",))


def asker(answers: str) -> Asker:
    return Asker(Output(io.StringIO(), ASCII, 80), io.StringIO(answers))


def test_one_table_is_taken_without_asking() -> None:
    assert pick([DEN, OLD], None) is DEN


def test_several_are_asked_for_or_listed() -> None:
    assert pick([DEN, CLUB], asker("2\n")) is CLUB
    with pytest.raises(ClientError, match=r"several tables: .*10\.0\.0\.4.*10\.0\.0\.5"):
        pick([DEN, CLUB], None)


def test_none_is_told_with_what_to_do() -> None:
    with pytest.raises(ClientError, match=r"cantstop host"):
        pick([], None)
    with pytest.raises(ClientError, match=r"old.*cantstop\.0"):
        pick([OLD], None)


def test_what_was_named_is_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whereto, "find", None)
    monkeypatch.setattr(whereto, "answers", None)
    settings = load_settings({"server": "10.0.0.9"}, {}, tmp_path / "none")
    assert server_to_join(settings, None).host == "10.0.0.9"


@pytest.mark.parametrize(("here", "host"), [(True, "127.0.0.1"), (False, "10.0.0.4")])
def test_this_machine_goes_before_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: bool, host: str
) -> None:
    async def answers(address: Address) -> bool:
        return here

    async def find(seconds: float) -> list[Found]:
        return [DEN]

    monkeypatch.setattr(whereto, "answers", answers)
    monkeypatch.setattr(whereto, "find", find)
    settings = load_settings({}, {}, tmp_path / "none")
    assert server_to_join(settings, asker("")).host == host
