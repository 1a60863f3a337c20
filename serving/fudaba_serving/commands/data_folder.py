"""The type of the option `--data` of service and arena: their own folder, or the folder of `fudaba up` around it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, final

import click

__all__ = ["ARENA", "SERVICE", "DataFolderPath", "part_of"]

SERVICE = "service"
ARENA = "arena"
"""The names of the two folders that `fudaba up` makes in its own."""


def part_of(folder: Path, part: str) -> Path:
    """Returns the folder of the service or the arena in a folder of `fudaba up`, and any other folder unchanged."""
    of_up = all((folder / part_name).is_dir() for part_name in (SERVICE, ARENA))
    return folder / part if of_up else folder


@final
class DataFolderPath(click.Path):
    """Converts the folder that the user gives to the folder of the service or the arena."""

    def __init__(self, part: str) -> None:
        super().__init__(path_type=Path, file_okay=False)
        self._part = part

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """See click."""
        return part_of(Path(os.fsdecode(super().convert(value, param, ctx))), self._part)
