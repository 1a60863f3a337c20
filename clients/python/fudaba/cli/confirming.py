"""Questions before something that cannot be taken back."""

from __future__ import annotations

import sys

import click

from fudaba.cli.failures import Failure

__all__ = ["confirm"]


def confirm(question: str, nothing: str, *, yes: bool) -> None:
    """Asks, unless `yes` answers already. Raises `Failure` for a no, and where nobody can be asked.

    `nothing` says what has not been done then, such as "nothing was removed".
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise Failure(f"{nothing}: without a terminal nobody can confirm; add --yes")
    if not click.confirm(question):
        raise Failure(nothing)
