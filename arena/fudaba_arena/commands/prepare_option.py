"""The option that prepares a folder before it is packed."""

from __future__ import annotations

from typing import Final

import click

__all__ = ["prepare_option"]

prepare_option: Final = click.option(
    "--prepare",
    "prepared",
    is_flag=True,
    help="If the bot's dependencies are missing, fetch them into its folder: npm ci, go mod vendor, cargo vendor or "
    "mvn package.",
)
