"""What a typed line asks for."""

from dataclasses import dataclass, field
from typing import Any, Literal

from cantstop_protocol.commands import Choose, Command, Roll, Stop
from cantstop_protocol.commands import Hint as HintCommand

LocalTopic = Literal["help", "board", "odds", "triples", "rules", "who", "quit"]


@dataclass(frozen=True, slots=True)
class Send:
    """A command for the server. ``times`` repeats it, each with an id of its own."""

    kind: type[Command]
    fields: dict[str, Any] = field(default_factory=dict)
    times: int = 1


@dataclass(frozen=True, slots=True)
class Move:
    """A move in the pending decision; the face adds which decision was in view."""

    kind: type[Roll | Choose | Stop]
    option: int | None = None


@dataclass(frozen=True, slots=True)
class AskHint:
    """What one's alternatives in the decision in view are worth."""

    kind: type[HintCommand] = HintCommand


@dataclass(frozen=True, slots=True)
class AskHistory:
    """Games of the past: ``fields`` of a ``ListGames``, None for the page after the last one."""

    fields: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class AskReplay:
    """A game that has ended is to be seen again; an empty ``game`` is the newest."""

    game: str = ""


@dataclass(frozen=True, slots=True)
class Local:
    """Something that is answered here, from what is known already."""

    topic: LocalTopic


@dataclass(frozen=True, slots=True)
class Hint:
    """The line cannot be done; this says why and what can."""

    text: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """An empty line: it commits nothing."""


Intent = Send | Move | AskHint | AskHistory | AskReplay | Local | Hint | Nothing
