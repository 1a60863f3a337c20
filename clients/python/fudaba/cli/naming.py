"""A bot with a version in the form of standings: `NAME`, or `NAME@VERSION`."""

from __future__ import annotations

import click

__all__ = ["named_version"]


def named_version(name: str, version: str = "") -> tuple[str, str]:
    """Returns the bot and the version from `NAME@VERSION`, or from a name and `--version`; an empty version for none.

    Raises a usage error for two versions that differ, and for an `@` without a version.
    """
    bot, at, label = name.partition("@")
    if at and not label:
        raise click.UsageError(f"{name!r} names no version; write NAME@VERSION, or NAME alone")
    if label and version not in {"", label}:
        raise click.UsageError(f"{name!r} names version {label}, and --version {version}; give one")
    return bot, label or version
