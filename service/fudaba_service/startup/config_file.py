"""The TOML file with settings of `fudaba serve`."""

from __future__ import annotations

from pathlib import Path

import click

from fudaba_serving.commands.config_file import ConfigTable, read_tables

__all__ = ["from_file"]


def from_file(context: click.Context, _: click.Parameter, path: Path | None) -> Path | None:
    """Takes the options' defaults from the table [serve] of a file. The file of `fudaba up` also has other tables."""
    if path is not None:
        table = ConfigTable(context.command, "fudaba serve")
        content = read_tables(path, {"serve": table, "arena": None, "worker": None, "web": None})
        if "serve" not in content:
            raise click.BadParameter(f"{path}: there is no table [serve]; write [serve] above the settings")
        context.default_map = table.defaults(content["serve"])
    return path
