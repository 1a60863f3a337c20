"""The option by which a folder is prepared before it is packed."""

from __future__ import annotations

from typing import Final

import click

__all__ = ["prepare_option"]

prepare_option: Final = click.option(
    "--prepare",
    "prepared",
    is_flag=True,
    help="Run what fetches the bot's needs into its folder, if they are missing: npm ci, go mod vendor, cargo vendor, "
    "mvn package.",
)
