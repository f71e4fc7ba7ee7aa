"""The face for programs: the server's messages as JSON lines, commands as JSON lines.

A message is written as ``protocol/README.md`` has it. What the client itself has to say is of
types that no server sends: ``malformed_line``, ``dice_checked``, ``connection_lost``,
``connection_resumed`` and ``connection_ended``, which is always the last line.
"""

import asyncio
import json
import os
import sys
from collections.abc import Iterable
from typing import IO, Any, Final

import msgspec
from msgspec import structs

from cantstop_client.errors import ClientError, OutputClosed
from cantstop_client.happenings import DiceChecked, Ended, Happening, Lost, Resumed
from cantstop_client.lines import Line, LineSource
from cantstop_client.session import Session, SessionOver
from cantstop_client.streams import standard_input
from cantstop_client.view import View, receive
from cantstop_protocol.codec import Malformed, decode_command
from cantstop_protocol.commands import Command, Hello
from cantstop_protocol.limits import MAX_ID
from cantstop_protocol.messages import Update

OWN_REQUEST: Final = 0
"""The ``re`` of replies to what the client has asked by itself, such as its ``hello``."""


class JsonFace:
    """Lines to requests and happenings to lines. ``unattended``: it ends with the game.

    The program's numbers and the wire's are apart: the client has requests of its own.
    """

    def __init__(self, *, unattended: bool = False) -> None:
        self.view = View()
        self._unattended = unattended
        self._stream = _standard_bytes()
        self._theirs: dict[int, int] = {}
        self._last_id = 0
        self._lines: asyncio.Queue[Line | None] = asyncio.Queue()
        self._over = asyncio.Event()
        self._ended = False

    def listen(self, happening: Happening) -> None:
        """Write down what the session tells. Never waits."""
        self.view, _ = receive(self.view, happening)
        if self._ended:
            return
        match happening:
            case Lost(reason=reason, wait=wait):
                self._say("connection_lost", reason=reason, wait=wait)
            case Resumed():
                self._say("connection_resumed")
            case DiceChecked(game=game, ok=ok, text=text):
                self._say("dice_checked", game=game, ok=ok, text=text)
            case Ended(reason=reason, clean=clean):
                self._end(reason, clean)
            case _:
                values = msgspec.to_builtins(happening)
                if values.get("re") is not None:
                    values["re"] = self._theirs.pop(values["re"], OWN_REQUEST)
                self._write(values)
        if (
            self._unattended
            and isinstance(happening, Update)
            and happening.table.phase == "over"
            and not happening.more
        ):
            self._end("the game is over", True)
            self._over.set()

    def say(self, lines: Iterable[str]) -> None:
        """Lines for people are not for programs."""

    async def run(self, session: Session) -> int:
        """Play until the input, the server or the game ends it: the exit code.

        Raises ``ClientError`` if the connection ended for good and not in peace.
        """
        source = LineSource(standard_input(), self._lines.put_nowait)
        source.start()
        tasks = (
            asyncio.create_task(self._read(session, source)),
            asyncio.create_task(session.wait_ended()),
            asyncio.create_task(self._over.wait()),
        )
        reading, ending, _ = tasks
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if ending.done() and not (ended := ending.result()).clean:
                raise ClientError(ended.reason)
            if reading.done():
                reading.result()
            return 0
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, session: Session, source: LineSource) -> None:
        """Send what comes, in order, without waiting for replies; at the end wait for them."""
        asked: set[asyncio.Task[None]] = set()
        number = 0
        while (line := await self._lines.get()) is not None:
            number += 1
            if not line.text.strip():
                source.taken()
                continue
            try:
                command = self._command(line.text)
            except Malformed as error:
                self._say("malformed_line", line=number, message=str(error))
                source.taken()
                continue
            # Tasks begin in the order in which they are made: so the commands go out, too.
            task = asyncio.create_task(self._ask(session, command, number, source))
            asked.add(task)
            task.add_done_callback(asked.discard)
        await asyncio.gather(*asked)
        if self._unattended:
            await self._over.wait()
        self._end("end of input", True)

    async def _ask(
        self, session: Session, command: Command, number: int, source: LineSource
    ) -> None:
        def numbered(wire: int) -> None:
            self._theirs[wire] = command.id

        fields = structs.asdict(command)
        del fields["id"]
        try:
            await session.request(type(command), numbered, **fields)
        except SessionOver:
            pass
        except ClientError as error:
            self._say("malformed_line", line=number, message=str(error))
        finally:
            source.taken()

    def _command(self, text: str) -> Command:
        """The command in a line; one without an id gets the number after the last."""
        try:
            values = msgspec.json.decode(text)
        except (ValueError, RecursionError) as error:
            raise Malformed(f"no JSON: {error}") from error
        if not isinstance(values, dict):
            raise Malformed("a command is an object with a 'type'")
        values.setdefault("id", min(self._last_id + 1, MAX_ID))
        try:
            frame = msgspec.msgpack.encode(values)
        except (ValueError, OverflowError, RecursionError) as error:
            raise Malformed(str(error)) from error
        command = decode_command(frame)
        if isinstance(command, Hello):
            raise Malformed("hello is the client's own: it has been said")
        self._last_id = max(self._last_id, command.id)
        return command

    def _end(self, reason: str, clean: bool) -> None:
        if not self._ended:
            self._say("connection_ended", reason=reason, clean=clean)
        self._ended = True

    def _say(self, kind: str, **fields: Any) -> None:
        self._write({"type": kind, **fields})

    def _write(self, values: dict[str, Any]) -> None:
        """One line, at once. ASCII alone: it holds nothing that a terminal would obey."""
        try:
            self._stream.write(json.dumps(values, separators=(",", ":")).encode() + b"\n")
            self._stream.flush()
        except (BrokenPipeError, ValueError) as error:
            raise OutputClosed from error


def _standard_bytes() -> IO[bytes]:
    if sys.stdout is None:
        return open(os.devnull, "wb")
    return sys.stdout.buffer
