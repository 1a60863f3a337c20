"""Command lines that are printed somewhere: whether there are such commands, with such options and arguments."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

import click

from fudaba.cli import cli

FILES: Final = ("spring.toml", "open.toml", "autumn.toml", "spring.jsonl", "cup.toml", "mybot.tar.gz", "mybot.py")
"""The files that printed lines name and that commands need."""


def with_files(folder: Path) -> Path:
    """Returns a folder with these files."""
    for name in FILES:
        (folder / name).touch()
    (folder / "fudaba.toml").write_text('[serve]\ndata = "d"\n')
    return folder


def understood(line: str) -> int:
    """Reads a line of a shell as the commands in it do, which raise for what is no option or argument of theirs.

    How many of `fudaba` there are in it: another program may read what this one wrote.
    """
    found = 0
    for part in re.split(r" && | \| (?:less|jq .*)$| &$| > \S+", re.sub(r" {2,}#.*|\)\"?$", "", line)):
        words = [word for word in shlex.split(part) if not re.match(r"[A-Z_]+=", word)]
        if words[:1] != ["fudaba"]:
            continue
        command: click.Command = cli
        context = click.Context(cli)
        words = words[1:]
        while isinstance(command, click.Group) and not _is_alone(command, words):
            _, inner, words = command.resolve_command(context, words)
            assert inner is not None, line
            command = inner
        with command.make_context("fudaba", words):
            found += 1
    return found


def _is_alone(group: click.Group, words: list[str]) -> bool:
    """Returns whether a group is a command itself, with these words as its options."""
    return group.invoke_without_command and (not words or words[0].startswith("-"))
