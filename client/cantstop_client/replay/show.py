"""``cantstop replay``: from where a game is to the face that shows it."""

import os
from dataclasses import dataclass
from functools import partial
from typing import Literal

from cantstop_client import app as program
from cantstop_client import local
from cantstop_client.errors import ClientError
from cantstop_client.faces import FaceOptions, make_style, wants_full_screen
from cantstop_client.output import standard_output
from cantstop_client.paths import config_file
from cantstop_client.replay.fetch import fetch_story
from cantstop_client.replay.plain import run_plain
from cantstop_client.replay.reviewing import Work
from cantstop_client.replay.story import Story
from cantstop_client.settings import load_settings


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """``game`` is an identifier or its beginning, a file, ``-`` or empty for the newest."""

    game: str
    turn: int
    database: str | None
    server: str | None
    server_password: str | None
    tls_ca: str | None
    plain: bool
    color: Literal["auto", "always", "never"]
    palette: Literal["auto", "dark", "light"] | None


def replay(options: ReplayOptions) -> int:
    """Show the game until the person leaves: the exit code. Raises ``ClientError``."""
    return program.run(_replay(options))


async def _replay(options: ReplayOptions) -> int:
    settings = load_settings({"palette": options.palette}, os.environ, config_file())
    work: Work | None = None
    if options.server is not None:
        story = await _from_server(options)
    else:
        game = await local.past_game(options.game, options.database)
        story, work = local.story_of(game), partial(local.review_notes, game)
    if not 1 <= options.turn <= story.last_turn:
        raise ClientError(f"--turn is 1 to {story.last_turn} in this game, not {options.turn}")
    at = story.start_of(options.turn)
    palette = settings.rows()["palette"].value
    face = FaceOptions(plain=options.plain, color=options.color, palette=palette)
    if options.game == "-" or not wants_full_screen(face, os.environ):
        output = standard_output(wrap=True)
        await run_plain(story, output, work, at, has_input=options.game != "-")
        return 0
    return await _on_full_screen(story, face, work, at)


async def _from_server(options: ReplayOptions) -> Story:
    settings = load_settings({"server": options.server}, os.environ, config_file())
    address = settings.address(str(options.server))
    password = options.server_password
    if password is None:
        password = os.environ.get("CANTSTOP_SERVER_PASSWORD", "")
    async with program.visiting(address, password, options.tls_ca) as session:
        return await fetch_story(session, options.game)


async def _on_full_screen(story: Story, face: FaceOptions, work: Work | None, at: int) -> int:
    # Loaded here: line by line, none of it is needed.
    from cantstop_client.fullscreen.replay import ReplayStage
    from cantstop_client.fullscreen.toolkit import Terminal

    terminal: Terminal | None = None
    codes: list[int] = []

    def leave(code: int) -> None:
        codes.append(code)
        if terminal is not None:
            terminal.end()

    def changed() -> None:
        if terminal is not None:
            terminal.redraw()

    stage = ReplayStage(
        story,
        make_style(face, standard_output().glyphs),
        close=lambda: leave(0),
        leave=leave,
        changed=changed,
        work=work,
        at=at,
    )
    terminal = Terminal(stage)
    terminal.set_title(f"Replay {story.game} - Can't Stop")
    try:
        await terminal.run()
    finally:
        stage.end()
    return codes[0] if codes else 0
