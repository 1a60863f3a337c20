"""The option `--data` of what `fudaba up` starts: its own folder, or that of `fudaba up`, in which its own one is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, final

import click

__all__ = ["ARENA", "SERVICE", "DataFolderPath", "part_of"]

SERVICE = "service"
ARENA = "arena"
"""The folders in that of `fudaba up`."""


def part_of(folder: Path, part: str) -> Path:
    """The folder of the service or the arena in a folder of `fudaba up`; any other folder as it is."""
    of_up = all((folder / part_name).is_dir() for part_name in (SERVICE, ARENA))
    return folder / part if of_up else folder


@final
class DataFolderPath(click.Path):
    """A folder as people give it, which comes out as that of the service or the arena."""

    def __init__(self, part: str) -> None:
        super().__init__(path_type=Path, file_okay=False)
        self._part = part

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """See click."""
        return part_of(Path(os.fsdecode(super().convert(value, param, ctx))), self._part)
