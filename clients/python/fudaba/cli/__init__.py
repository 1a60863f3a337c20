"""The command `fudaba`. The commands of whatever is installed are found by entry points, and loaded when used."""

from __future__ import annotations

from fudaba.cli._group import cli

__all__ = ["cli", "main"]


def main() -> None:
    """Runs the command line of this process."""
    cli(prog_name="fudaba")
