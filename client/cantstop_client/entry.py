"""Where the program begins. The page of ``cantstop --help`` is ready made.

All else is the parser's, and loading that takes ten times as long as starting Python.
``help.txt`` is what it would print; a test keeps it so.
"""

import os
import sys

HELP_PAGE = os.path.join(os.path.dirname(__file__), "help.txt")


def main() -> None:
    """The console script."""
    if sys.argv[1:] in (["--help"], ["-h"]) and show_help():
        return
    from cantstop_client.cli import main

    main()


def show_help() -> bool:
    """Print the page; False if that is not possible."""
    try:
        with open(HELP_PAGE, encoding="utf-8") as file:
            page = file.read()
        sys.stdout.write(page)
        sys.stdout.flush()
    except (OSError, AttributeError, ValueError):
        # No page, or nobody who reads it: the parser's way of telling is the usual one.
        return False
    return True
