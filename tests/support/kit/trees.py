"""The commands below a command."""

from __future__ import annotations

import click

from fudaba.cli import cli


def leaves() -> list[tuple[str, ...]]:
    """Returns every command that is not a group."""
    found: list[tuple[str, ...]] = []

    def add(command: click.Command | None, path: tuple[str, ...]) -> None:
        assert command is not None
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                add(command.get_command(context, name), (*path, name))
        else:
            found.append(path)

    add(cli, ())
    return found
