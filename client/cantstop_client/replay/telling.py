"""A replay in words: a line for each step, and where one is. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from cantstop_client.glyphs import Glyphs
from cantstop_client.render import result_lines
from cantstop_client.replay.story import Place, Story
from cantstop_client.view import News
from cantstop_client.wording import event_line, named, options_in_words
from cantstop_protocol.events import Finished


@dataclass(frozen=True, slots=True)
class Notes:
    """What a review says: a line or none for each step, and the whole at the end."""

    steps: tuple[str, ...]
    summary: tuple[str, ...]


def step_lines(story: Story, at: int, glyphs: Glyphs, notes: Notes | None) -> list[str]:
    """What happened with this step, and what a review says of it."""
    step = story.steps[at]
    lines = [event_line(News(step.event, step.table), step.table, glyphs)]
    if isinstance(step.event, Finished):
        lines += result_lines(step.table)
    if notes is not None and notes.steps[at]:
        lines.append(f"  {notes.steps[at]}")
    return lines


def heading(story: Story) -> str:
    """What is shown here."""
    who = ", ".join(map(named, story.names))
    played = options_in_words(story.steps[0].table.options)
    return f"Game {story.game}, {story.day} UTC: {who}; {played}; {_turns(story.last_turn)}"


def where(place: Place) -> str:
    """The place, such as ``Turn 7 of 23, step 34 of 210``."""
    story = place.story
    return f"Turn {place.turn} of {story.last_turn}, step {place.at} of {story.last}"


def where_in_short(place: Place) -> str:
    """The same for narrow places."""
    story = place.story
    return f"Turn {place.turn}/{story.last_turn}, step {place.at}/{story.last}"


def pace(place: Place) -> str:
    """Whether it goes on by itself, and how fast."""
    return f"playing, {place.speed:g} a second" if place.playing else "paused"


def progress_line(done: int, total: int) -> str:
    """How far a review has come."""
    return f"Reviewing: {100 * done // max(1, total)} %"


def notes_of(lines: Sequence[str], summary: Sequence[str]) -> Notes:
    """The notes of a review that has a line for each action: the first and last step have none."""
    return Notes(("", *lines, ""), tuple(summary))


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
