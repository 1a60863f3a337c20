"""Reference pages of the command line: the help of every command, as a terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from fudaba.cli import cli

__all__ = ["write_command_pages"]

_MAX_HELP_COLUMNS: Final = 100
_INDEX: Final = """\
# The command line

The help of every command. Each also shows its own with `--help`.

| command | |
| --- | --- |
"""


def write_command_pages(folder: Path) -> list[Path]:
    """Writes a page for each command of `fudaba`, and an index. Returns the pages, the index first."""
    folder.mkdir(parents=True)
    context = click.Context(
        cli, info_name="fudaba", terminal_width=_MAX_HELP_COLUMNS, max_content_width=_MAX_HELP_COLUMNS
    )
    index, pages = _INDEX, []
    for name in cli.list_commands(context):
        command = _command(cli, name, context)
        page = folder / f"{name}.md"
        page.write_text("\n".join(_page(command, name, context)), encoding="utf-8")
        index += f"| [`fudaba {name}`]({page.name}) | {command.get_short_help_str(_MAX_HELP_COLUMNS)} |\n"
        pages.append(page)
    first = folder / "README.md"
    first.write_text(index, encoding="utf-8")
    return [first, *pages]


def _page(command: click.Command, name: str, parent: click.Context, level: int = 1) -> Iterator[str]:
    """Yields the lines about a command and its subcommands."""
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=_MAX_HELP_COLUMNS, max_content_width=_MAX_HELP_COLUMNS
    )
    yield from (f"{'#' * min(level, 3)} {context.command_path}", "", "```text", command.get_help(context), "```", "")
    if isinstance(command, click.Group):
        for subcommand in command.list_commands(context):
            yield from _page(_command(command, subcommand, context), subcommand, context, level + 1)


def _command(group: click.Group, name: str, context: click.Context) -> click.Command:
    """Returns a command that a group lists."""
    command = group.get_command(context, name)
    if command is None:
        raise LookupError(f"`{context.command_path}` lists {name}, but does not have it")
    return command
