"""Frames to typed values and back.

A frame is one msgpack map whose ``type`` names the message. Unpacking has hard limits, then one
conversion to the struct that the tag names; whatever fails on the way is ``Malformed``. A command
that is as it should be is decoded straight into its struct, which takes a fraction of the time.

A server takes nothing that it does not know. A client passes over it: unknown fields vanish,
unknown messages and events become ``Unrecognised``, so that a newer server may say more.
"""

from itertools import chain
from typing import Any, Final, TypeVar, cast, get_args

import msgpack
import msgspec

from cantstop_protocol.commands import AnyCommand, Command, Configure, Create
from cantstop_protocol.events import AnyEvent, Event
from cantstop_protocol.limits import MAX_COMMAND_BYTES, MAX_ID, MAX_MESSAGE_BYTES
from cantstop_protocol.messages import AnyMessage, Message
from cantstop_protocol.table import GameOptions

S = TypeVar("S", bound=msgspec.Struct)

_MAX_COMMAND_ITEMS: Final = 16
_MAX_MESSAGE_ITEMS: Final = 4096


class Malformed(ValueError):
    """A frame that is no message. ``id`` is the command's id if at least that could be read."""

    def __init__(self, reason: str, id: int | None = None) -> None:
        super().__init__(reason)
        self.id = id


def _by_tag(union: object) -> dict[str, Any]:
    return {str(struct.__struct_config__.tag): struct for struct in get_args(union)}


COMMANDS: Final[dict[str, type[Command]]] = _by_tag(AnyCommand)
MESSAGES: Final[dict[str, type[Message]]] = _by_tag(AnyMessage)
EVENTS: Final[dict[str, type[Event]]] = _by_tag(AnyEvent)

_encoder: Final = msgspec.msgpack.Encoder()
_WITH_OPTIONS: Final = (Create, Configure)
_USUAL: Final[dict[str, Any]] = msgspec.to_builtins(GameOptions())
_command_decoder: Final = msgspec.msgpack.Decoder(AnyCommand)


def encode(message: Command | Message) -> bytes:
    """The frame of a message.

    A command's options leave out what is as usual: a server that does not know a newer option
    still takes the rest.
    """
    if isinstance(message, _WITH_OPTIONS):
        values = msgspec.to_builtins(message)
        chosen = msgspec.to_builtins(message.options).items()
        values["options"] = {name: value for name, value in chosen if _USUAL[name] != value}
        return _encoder.encode(values)
    return _encoder.encode(message)


def decode_command(frame: bytes | str) -> Command:
    """The command in a frame from a client. Raises ``Malformed``."""
    try:
        known: Command = _command_decoder.decode(cast("bytes", frame))
    except (TypeError, ValueError, RecursionError, MemoryError):
        pass  # what is wrong is said below, with the id if it can be read
    else:
        if len(frame) <= MAX_COMMAND_BYTES and not isinstance(known, _WITH_OPTIONS):
            return known
    value = _unpack(frame, MAX_COMMAND_BYTES, _MAX_COMMAND_ITEMS)
    command = _convert(value, COMMANDS)
    _check_options(value, command)
    return command


def decode_message(frame: bytes | str) -> Message:
    """The message in a frame from a server. Raises ``Malformed``."""
    value = _unpack(frame, MAX_MESSAGE_BYTES, _MAX_MESSAGE_ITEMS)
    _mark_unknown(value)
    return _convert(value, MESSAGES)


def _unpack(frame: bytes | str, max_bytes: int, max_items: int) -> object:
    if isinstance(frame, str):
        raise Malformed("a text frame: messages are msgpack in binary frames")
    if len(frame) > max_bytes:
        raise Malformed(f"a frame of {len(frame)} bytes: at most {max_bytes} are read")
    try:
        return msgpack.unpackb(
            frame,
            max_str_len=max_bytes,
            max_bin_len=0,
            max_array_len=max_items,
            max_map_len=max_items,
            max_ext_len=0,
        )
    except (ValueError, msgpack.UnpackException) as error:
        raise Malformed(f"not a msgpack map within the limits: {_plain(error)}") from error


def _convert(value: object, structs: dict[str, type[S]]) -> S:
    if not isinstance(value, dict):
        raise Malformed("a message is a map with a 'type'")
    id = value.get("id")
    known_id = id if type(id) is int and 1 <= id <= MAX_ID else None
    tag = value.get("type")
    struct = structs.get(tag) if isinstance(tag, str) else None
    if struct is None:
        raise Malformed(f"unknown type {tag!r:.40}: one of {', '.join(structs)}", known_id)
    try:
        return msgspec.convert(value, struct)
    except msgspec.ValidationError as error:
        raise Malformed(f"{tag}: {error}", known_id) from error


def _check_options(value: object, command: Command) -> None:
    """Refuse unknown options as unknown fields are refused; in messages they are passed over."""
    options = value.get("options") if isinstance(value, dict) else None
    unknown = set(options or ()) - set(GameOptions.__struct_fields__)
    if unknown:
        raise Malformed(f"unknown options {sorted(map(str, unknown))!r:.60}", command.id)


def _mark_unknown(value: object) -> None:
    """Replace what a newer server made up, so that the conversion to our types succeeds."""
    if not isinstance(value, dict):
        return
    kind = value.get("type")
    if isinstance(kind, str) and kind not in MESSAGES:
        value.clear()
        value.update({"type": "unrecognised", "kind": kind})
    lists = [part for name in ("events", "steps") if isinstance(part := value.get(name), list)]
    for holder in chain((value,), *lists):
        event = holder.get("event") if isinstance(holder, dict) else None
        kind = event.get("type") if isinstance(event, dict) else None
        if isinstance(kind, str) and kind not in EVENTS:
            holder["event"] = {"type": "unrecognised", "kind": kind}


def _plain(error: Exception) -> str:
    return str(error) or type(error).__name__
