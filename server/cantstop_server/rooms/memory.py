"""Which commands have had their effect, so that a repetition of one is known and has no other."""

from typing import Final

from cantstop_server.rooms.state import Person, Remembered, RoomState

REMEMBERED_COMMANDS: Final = 16
"""How many accepted commands of each person a room remembers."""

REMEMBERED_VISITORS: Final = 32
"""Of how many people who are no members any more."""


def is_repetition(state: RoomState, person: Person, instance: str, id: int) -> bool:
    """Whether this very command has already had its effect."""
    player = person.player
    for known in state.accepted:
        if known.player == player:
            return known.instance == instance and id in known.ids
    return False


def remembered(state: RoomState, person: Person, instance: str, id: int) -> tuple[Remembered, ...]:
    """What the room remembers once it has accepted a command.

    The person's oldest, those of an earlier run, and those of who visited long ago are forgotten.
    """
    accepted = with_command(state.accepted, person.player, instance, id)
    if len(accepted) > REMEMBERED_VISITORS + 1:
        visitors = [known for known in accepted[:-1] if not state.is_member(known.player)]
        forgotten = visitors[: max(0, len(visitors) - REMEMBERED_VISITORS)]
        accepted = tuple([known for known in accepted if known not in forgotten])
    return accepted


def with_command(
    accepted: tuple[Remembered, ...], player: int, instance: str, id: int
) -> tuple[Remembered, ...]:
    """The same with one command more; whoever has sent it comes last."""
    others: list[Remembered] = []
    ids: tuple[int, ...] = (id,)
    for known in accepted:
        if known.player != player:
            others.append(known)
        elif known.instance == instance:
            ids = (*known.ids[1 - REMEMBERED_COMMANDS :], id)
    return (*others, Remembered(player, instance, ids))
