"""Groups to which other packages add commands."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

import click

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["ExtendedGroup"]


@final
class ExtendedGroup(click.Group):
    """A group whose further commands are entry points `fudaba.commands.NAME`, loaded when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of its own commands, and of those that are added."""
        return sorted({*super().list_commands(ctx), *self._added})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Finds a command of its own, or one that is loaded for it."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or (point := self._added.get(cmd_name)) is None:
            return own
        loaded: click.Command = point.load()
        return loaded

    @cached_property
    def _added(self) -> dict[str, EntryPoint]:
        from importlib.metadata import entry_points

        return {point.name: point for point in entry_points(group=f"fudaba.commands.{self.name}")}
