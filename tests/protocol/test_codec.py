"""Frames and typed values: round trips, limits, and nothing but ``Malformed`` for the rest."""

from collections.abc import Callable
from typing import get_args

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import SAMPLE_COMMANDS, SAMPLE_MESSAGES

from cantstop_protocol import codes, commands, events, messages
from cantstop_protocol.codec import (
    COMMANDS,
    MESSAGES,
    Malformed,
    decode_command,
    decode_message,
    encode,
)
from cantstop_protocol.limits import MAX_COMMAND_BYTES, MAX_MESSAGE_BYTES
from cantstop_protocol.table import GameOptions

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=5) | st.sampled_from(["type", "id"]), inner, max_size=5)
    ),
    max_leaves=10,
)


def test_there_is_a_sample_of_every_command_and_message() -> None:
    assert {type(sample) for sample in SAMPLE_COMMANDS} == set(get_args(commands.AnyCommand))
    assert {type(sample) for sample in SAMPLE_MESSAGES} == set(get_args(messages.AnyMessage))


@pytest.mark.parametrize("sample", SAMPLE_COMMANDS, ids=lambda sample: type(sample).__name__)
def test_commands_survive_the_wire(sample: commands.Command) -> None:
    assert decode_command(encode(sample)) == sample


def test_usual_options_are_left_out_so_that_older_servers_take_the_rest() -> None:
    usual = commands.Configure(id=1, options=GameOptions())
    assert msgpack.unpackb(encode(usual))["options"] == {}
    three = commands.Create(id=1, options=GameOptions(seats=3, rated=False))
    assert msgpack.unpackb(encode(three))["options"] == {"seats": 3, "rated": False}
    for command in (usual, three):
        assert decode_command(encode(command)) == command


@pytest.mark.parametrize("sample", SAMPLE_MESSAGES, ids=lambda sample: type(sample).__name__)
def test_messages_survive_the_wire(sample: messages.Message) -> None:
    assert decode_message(encode(sample)) == sample


@pytest.mark.parametrize("sample", SAMPLE_MESSAGES, ids=lambda sample: type(sample).__name__)
def test_a_client_ignores_fields_it_does_not_know(sample: messages.Message) -> None:
    value = msgpack.unpackb(encode(sample))
    assert decode_message(msgpack.packb({**value, "news": [1]})) == sample


@pytest.mark.parametrize("sample", SAMPLE_COMMANDS, ids=lambda sample: type(sample).__name__)
def test_a_server_refuses_fields_it_does_not_know(sample: commands.Command) -> None:
    value = msgpack.unpackb(encode(sample))
    with pytest.raises(Malformed, match="news"):
        decode_command(msgpack.packb({**value, "news": 1}))


def attempt(decode: Callable[[bytes], object], frame: bytes) -> object:
    """The message in a frame, or the text of its refusal; any other exception is a fault."""
    try:
        return decode(frame)
    except Malformed as error:
        return str(error)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_a_message_or_malformed(frame: bytes) -> None:
    for decode in (decode_command, decode_message):
        assert attempt(decode, frame)


@given(st.sampled_from(SAMPLE_COMMANDS), st.data())
def test_a_command_with_one_value_replaced_is_a_command_or_malformed(
    sample: commands.Command, data: st.DataObject
) -> None:
    value = msgpack.unpackb(encode(sample))
    field = data.draw(st.sampled_from(sorted(value)))
    value[field] = data.draw(PLAIN)
    result = attempt(decode_command, msgpack.packb(value))
    if isinstance(result, str):
        assert 0 < len(result) < 1000
    else:
        assert type(result) in COMMANDS.values()


@given(st.sampled_from(SAMPLE_COMMANDS + SAMPLE_MESSAGES), st.data())
def test_a_damaged_frame_is_a_message_or_malformed(
    sample: commands.Command | messages.Message, data: st.DataObject
) -> None:
    frame = bytearray(encode(sample))
    for _ in range(data.draw(st.integers(1, 4))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    decode = decode_command if isinstance(sample, commands.Command) else decode_message
    result = attempt(decode, bytes(frame))
    assert isinstance(result, str) or type(result) in {*COMMANDS.values(), *MESSAGES.values()}


@pytest.mark.parametrize(
    ("decode", "limit"), [(decode_command, MAX_COMMAND_BYTES), (decode_message, MAX_MESSAGE_BYTES)]
)
def test_a_frame_past_the_limit_is_not_read(decode: object, limit: int) -> None:
    with pytest.raises(Malformed, match=f"at most {limit}"):
        decode(b"\xc0" * (limit + 1))


def test_the_id_of_a_malformed_command_is_told_when_it_is_one() -> None:
    for id, known in ((7, 7), (0, None), (True, None), ("7", None), (2**53, None)):
        with pytest.raises(Malformed) as malformed:
            decode_command(msgpack.packb({"type": "nonsense", "id": id}))
        assert malformed.value.id == known


def test_a_client_passes_over_what_a_newer_server_made_up() -> None:
    update = msgpack.unpackb(encode(SAMPLE_MESSAGES[-1]))
    for sample in SAMPLE_MESSAGES:
        value = msgpack.unpackb(encode(sample))
        if isinstance(sample, messages.Update):
            value["event"] = {"type": "earthquake", "strength": 9}
            value["table"]["options"]["music"] = "loud"
            update = decode_message(msgpack.packb(value))
        if isinstance(sample, messages.Error):
            refused = decode_message(msgpack.packb({**value, "code": "bored"}))
    assert isinstance(update, messages.Update)
    assert update.event == events.Unrecognised("earthquake")
    assert isinstance(refused, messages.Error)
    assert refused.code is codes.ErrorCode.UNKNOWN
    weather = decode_message(msgpack.packb({"type": "weather", "re": 3, "rain": True}))
    assert weather == messages.Unrecognised(kind="weather")


def test_a_server_refuses_options_it_does_not_know() -> None:
    frame = {"type": "create", "id": 5, "options": {"traget": 2}}
    with pytest.raises(Malformed, match="traget") as malformed:
        decode_command(msgpack.packb(frame))
    assert malformed.value.id == 5
