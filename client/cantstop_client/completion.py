"""Shell completion: the parser's own scripts, printed or put where the shell looks for them."""

from pathlib import Path
from typing import Literal

from cyclopts import App

from cantstop_client.errors import ClientError

Shell = Literal["bash", "zsh", "fish"]

completion_app = App(name="completion", help="Let the shell complete commands and options.")


@completion_app.command
def show(shell: Shell | None = None, /) -> int:
    """Print the completion script.

    Parameters
    ----------
    shell
        bash, zsh or fish; by default the one you use.
    """
    print(_program().generate_completion(shell=_shell(shell)), end="")
    return 0


@completion_app.command
def install(shell: Shell | None = None, /, *, startup: bool = True) -> int:
    """Put the completion script where the shell looks for it.

    Parameters
    ----------
    shell
        bash, zsh or fish; by default the one you use.
    startup
        Add a line to .bashrc or .zshrc that loads it; fish needs none.
    """
    chosen = _shell(shell)
    try:
        path: Path = _program().install_completion(shell=chosen, add_to_startup=startup)
    except OSError as error:
        raise ClientError(
            f"cannot write {error.filename or 'the script'}: {error.strerror or error}. "
            "`cantstop completion show` prints it"
        ) from error
    print(f"Completion for {chosen} is in {path}: start a new shell to have it")
    return 0


def _program() -> App:
    from cantstop_client.cli import app

    return app


def _shell(shell: Shell | None) -> Shell:
    if shell is not None:
        return shell
    from cyclopts.completion.detect import ShellDetectionError, detect_shell

    try:
        found = detect_shell()
    except ShellDetectionError as error:
        raise ClientError("which shell? bash, zsh or fish") from error
    if found == "powershell":
        raise ClientError("which shell? bash, zsh or fish: PowerShell's is not supported here")
    return found
