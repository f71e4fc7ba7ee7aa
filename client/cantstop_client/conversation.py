"""A client's side of the protocol without any I/O: ids, what is unanswered, where one is."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from cantstop_protocol.codes import ErrorCode
from cantstop_protocol.commands import Command, Create, Hello, Join, Leave, Role
from cantstop_protocol.messages import (
    Entered,
    Error,
    Exit,
    GameRecord,
    Games,
    Greeting,
    Hinted,
    Leaders,
    Message,
    Ok,
    Rooms,
    Stats,
    Update,
    Welcome,
)

C = TypeVar("C", bound=Command)

Reply = Ok | Error | Entered | GameRecord | Games | Hinted | Leaders | Rooms | Stats | Welcome


@dataclass(frozen=True, slots=True)
class Membership:
    """The room one is in, and what it takes to return to it after a reconnect."""

    room: str
    password: str
    role: Role
    last_seq: int


class Conversation:
    """What has to be said, and said again, over however many connections it takes.

    ``token_for`` gives the token for a server's id; ``instance`` names this run of the client,
    so that the server recognises a command that it gets twice. ``password`` is the server's; one
    that asks for none does not get it.
    """

    def __init__(
        self, name: str, token_for: Callable[[str], str], instance: str, password: str = ""
    ) -> None:
        self.name = name
        self.membership: Membership | None = None
        self._token_for = token_for
        self._instance = instance
        self._password = password
        self._last_id = 0
        self._unanswered: dict[int, Command] = {}
        self._rejoining: Join | None = None

    def hello(self, greeting: Greeting) -> Hello:
        """Who we are, for the server that greeted."""
        return Hello(
            id=self._next_id(),
            name=self.name,
            token=self._token_for(greeting.server),
            instance=self._instance,
            password=self._password if greeting.password else "",
        )

    def rejoin(self) -> Join | None:
        """How to return to the room one was in before the connection broke, if any.

        Not to a room that one was about to leave: its ``Leave`` names it and needs no return.
        """
        leaving = any(isinstance(command, Leave) for command in self._unanswered.values())
        if self.membership is None or leaving:
            return None
        self._rejoining = Join(
            id=self._next_id(),
            room=self.membership.room,
            password=self.membership.password,
            role=self.membership.role,
            last_seq=self.membership.last_seq,
        )
        return self._rejoining

    def ask(self, kind: type[C], /, **fields: Any) -> C:
        """A command with an id of its own, to be sent until it is answered."""
        if kind is Leave and self.membership is not None:
            fields = {"room": self.membership.room, **fields}
        command = kind(id=self._next_id(), **fields)
        self._unanswered[command.id] = command
        return command

    def unanswered(self) -> tuple[Command, ...]:
        """The commands without an answer, in the order in which they were asked."""
        return tuple(self._unanswered.values())

    def forget(self, command: Command) -> None:
        """The command is not to be sent again."""
        self._unanswered.pop(command.id, None)

    def receive(self, message: Message) -> None:
        """Take note of what the message answers, and of where one is after it."""
        answered = self._answered(message)
        match message:
            case Entered():
                self._enter(message, answered)
            case Update(seq=seq) if self.membership is not None:
                last_seq = max(seq, self.membership.last_seq)
                self.membership = replace(self.membership, last_seq=last_seq)
            case Exit():
                self.membership = None
            case Ok() | Error(code=ErrorCode.NOT_IN_ROOM) if isinstance(answered, Leave):
                self.membership = None

    def _answered(self, message: Message) -> Command | None:
        re = getattr(message, "re", None)
        if re is None:
            return None
        if self._rejoining is not None and self._rejoining.id == re:
            return self._rejoining
        return self._unanswered.pop(re, None)

    def _enter(self, entered: Entered, answered: Command | None) -> None:
        if isinstance(answered, Join | Create):
            self.membership = Membership(
                entered.table.room, answered.password, answered.role, entered.seq
            )

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id
