"""The examples of a command's help, as they would be typed."""

from __future__ import annotations

import click

from fudaba.cli import cli


def command(path: tuple[str, ...]) -> click.Command:
    found: click.Command = cli
    for name in path:
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), name)
        assert inner is not None
        found = inner
    return found
