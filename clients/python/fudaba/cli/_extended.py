"""Groups of which some commands are imported when they are used: those that other packages add, and slow ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, final

import click

from fudaba.cli._added_commands import added_commands, load_command

__all__ = ["ExtendedGroup"]


@final
class ExtendedGroup(click.Group):
    """A group with further commands, which are imported when they are used.

    They are the entry points `fudaba.commands.NAME`, and `later`: for each name where the command is, as
    `module:attribute`. Those of `later` are commands of ours that import what the others of the group do not need.
    """

    def __init__(self, *args: Any, later: Mapping[str, str], **rest: Any) -> None:
        super().__init__(*args, **rest)
        self._later = later

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of its own commands, and of those that are added."""
        return sorted({*super().list_commands(ctx), *self._later, *self._added})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Finds a command of its own, or one that is loaded for it."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or (place := self._later.get(cmd_name) or self._added.get(cmd_name)) is None:
            return own
        loaded: click.Command = load_command(place)
        return loaded

    @cached_property
    def _added(self) -> Mapping[str, str]:
        return added_commands(f"fudaba.commands.{self.name}")
