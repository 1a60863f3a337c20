"""Failures of commands: expected errors and wrong usage as a line `error: …` on standard error, with exit codes."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from typing import IO, Any, Final

import click

from fudaba.cli.output import say, say_error
from fudaba.errors import ServiceError
from fudaba.safe_text import safe_line

__all__ = ["INTERRUPTED_STATUS", "Failure", "Misuse", "ReaderGone", "failed", "meant"]

INTERRUPTED_STATUS: Final = 130
"""The exit status after Ctrl-C, the same as in shells."""


class Failure(click.ClickException):
    """An expected error: standard error gets its first line as `error: …`; exit code 1."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        """Writes the lines."""
        with contextlib.suppress(OSError):  # nobody reads standard error either; the exit code still shows the failure
            say_error(self.format_message())


class ReaderGone(Failure):
    """The reader of the output has closed it, as `head` does, which is not an error."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Writes nothing."""


class Misuse(click.UsageError):
    """Wrong usage, exit code 2: prints the usage and the error in the common form."""

    def __init__(self, error: click.UsageError) -> None:
        super().__init__(_message(error), error.ctx)

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        """Writes the lines."""
        usage = []
        if self.ctx is not None:
            usage = [*self.ctx.get_usage().splitlines(), f"Try '{self.ctx.command_path} --help' for help.", ""]
        with contextlib.suppress(OSError):
            say(*usage, err=True)
            say_error(self.format_message())


def failed(error: Exception) -> Failure:
    """Returns the failure for an expected error, with advice for the command line."""
    if not isinstance(error, ServiceError):
        return Failure(str(error))
    text = safe_line(str(error))  # the service wrote it, not we
    if error.code == "UNAUTHENTICATED":
        if error.reason == "TOKEN_MISSING":
            text = "this needs a token (TOKEN_MISSING)"
        text += "; give the token with FUDABA_TOKEN, --token-file or --token"
    return Failure(text)


def _message(error: click.UsageError) -> str:
    """Rewords an error of click's in this program's style, with a suggestion."""
    command = error.ctx.command if error.ctx is not None else None
    if isinstance(error, click.NoSuchOption):
        params = command.get_params(error.ctx) if command is not None and error.ctx is not None else []
        options = [name for param in params if isinstance(param, click.Option) for name in param.opts]
        return f"there is no option {error.option_name!r}{meant(error.option_name, options)}"
    mistyped = _no_such_command(error)
    if mistyped and isinstance(command, click.Group) and error.ctx is not None:
        return f"there is no command {mistyped!r}{meant(mistyped, command.list_commands(error.ctx))}"
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter):
        error = click.BadParameter(_plain(error.message), error.ctx, error.param, error.param_hint)
    return _plain(error.format_message())


def _no_such_command(error: click.UsageError) -> str:
    """Returns the unknown command of an error; empty for other errors. Before 8.4, click has it only in the
    sentence.
    """
    found = re.fullmatch(r"No such command '(.+)'\.", error.message)
    return getattr(error, "command_name", "") or (found[1] if found else "")


def _plain(text: str) -> str:
    """Removes the capital letter and the full stop from click's sentence."""
    if re.match("[A-Z][a-z]", text):
        text = text[0].lower() + text[1:]
    return text.removesuffix(".")


def meant(written: str, known: Iterable[str]) -> str:
    """Returns the question whether the most similar name was meant; empty if no name is similar."""
    from difflib import get_close_matches  # needed only where something is mistyped

    bare = {known_name.lstrip("-"): known_name for known_name in known if len(known_name.lstrip("-")) > 1}
    close = get_close_matches(written.lstrip("-"), bare, n=1)
    return f"; did you mean {bare[close[0]]!r}?" if close else ""
