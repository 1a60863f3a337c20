"""Groups that import some commands when they are used: those of other packages, and slow ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, final

import click

from fudaba.cli._added_commands import added_commands, load_command

__all__ = ["ExtendedGroup"]


@final
class ExtendedGroup(click.Group):
    """A group with further commands, imported when they are used.

    These are the entry points `fudaba.commands.NAME`, and `later`, which names each command as `module:attribute`. The
    commands in `later` are our own, but import what the group's other commands do not need.
    """

    def __init__(self, *args: Any, later: Mapping[str, str], **rest: Any) -> None:
        super().__init__(*args, **rest)
        self._later = later

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of its own and of the added commands."""
        return sorted({*super().list_commands(ctx), *self._later, *self._added})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns one of its own commands, or loads an added one."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or (place := self._later.get(cmd_name) or self._added.get(cmd_name)) is None:
            return own
        loaded: click.Command = load_command(place)
        return loaded

    @cached_property
    def _added(self) -> Mapping[str, str]:
        return added_commands(f"fudaba.commands.{self.name}")
