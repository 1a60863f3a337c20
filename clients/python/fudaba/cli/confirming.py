"""Asks before irreversible changes."""

from __future__ import annotations

import sys

import click

from fudaba.cli.failures import Failure

__all__ = ["confirm"]


def confirm(question: str, nothing: str, *, yes: bool) -> None:
    """Asks for confirmation, unless `yes` is set. Raises `Failure` if the user declines or cannot be asked.

    `nothing` says what was then not done, such as "nothing was removed".
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise Failure(f"{nothing}: without a terminal nobody can confirm; add --yes")
    if not click.confirm(question):
        raise Failure(nothing)
