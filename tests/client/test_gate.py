"""Nothing from outside reaches a terminal raw."""

import pytest

from cantstop_client.gate import clean, printable
from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.events import Chatted
from cantstop_protocol.messages import Error, Update

HOSTILE = "a\x1b[2J\x07\x7f\x9b31m\u202eb\u2066c\u200bd\r\ne"


def test_every_text_in_a_message_is_cleaned_however_deep(table, seat) -> None:
    hostile = table(seat(HOSTILE), None, title=HOSTILE, spectators=(HOSTILE,))
    update = clean(Update(seq=1, event=Chatted(HOSTILE, 0, HOSTILE), table=hostile))
    expected = "a[2J31mbcd e"
    assert update.event == Chatted(expected, 0, expected)
    assert update.table.title == expected
    assert update.table.spectators == (expected,)
    assert update.table.seats[0].name == expected
    assert update.table.lengths == hostile.lengths


def test_codes_stay_what_they_are() -> None:
    error = clean(Error(re=1, code=ErrorCode.STALE, message="no\x1b"))
    assert error.code is ErrorCode.STALE
    assert error.message == "no"


@pytest.mark.parametrize("character", [chr(code) for code in (*range(32), *range(127, 160))])
def test_no_control_character_passes_in_a_line(character: str) -> None:
    shown = printable(f"a{character}b")
    assert shown in ("ab", "a b")


def test_the_spaces_of_a_board_stay() -> None:
    assert printable(" 7 |.  .   A|  x") == " 7 |.  .   A|  x"
