"""How commands fail: expected errors in one line on standard error, and their exit codes."""

from __future__ import annotations

import contextlib
from typing import IO, Any, Final

import click

from fudaba.cli.output import say
from fudaba.errors import ServiceError

__all__ = ["INTERRUPTED", "Failure", "failed"]

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as shells have it."""


class Failure(click.ClickException):
    """An expected error: one line on standard error, exit code 1."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        """Writes the line."""
        with contextlib.suppress(OSError):  # nobody reads that either; the exit code still tells
            say(f"error: {self.format_message()}", err=True)


def failed(error: Exception) -> Failure:
    """The failure that tells an expected error, with what helps on the command line."""
    text = str(error)
    if isinstance(error, ServiceError) and error.code == "UNAUTHENTICATED":
        if error.reason == "TOKEN_MISSING":
            text = "this needs a token (TOKEN_MISSING)"
        text += "; give the token with FUDABA_TOKEN, --token-file or --token"
    return Failure(text)
