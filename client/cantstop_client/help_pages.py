"""How the pages of ``--help`` are set: plain text that fills the window."""

import textwrap
from typing import TYPE_CHECKING

from cyclopts.help import PlainFormatter

if TYPE_CHECKING:
    from rich.console import Console


class FilledPages(PlainFormatter):
    """Plain help whose lines end where the window does, not where those of the docstring do.

    Blank lines part paragraphs; what an option says goes on further in than it began.
    """

    def _print_plain(self, console: "Console", text: str) -> None:
        further = self.indent * 2 if text.startswith(self.indent) else ""
        for number, paragraph in enumerate(text.split("\n\n")):
            if number:
                console.print()
            filled = textwrap.fill(
                " ".join(paragraph.split()),
                console.width,
                initial_indent=self.indent if further else "",
                subsequent_indent=further,
                break_long_words=False,
                break_on_hyphens=False,
            )
            super()._print_plain(console, filled)
